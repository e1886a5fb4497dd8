package alerts

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

const file = "../chart/files/alerts.yaml"

// alertRules reads the rules as Prometheus does, strictly.
func alertRules(t *testing.T) map[string]rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile(file, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	out := map[string]rulefmt.Rule{}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			out[r.Alert] = r
		}
	}
	return out
}

// firing evaluates a rule each five minutes for twelve hours, over series that
// have a sample each five minutes, and gives the summaries and descriptions of
// the alerts that fire at the end.
func firing(t *testing.T, r rulefmt.Rule, series []string) []string {
	t.Helper()
	const step, end = 5 * time.Minute, 12 * time.Hour
	store := promqltest.LoadedStorage(t, "load 5m\n  "+strings.Join(series, "\n  ")+"\n")
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	expr, err := parse(r.Expr)
	if err != nil {
		t.Fatal(err)
	}
	rule := rules.NewAlertingRule(r.Alert, expr, time.Duration(r.For), 0, labels.FromMap(r.Labels), labels.FromMap(r.Annotations),
		labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
	query := rules.EngineQueryFunc(engine, store)
	for at := time.Duration(0); at <= end; at += step {
		if _, err := rule.Eval(t.Context(), 0, time.Unix(0, 0).Add(at), query, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for _, a := range rule.ActiveAlerts() {
		if a.State == rules.StateFiring {
			out = append(out, a.Annotations.Get("summary")+"\n"+a.Annotations.Get("description"))
		}
	}
	return out
}

// Each alert fires on what it is for, says where and why, and not otherwise.
func TestAlerts(t *testing.T) {
	all := alertRules(t)
	tested := map[string]bool{}
	for _, c := range cases {
		t.Run(c.alert+" "+c.name, func(t *testing.T) {
			tested[c.alert] = true
			got := firing(t, all[c.alert], c.series)
			if len(c.says) == 0 && len(got) > 0 || len(c.says) > 0 && len(got) != 1 {
				t.Fatalf("%d alerts fire: %v", len(got), got)
			}
			for _, s := range c.says {
				if !strings.Contains(got[0], s) {
					t.Errorf("it does not say %q:\n%s", s, got[0])
				}
			}
		})
	}
	for name := range all {
		if !tested[name] {
			t.Errorf("no test of the alert %s", name)
		}
	}
}

// Each alert has what an on-call person needs.
func TestEachAlertHasARunbook(t *testing.T) {
	operate := read(t, "../../docs/operate.md")
	for name, r := range alertRules(t) {
		if r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("%s lacks severity, summary or description", name)
		}
		want := "https://github.com/hostgc/hostgc/blob/main/docs/operate.md#" + strings.ToLower(name)
		if diff := cmp.Diff(want, r.Annotations["runbook_url"]); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(operate, fmt.Sprintf("\n### %s\n", name)) {
			t.Errorf("docs/operate.md has no runbook for %s", name)
		}
	}
}

func parse(expr string) (parser.Expr, error) {
	return parser.NewParser(parser.Options{}).ParseExpr(expr)
}
