package metrics

import (
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/sweep"
)

var kinds = []string{"cni-results", "multus-results"}

func count() *agent.Count {
	c := agent.NewCount(nil, sweep.Ignore{})
	c.Objects[agent.Of{Kind: "cni-results", Verdict: hostgc.Live}] = 5
	c.Objects[agent.Of{Kind: "multus-results", Verdict: hostgc.Garbage}] = 3
	c.Leaks[agent.Leak{Kind: "multus-results", Cause: hostgc.CauseLibcni120, Network: "cbr0"}] = 3
	c.New["multus-results"] = 2
	c.Refused[hostgc.RuleFlawed] = 1
	c.Mute["kubeapi"] = 1
	c.Removed["multus-results"] = 1
	c.Bytes = 4096
	return c
}

// expect compares the metrics that are named with what the text says.
func expect(t *testing.T, m *Metrics, want string, names ...string) {
	t.Helper()
	for i := range names {
		names[i] = "hostgc_" + names[i]
	}
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

func TestCycle(t *testing.T) {
	m := New("v1", "abc", kinds, agent.NewState())
	m.Cycle(count(), time.Unix(1000, 0), 200*time.Millisecond, true, nil)
	expect(t, m, `
# HELP hostgc_causes Garbage seen in the latest cycle, by what made it leak; network is "other" beyond ten.
# TYPE hostgc_causes gauge
hostgc_causes{cause="libcni-1.2.0",kind="multus-results",network="cbr0"} 3
# HELP hostgc_cycle_duration_seconds How long a cycle takes.
# TYPE hostgc_cycle_duration_seconds histogram
hostgc_cycle_duration_seconds_bucket{le="0.05"} 0
hostgc_cycle_duration_seconds_bucket{le="0.1"} 0
hostgc_cycle_duration_seconds_bucket{le="0.25"} 1
hostgc_cycle_duration_seconds_bucket{le="0.5"} 1
hostgc_cycle_duration_seconds_bucket{le="1"} 1
hostgc_cycle_duration_seconds_bucket{le="2.5"} 1
hostgc_cycle_duration_seconds_bucket{le="5"} 1
hostgc_cycle_duration_seconds_bucket{le="15"} 1
hostgc_cycle_duration_seconds_bucket{le="60"} 1
hostgc_cycle_duration_seconds_bucket{le="300"} 1
hostgc_cycle_duration_seconds_bucket{le="+Inf"} 1
hostgc_cycle_duration_seconds_sum 0.2
hostgc_cycle_duration_seconds_count 1
# HELP hostgc_cycles_total Cycles that ended, by result: success, blind (something could not be judged) or failure.
# TYPE hostgc_cycles_total counter
hostgc_cycles_total{result="blind"} 0
hostgc_cycles_total{result="failure"} 0
hostgc_cycles_total{result="success"} 1
# HELP hostgc_evidence_errors_total Times that a witness was asked and gave no answer.
# TYPE hostgc_evidence_errors_total counter
hostgc_evidence_errors_total{witness="kubeapi"} 1
# HELP hostgc_last_success_timestamp_seconds When the latest cycle ended that did not fail.
# TYPE hostgc_last_success_timestamp_seconds gauge
hostgc_last_success_timestamp_seconds 1000
# HELP hostgc_new_garbage_total Garbage that the cycle before did not see: its rate is that of the leak.
# TYPE hostgc_new_garbage_total counter
hostgc_new_garbage_total{kind="cni-results"} 0
hostgc_new_garbage_total{kind="multus-results"} 2
# HELP hostgc_objects Objects seen in the latest cycle, before its removals.
# TYPE hostgc_objects gauge
hostgc_objects{kind="cni-results",verdict="garbage"} 0
hostgc_objects{kind="cni-results",verdict="live"} 5
hostgc_objects{kind="cni-results",verdict="unknown"} 0
hostgc_objects{kind="cni-results",verdict="young"} 0
hostgc_objects{kind="multus-results",verdict="garbage"} 3
hostgc_objects{kind="multus-results",verdict="live"} 0
hostgc_objects{kind="multus-results",verdict="unknown"} 0
hostgc_objects{kind="multus-results",verdict="young"} 0
# HELP hostgc_reclaimed_bytes_total Bytes freed by removals.
# TYPE hostgc_reclaimed_bytes_total counter
hostgc_reclaimed_bytes_total 4096
# HELP hostgc_reclaimed_inodes_total Inodes freed by removals.
# TYPE hostgc_reclaimed_inodes_total counter
hostgc_reclaimed_inodes_total 1
# HELP hostgc_refusals_total Objects not judged, in each cycle anew, by the rule that kept them.
# TYPE hostgc_refusals_total counter
hostgc_refusals_total{reason="flawed"} 1
# HELP hostgc_removal_failures_total Objects whose removal failed.
# TYPE hostgc_removal_failures_total counter
hostgc_removal_failures_total{kind="cni-results"} 0
hostgc_removal_failures_total{kind="multus-results"} 0
# HELP hostgc_removed_total Objects removed.
# TYPE hostgc_removed_total counter
hostgc_removed_total{kind="cni-results"} 0
hostgc_removed_total{kind="multus-results"} 1
`, "objects", "causes", "cycles_total", "cycle_duration_seconds", "evidence_errors_total", "last_success_timestamp_seconds", "new_garbage_total",
		"reclaimed_bytes_total", "reclaimed_inodes_total", "refusals_total", "removal_failures_total", "removed_total")
}

// Gauges are of the latest cycle that saw the whole node.
func TestResults(t *testing.T) {
	m := New("v1", "abc", kinds, agent.NewState())
	m.Cycle(count(), time.Unix(1000, 0), 0, true, nil)
	blind := agent.NewCount(nil, sweep.Ignore{})
	blind.Refused[hostgc.RuleUnheard] = 8
	m.Cycle(blind, time.Unix(2000, 0), 0, true, nil)
	unproven := agent.NewCount(nil, sweep.Ignore{})
	unproven.Refused[hostgc.RuleUnproven] = 8
	unproven.Objects[agent.Of{Kind: "cni-results", Verdict: hostgc.Unknown}] = 8
	m.Cycle(unproven, time.Unix(3000, 0), 0, true, nil)
	m.Cycle(agent.NewCount(nil, sweep.Ignore{}), time.Unix(4000, 0), 0, false, errors.New("the list broke off"))
	failed := agent.NewCount(nil, sweep.Ignore{})
	failed.Failed["cni-results"] = 1
	failed.Objects[agent.Of{Kind: "cni-results", Verdict: hostgc.Garbage}] = 1
	m.Cycle(failed, time.Unix(5000, 0), 0, true, errors.New("one could not be removed"))
	expect(t, m, `
# HELP hostgc_cycles_total Cycles that ended, by result: success, blind (something could not be judged) or failure.
# TYPE hostgc_cycles_total counter
hostgc_cycles_total{result="blind"} 2
hostgc_cycles_total{result="failure"} 2
hostgc_cycles_total{result="success"} 1
# HELP hostgc_last_success_timestamp_seconds When the latest cycle ended that did not fail.
# TYPE hostgc_last_success_timestamp_seconds gauge
hostgc_last_success_timestamp_seconds 3000
`, "cycles_total", "last_success_timestamp_seconds", "causes")
	if got := testutil.ToFloat64(m.objects.WithLabelValues("cni-results", "garbage")); got != 1 {
		t.Errorf("garbage of the latest cycle is %v, want 1", got)
	}
}

func TestFailedPassLeavesGauges(t *testing.T) {
	m := New("v1", "abc", kinds, agent.NewState())
	m.Cycle(count(), time.Unix(1000, 0), 0, true, nil)
	m.Cycle(agent.NewCount(nil, sweep.Ignore{}), time.Unix(2000, 0), 0, false, errors.New("the list broke off"))
	if got := testutil.ToFloat64(m.objects.WithLabelValues("cni-results", "live")); got != 5 {
		t.Errorf("live objects: %v, want the 5 of the cycle before", got)
	}
}

func TestLevels(t *testing.T) {
	m := New("v1", "abc", kinds, agent.NewState())
	m.Levels([]agent.Level{{Resource: agent.Inodes, Place: "/gone", Free: 1, Total: 2}})
	m.Levels([]agent.Level{
		{Resource: agent.Inodes, Place: "/var/lib/cni", Free: 7, Total: 100}, {Resource: agent.Bytes, Place: "/var/lib/cni", Free: 4096, Total: 8192},
		{Resource: agent.IPs, Place: "cbr0", Free: 3, Total: 253}, {Resource: agent.Inodes, Place: "/btrfs"}})
	expect(t, m, `
# HELP hostgc_filesystem_free_bytes Bytes of the file system that are free for root.
# TYPE hostgc_filesystem_free_bytes gauge
hostgc_filesystem_free_bytes{path="/var/lib/cni"} 4096
# HELP hostgc_filesystem_free_inodes Free inodes of the file system that holds the directory.
# TYPE hostgc_filesystem_free_inodes gauge
hostgc_filesystem_free_inodes{path="/var/lib/cni"} 7
# HELP hostgc_filesystem_inodes Inodes of the file system that holds the directory.
# TYPE hostgc_filesystem_inodes gauge
hostgc_filesystem_inodes{path="/var/lib/cni"} 100
# HELP hostgc_filesystem_size_bytes Size of the file system that holds the directory.
# TYPE hostgc_filesystem_size_bytes gauge
hostgc_filesystem_size_bytes{path="/var/lib/cni"} 8192
# HELP hostgc_host_local_free_ips Addresses that are free in the ranges of a host-local network.
# TYPE hostgc_host_local_free_ips gauge
hostgc_host_local_free_ips{network="cbr0"} 3
# HELP hostgc_host_local_ips Addresses in the ranges of a host-local network.
# TYPE hostgc_host_local_ips gauge
hostgc_host_local_ips{network="cbr0"} 253
`, "filesystem_free_bytes", "filesystem_free_inodes", "filesystem_inodes", "filesystem_size_bytes", "host_local_free_ips", "host_local_ips")
}

func TestConfiguration(t *testing.T) {
	m := New("v1", "abc", kinds, agent.NewState())
	m.Accepted(time.Unix(1000, 0), agent.Times{Interval: 10 * time.Minute, Jitter: time.Minute})
	m.Refused()
	want := `
# HELP hostgc_config_last_reload_success_timestamp_seconds When the configuration in use was read.
# TYPE hostgc_config_last_reload_success_timestamp_seconds gauge
hostgc_config_last_reload_success_timestamp_seconds 1000
# HELP hostgc_config_last_reload_successful Whether the configuration that was read last is the one in use.
# TYPE hostgc_config_last_reload_successful gauge
hostgc_config_last_reload_successful 0
# HELP hostgc_config_reload_failures_total Configurations that were refused; the one before stays in use.
# TYPE hostgc_config_reload_failures_total counter
hostgc_config_reload_failures_total 1
# HELP hostgc_interval_seconds The longest time between the starts of two cycles: interval and jitter.
# TYPE hostgc_interval_seconds gauge
hostgc_interval_seconds 660
`
	names := []string{"config_last_reload_success_timestamp_seconds", "config_last_reload_successful", "config_reload_failures_total", "interval_seconds"}
	expect(t, m, want, names...)
	m.Accepted(time.Unix(1000, 0), agent.Times{Interval: 10 * time.Minute, Jitter: time.Minute})
	if got := testutil.ToFloat64(m.reloaded); got != 1 {
		t.Errorf("after a good one: %v", got)
	}
}

// The counters go on over a restart of the agent.
func TestTotalsGoOn(t *testing.T) {
	m := New("v1", "abc", kinds, agent.State{Removed: map[string]int64{"cni-results": 40, "multus-results": 2}, Bytes: 100})
	m.Cycle(count(), time.Unix(1000, 0), 0, true, nil)
	for name, c := range map[string][2]float64{
		"removed": {testutil.ToFloat64(m.removed.WithLabelValues("multus-results")), 3},
		"inodes":  {testutil.ToFloat64(m.inodes), 43},
		"bytes":   {testutil.ToFloat64(m.bytes), 4196},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
}

func TestServedAndLinted(t *testing.T) {
	m := New("v1", "abc", kinds, agent.NewState())
	c := count()
	c.Leaks[agent.Leak{Kind: "cni-results", Network: "n\xff"}] = 1 // a name that is no UTF-8 must not end the agent
	m.Cycle(c, time.Unix(1000, 0), time.Second, true, nil)
	m.Levels([]agent.Level{{Resource: agent.IPs, Place: "cbr0", Free: 3, Total: 253}, {Resource: agent.Inodes, Place: "/", Free: 3, Total: 253}, {Resource: agent.Bytes, Place: "/", Free: 3, Total: 253}})
	m.Accepted(time.Unix(1000, 0), agent.Times{})
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(w.Body)
	if err != nil || w.Code != 200 {
		t.Fatalf("%d: %v", w.Code, err)
	}
	for _, want := range []string{`hostgc_build_info{goversion="go`, `revision="abc",version="v1"} 1`, `network="n?"`, "process_resident_memory_bytes", "go_goroutines"} {
		if !strings.Contains(string(body), want) {
			t.Errorf("not served: %s", want)
		}
	}
}
