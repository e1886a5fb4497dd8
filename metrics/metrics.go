// Package metrics shows what the agent sees and does to Prometheus.
//
// Gauges describe the latest cycle, counters all of them. The number of series
// is bounded: labels are kinds, verdicts, rules, witnesses and causes, which
// are hostgc's own words, and the first ten networks of a cycle.
package metrics

import (
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
)

// Metrics are all metrics of an agent.
type Metrics struct {
	kinds    []string
	registry *prometheus.Registry
	mu       sync.Mutex // a scrape must not see gauges that are being set anew

	objects, leaks                             *prometheus.GaugeVec
	removed, failed, garbage, refusals, mute   *prometheus.CounterVec
	bytes, inodes                              prometheus.Counter
	cycles                                     *prometheus.CounterVec
	duration                                   prometheus.Histogram
	lastSuccess, interval                      prometheus.Gauge
	freeInodes, allInodes, freeBytes, allBytes *prometheus.GaugeVec
	freeIPs, allIPs                            *prometheus.GaugeVec
	reloaded, reloadTime                       prometheus.Gauge
	reloadFailures                             prometheus.Counter
}

// New gives the metrics of an agent. What it did before a restart is in the
// counters from the start, so that they go on where they were.
func New(version, revision string, kinds []string, before agent.State) *Metrics {
	m := &Metrics{kinds: kinds, registry: prometheus.NewRegistry()}
	m.cycle()
	m.node()
	m.configuration()
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.gauges("build_info", "A metric with the constant value 1, labelled with what was built.", "version", "revision", "goversion").
		WithLabelValues(version, revision, runtime.Version()).Set(1)
	for _, k := range kinds {
		m.removed.WithLabelValues(k).Add(float64(before.Removed[k]))
		m.inodes.Add(float64(before.Removed[k]))
		m.failed.WithLabelValues(k)
		m.garbage.WithLabelValues(k)
	}
	m.bytes.Add(float64(before.Bytes))
	for _, result := range []string{Success, Blind, Failure} {
		m.cycles.WithLabelValues(result)
	}
	return m
}

func (m *Metrics) cycle() {
	m.objects = m.gauges("objects", "Objects seen in the latest cycle, before its removals.", "kind", "verdict")
	m.leaks = m.gauges("causes", "Garbage seen in the latest cycle, by what made it leak; network is \"other\" beyond ten.", "kind", "cause", "network")
	m.removed = m.counters("removed_total", "Objects removed.", "kind")
	m.failed = m.counters("removal_failures_total", "Objects whose removal failed.", "kind")
	m.garbage = m.counters("new_garbage_total", "Garbage that the cycle before did not see: its rate is that of the leak.", "kind")
	m.refusals = m.counters("refusals_total", "Objects not judged, in each cycle anew, by the rule that kept them.", "reason")
	m.mute = m.counters("evidence_errors_total", "Times that a witness was asked and gave no answer.", "witness")
	m.bytes = m.counter("reclaimed_bytes_total", "Bytes freed by removals.")
	m.inodes = m.counter("reclaimed_inodes_total", "Inodes freed by removals.")
	m.cycles = m.counters("cycles_total", "Cycles that ended, by result: success, blind (something could not be judged) or failure.", "result")
	m.duration = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: "cycle_duration_seconds",
		Help: "How long a cycle takes.", Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300}})
	m.registry.MustRegister(m.duration)
	m.lastSuccess = m.gauge("last_success_timestamp_seconds", "When the latest cycle ended that did not fail.")
	m.interval = m.gauge("interval_seconds", "The longest time between the starts of two cycles: interval and jitter.")
}

func (m *Metrics) node() {
	m.freeInodes = m.gauges("filesystem_free_inodes", "Free inodes of the file system that holds the directory.", "path")
	m.allInodes = m.gauges("filesystem_inodes", "Inodes of the file system that holds the directory.", "path")
	m.freeBytes = m.gauges("filesystem_free_bytes", "Bytes of the file system that are free for root.", "path")
	m.allBytes = m.gauges("filesystem_size_bytes", "Size of the file system that holds the directory.", "path")
	m.freeIPs = m.gauges("host_local_free_ips", "Addresses that are free in the ranges of a host-local network.", "network")
	m.allIPs = m.gauges("host_local_ips", "Addresses in the ranges of a host-local network.", "network")
}

