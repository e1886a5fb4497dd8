package alerts

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/deploy/dashboard"
	"github.com/hostgc/hostgc/metrics"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// exported scrapes an agent that has something of everything, and gives the
// labels of each of hostgc's series by its name.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	m := metrics.New("v1", "abc", []string{"k"}, agent.NewState())
	c := agent.NewCount(nil, nil)
	c.Objects[agent.Of{Kind: "k", Verdict: hostgc.Garbage}] = 1
	c.Leaks[agent.Leak{Kind: "k", Cause: "c", Network: "n"}] = 1
	for _, counts := range []map[string]int{c.New, c.Refused, c.Mute, c.Removed, c.Failed} {
		counts["k"] = 1
	}
	now := time.Unix(1_800_000_000, 0)
	m.Cycle(c, now, time.Second, true, nil)
	var levels []agent.Level
	for _, r := range []agent.Resource{agent.Inodes, agent.Bytes, agent.IPs} {
		levels = append(levels, agent.Level{Resource: r, Place: "p", Free: 1, Total: 2})
	}
	m.Levels(levels)
	m.Accepted(now, agent.Times{Interval: time.Minute})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	out := map[string][]string{}
	for _, s := range regexp.MustCompile(`(?m)^(hostgc_[a-z0-9_]+)(?:\{(.*)\})? `).FindAllStringSubmatch(w.Body.String(), -1) {
		out[s[1]] = label.FindAllString(s[2], -1)
	}
	return out
}

var (
	name     = regexp.MustCompile(`hostgc_[a-z0-9_]+`)
	selector = regexp.MustCompile(`(hostgc_[a-z0-9_]+)\{([^}]*)\}`)
	label    = regexp.MustCompile(`[a-z]+=`)
)

// Alerts and dashboard name only metrics, and select only by labels, that
// hostgc has.
func TestEachMetricExists(t *testing.T) {
	have := exported(t)
	if len(have) < 25 {
		t.Fatalf("hostgc has only %d metrics", len(have))
	}
	for _, file := range []string{file, "../chart/files/dashboard.json"} {
		text := strings.ReplaceAll(read(t, file), `\"`, `"`)
		for _, n := range name.FindAllString(text, -1) {
			if _, ok := have[n]; !ok {
				t.Errorf("%s names %s, which hostgc does not have", file, n)
			}
		}
		for _, s := range selector.FindAllStringSubmatch(text, -1) {
			for _, l := range label.FindAllString(s[2], -1) {
				if l != "instance=" && !slices.Contains(have[s[1]], l) {
					t.Errorf("%s selects %s by %s, a label that it does not have", file, s[1], l)
				}
			}
		}
	}
}

// Each metric is shown to somebody, or here is why not.
func TestEachMetricIsUsed(t *testing.T) {
	unused := []string{
		"hostgc_config_last_reload_success_timestamp_seconds", // for people who look for what changed when
		"hostgc_cycle_duration_seconds_count", "hostgc_cycle_duration_seconds_sum",
	}
	text := read(t, file) + read(t, "../chart/files/dashboard.json")
	for n := range exported(t) {
		if !strings.Contains(text, n) && !slices.Contains(unused, n) {
			t.Errorf("neither an alert nor the dashboard shows %s", n)
		}
	}
}

func TestDashboardIsGenerated(t *testing.T) {
	want, err := dashboard.Generate()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), read(t, "../chart/files/dashboard.json")); diff != "" {
		t.Errorf("go run ./cmd/dashboard > chart/files/dashboard.json\n%s", diff)
	}
	var d struct {
		Panels []struct {
			ID      int
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(want, &d); err != nil {
		t.Fatal(err)
	}
	taken := map[[2]int]int{}
	for _, p := range d.Panels {
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != 0 || x >= 24 {
					t.Fatalf("panel %d lies on panel %d, or outside", p.ID, other)
				}
				taken[[2]int{x, y}] = p.ID
			}
		}
		for _, q := range p.Targets {
			if _, err := parse(strings.ReplaceAll(q.Expr, "$node", "n")); err != nil {
				t.Errorf("panel %d: %v", p.ID, err)
			}
		}
	}
}
