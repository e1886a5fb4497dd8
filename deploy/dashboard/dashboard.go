// Package dashboard makes hostgc's Grafana dashboard: above the fleet, below one
// node of it. It is made by a program because the JSON, of which Grafana wants
// thirty lines a panel, says little that is ours; Generate writes it into the
// chart, and tests hold each metric in it against those that hostgc has.
package dashboard

import "encoding/json"

// panel is one picture. The width is of 24.
type panel struct {
	title, about string
	kind         string // stat or timeseries
	unit         string
	width        int
	expr, legend string
}

// row is a heading and the panels below it.
type row struct {
	title  string
	panels []panel
}

func one(title, about, unit, expr string) panel {
	return panel{title, about, "stat", unit, 6, expr, ""}
}

func graph(title, about, unit, expr, legend string) panel {
	return panel{title, about, "timeseries", unit, 12, expr, legend}
}

var rows = []row{
	{"Fleet", []panel{
		one("Nodes with hostgc", "", "short", `count(hostgc_build_info)`),
		one("Nodes that cannot be judged", "In the last hour nothing but blind cycles: a witness is mute, or the list was not shown to be the node's.", "short",
			`count(sum by (instance) (increase(hostgc_cycles_total{result="blind"}[1h])) > 0 unless sum by (instance) (increase(hostgc_cycles_total{result="success"}[1h])) > 0) or vector(0)`),
		one("Garbage now", "Before the removals of each node's latest cycle.", "short", `sum(hostgc_objects{verdict="garbage"})`),
		one("Inodes freed, 24 h", "", "short", `sum(increase(hostgc_reclaimed_inodes_total[24h]))`),
		graph("Leaks by cause", "Garbage seen in the latest cycles. The cure of each cause is in docs/faq.md.", "short", `sum by (cause) (hostgc_causes)`, "{{cause}}"),
		graph("Nodes that leak most, files an hour", "New garbage, whether it was removed or not.", "short",
			`topk(10, sum by (instance) (increase(hostgc_new_garbage_total[1h])))`, "{{instance}}"),
		graph("Removed, files an hour", "", "short", `sum by (kind) (increase(hostgc_removed_total[1h]))`, "{{kind}}"),
		graph("Fewest free inodes", "Of the file systems that hold CNI state.", "percentunit",
			`bottomk(10, hostgc_filesystem_free_inodes / hostgc_filesystem_inodes)`, "{{instance}} {{path}}"),
		graph("Fewest free pod addresses", "Of networks with host-local addresses.", "percentunit",
			`bottomk(10, hostgc_host_local_free_ips / hostgc_host_local_ips)`, "{{instance}} {{network}}"),
		graph("Failed removals and refused configurations", "", "short",
			`sum by (instance) (increase(hostgc_removal_failures_total[1h])) + sum by (instance) (increase(hostgc_config_reload_failures_total[1h])) > 0`, "{{instance}}"),
	}},
	{"Node $node", []panel{
		one("Since the last success", "", "s", `time() - hostgc_last_success_timestamp_seconds{instance="$node"}`),
		one("Garbage now", "", "short", `sum(hostgc_objects{instance="$node",verdict="garbage"})`),
		one("Removed, ever", "", "short", `sum(hostgc_removed_total{instance="$node"})`),
		one("Bytes freed, ever", "", "bytes", `hostgc_reclaimed_bytes_total{instance="$node"}`),
		graph("Objects by verdict", "", "short", `sum by (verdict) (hostgc_objects{instance="$node"})`, "{{verdict}}"),
		graph("Why it leaks", "", "short", `sum by (cause, network) (hostgc_causes{instance="$node"})`, "{{cause}} {{network}}"),
		graph("Not judged, by rule", "", "short", `sum by (reason) (increase(hostgc_refusals_total{instance="$node"}[1h]))`, "{{reason}}"),
		graph("Mute witnesses", "", "short", `sum by (witness) (increase(hostgc_evidence_errors_total{instance="$node"}[1h]))`, "{{witness}}"),
		graph("Free bytes", "", "percentunit", `hostgc_filesystem_free_bytes{instance="$node"} / hostgc_filesystem_size_bytes{instance="$node"}`, "{{path}}"),
		graph("How long a cycle takes, 95 %", "", "s", `histogram_quantile(0.95, sum by (le) (rate(hostgc_cycle_duration_seconds_bucket{instance="$node"}[1h])))`, "p95"),
	}},
}

type object = map[string]any

// Generate gives the dashboard as Grafana imports it.
func Generate() ([]byte, error) {
	b, err := json.MarshalIndent(object{
		"title": "hostgc", "uid": "hostgc", "tags": []string{"kubernetes", "node"},
		"schemaVersion": 39, "editable": true, "refresh": "1m",
		"time":       object{"from": "now-24h", "to": "now"},
		"templating": object{"list": variables()},
		"panels":     layout(rows),
	}, "", "  ")
	return append(b, '\n'), err
}

func variables() []object {
	return []object{
		{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
		{"name": "node", "type": "query", "label": "Node", "datasource": source, "refresh": 2, "sort": 1,
			"query": object{"query": "label_values(hostgc_build_info, instance)", "refId": "nodes"}},
	}
}

var source = object{"type": "prometheus", "uid": "${datasource}"}

// layout puts the panels into lines of 24 columns, each row below the one before.
func layout(rows []row) []object {
	const width, height = 24, 8
	var out []object
	y := 0
	for _, r := range rows {
		out = append(out, object{"id": len(out) + 1, "type": "row", "title": r.title, "collapsed": false,
			"gridPos": object{"x": 0, "y": y, "w": width, "h": 1}})
		y++
		x := 0
		for _, p := range r.panels {
			if x+p.width > width {
				x, y = 0, y+height
			}
			out = append(out, p.object(len(out)+1, object{"x": x, "y": y, "w": p.width, "h": height}))
			x += p.width
		}
		y += height
	}
	return out
}

func (p panel) object(id int, at object) object {
	return object{
		"id": id, "type": p.kind, "title": p.title, "description": p.about, "gridPos": at,
		"datasource": source, "targets": []object{{"refId": "A", "expr": p.expr, "legendFormat": p.legend,
			"datasource": source, "instant": p.kind == "stat"}},
		"fieldConfig": object{"defaults": object{"unit": p.unit, "min": 0}, "overrides": []any{}},
	}
}