func (m *Metrics) configuration() {
	m.reloaded = m.gauge("config_last_reload_successful", "Whether the configuration that was read last is the one in use.")
	m.reloadTime = m.gauge("config_last_reload_success_timestamp_seconds", "When the configuration in use was read.")
	m.reloadFailures = m.counter("config_reload_failures_total", "Configurations that were refused; the one before stays in use.")
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.Gatherer(), promhttp.HandlerOpts{Registry: m.registry})
}

// Gatherer gives the metrics as they are between two updates.
func (m *Metrics) Gatherer() prometheus.Gatherer {
	return prometheus.GathererFunc(locked(&m.mu, m.registry.Gather))
}

// locked is generic only so that the type of Gather's result, of a module that
// is none of ours, need not be named.
func locked[T any](mu *sync.Mutex, gather func() (T, error)) func() (T, error) {
	return func() (T, error) {
		mu.Lock()
		defer mu.Unlock()
		return gather()
	}
}

// The results of a cycle.
const (
	Success = "success"
	Blind   = "blind" // a needed witness was mute, or the positive control failed
	Failure = "failure"
)

// Cycle takes the counts of a cycle that ended. Where it did not see the whole
// node, the gauges stay those of the cycle before.
func (m *Metrics) Cycle(c *agent.Count, now time.Time, took time.Duration, whole bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	result := result(c, err)
	m.cycles.WithLabelValues(result).Inc()
	m.duration.Observe(took.Seconds())
	if result != Failure {
		m.lastSuccess.Set(seconds(now))
	}
	if whole {
		m.see(c)
	}
	add(m.removed, c.Removed)
	add(m.failed, c.Failed)
	add(m.garbage, c.New)
	add(m.refusals, c.Refused)
	add(m.mute, c.Mute)
	m.bytes.Add(float64(c.Bytes))
	m.inodes.Add(float64(c.Total()))
}

func (m *Metrics) see(c *agent.Count) {
	for _, k := range m.kinds {
		for _, v := range []hostgc.Verdict{hostgc.Live, hostgc.Young, hostgc.Unknown, hostgc.Garbage} {
			m.objects.WithLabelValues(k, string(v)).Set(float64(c.Objects[agent.Of{Kind: k, Verdict: v}]))
		}
	}
	m.leaks.Reset()
	for l, n := range c.Leaks {
		m.leaks.WithLabelValues(l.Kind, l.Cause, strings.ToValidUTF8(l.Network, "?")).Set(float64(n))
	}
}

func result(c *agent.Count, err error) string {
	switch {
	case err != nil:
		return Failure
	case c.Refused[hostgc.RuleUnheard]+c.Refused[hostgc.RuleUnproven] > 0:
		return Blind
	}
	return Success
}

func add(to *prometheus.CounterVec, counts map[string]int) {
	for label, n := range counts {
		to.WithLabelValues(label).Add(float64(n))
	}
}

// Levels takes how much of each resource is free.
func (m *Metrics) Levels(levels []agent.Level) {
	m.mu.Lock()
	defer m.mu.Unlock()
	vecs := map[agent.Resource][2]*prometheus.GaugeVec{
		agent.Inodes: {m.freeInodes, m.allInodes}, agent.Bytes: {m.freeBytes, m.allBytes}, agent.IPs: {m.freeIPs, m.allIPs},
	}
	for _, v := range vecs {
		v[0].Reset()
		v[1].Reset()
	}
	for _, l := range levels {
		if l.Total > 0 {
			vecs[l.Resource][0].WithLabelValues(l.Place).Set(float64(l.Free))
			vecs[l.Resource][1].WithLabelValues(l.Place).Set(float64(l.Total))
		}
	}
}

// Accepted says that a configuration is in use.
func (m *Metrics) Accepted(now time.Time, t agent.Times) {
	m.reloaded.Set(1)
	m.reloadTime.Set(seconds(now))
	m.interval.Set((t.Interval + t.Jitter).Seconds())
}

// Refused says that a configuration was refused.
func (m *Metrics) Refused() {
	m.reloaded.Set(0)
	m.reloadFailures.Inc()
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
