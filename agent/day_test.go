package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/internal/fakenode"
	"github.com/hostgc/hostgc/metrics"
	"github.com/hostgc/hostgc/sweep"
)

// day is an agent on a node that leaks a hundred files between any two cycles,
// each of a network of its own.
type day struct {
	t       *testing.T
	node    *fakenode.Fake
	metrics *metrics.Metrics
	stateAt string
	cycles  int
	heap    []uint64 // bytes in use, after each twentieth cycle
	series  []int
}

func (d *day) cycle(ctx context.Context, earlier *hostgc.Condemned, limits map[string]int) (agent.Result, error) {
	for i := range 100 {
		d.node.Write(fmt.Sprintf("a/gone%d.%d", d.cycles, i))
	}
	d.cycles++
	count := agent.NewCount(earlier, sweep.Ignore{})
	condemned, err := sweep.Pass(ctx, d.node.Node, earlier, sweep.Options{
		Modes: map[string]hostgc.Mode{"fake": hostgc.ModeEnforce}, Plan: hostgc.NewPlan(limits), Log: slog.New(slog.DiscardHandler)}, count)
	d.metrics.Cycle(count, time.Now(), time.Second, err == nil, err)
	if d.cycles%20 == 0 { // the ramp is through long before the first time
		d.measure()
	}
	return agent.Result{Condemned: condemned, Apart: 30 * time.Second, Removed: count.Removed, Bytes: count.Bytes}, err
}

func (d *day) measure() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	n, err := testutil.GatherAndCount(d.metrics.Gatherer())
	if err != nil {
		d.t.Error(err)
	}
	d.heap, d.series = append(d.heap, m.HeapAlloc), append(d.series, n)
}

// Twenty-four hours, compressed: what the agent holds in memory, shows as
// metrics and keeps on disk does not grow with what it has seen.
func TestADay(t *testing.T) {
	d := &day{t: t, node: fakenode.New(t), stateAt: filepath.Join(t.TempDir(), "hostgc")}
	d.node.Listed["up"] = hostgc.StateReady
	d.node.Write("a/up.1")
	d.node.Inspect = func(o *hostgc.Object, _ []byte) { o.Owner.Network = "net-" + o.Name }
	now := time.Now() // the files have the time of the machine, and not that of the test
	d.node.Terms = func() (hostgc.Terms, error) {
		return hostgc.Terms{Now: now.Add(24 * time.Hour), Boot: now.Add(-24 * time.Hour), Uptime: 24 * time.Hour}, nil
	}
	kinds := []string{"fake"}
	d.metrics = metrics.New("v1", "abc", kinds, agent.NewState())
	checks := 0
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 24*time.Hour)
		defer stop()
		(&agent.Agent{Kinds: kinds, Cycle: d.cycle, State: agent.NewState(), Log: slog.New(slog.DiscardHandler),
			Times: func() agent.Times {
				return agent.Times{Interval: 10 * time.Minute, Jitter: time.Minute, Settle: 30 * time.Second}
			},
			Check: func(context.Context, bool) string { checks++; return "" },
			Save:  func(s agent.State) error { return s.Save(d.stateAt) },
		}).Run(ctx)
	})
	d.judge(t, checks)
}

func (d *day) judge(t *testing.T, checks int) {
	if d.cycles < 24*60/11 || d.cycles > 24*60/10+1 {
		t.Errorf("%d cycles in a day", d.cycles)
	}
	if checks < 24*60-d.cycles || checks > 24*60 {
		t.Errorf("%d checks in a day, want one a minute", checks)
	}
	state, err := agent.Load(d.stateAt, []string{"fake"})
	// All but what the last cycle saw for the first time: 100 of each.
	if want := int64(d.cycles-1) * 100; err != nil || state.Removed["fake"] != want {
		t.Errorf("%v: removed %d, want %d", err, state.Removed["fake"], want)
	}
	if info, err := os.Stat(filepath.Join(d.stateAt, "state.json")); err != nil || info.Size() > 200 {
		t.Errorf("the state: %v, %d bytes", err, info.Size())
	}
	last := len(d.heap) - 1
	if grown := int64(d.heap[last]) - int64(d.heap[0]); last < 5 || grown > 64<<10 {
		t.Errorf("memory grew by %d bytes in a day: %v", grown, d.heap)
	}
	if d.series[last] > d.series[0] {
		t.Errorf("the number of series grew: %v", d.series)
	}
}
