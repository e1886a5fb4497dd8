package observe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/fakenode"
	"github.com/hostgc/hostgc/observe"
)

// seen notes what a pass saw.
type seen struct {
	hearings  []hostgc.Hearing
	decisions map[string]hostgc.Decision
	after     map[string]int // by path: how many hearings were before it
}

func (s *seen) Hear(h hostgc.Hearing) error {
	s.hearings = append(s.hearings, h)
	return nil
}

func (s *seen) Decide(_ *observe.Place, d hostgc.Decision) error {
	if _, twice := s.decisions[d.Object.Path()]; twice {
		return fmt.Errorf("%s was judged twice", d.Object.Path())
	}
	s.decisions[d.Object.Path()] = d
	s.after[d.Object.Path()] = len(s.hearings)
	return nil
}

func pass(t *testing.T, f *fakenode.Fake) *seen {
	t.Helper()
	s := &seen{decisions: map[string]hostgc.Decision{}, after: map[string]int{}}
	if err := f.Pass(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *seen) want(t *testing.T, path string, v hostgc.Verdict, rule, text string) {
	t.Helper()
	d, ok := s.decisions[path]
	if !ok {
		t.Fatalf("%s was not judged", path)
	}
	if d.Verdict != v || d.Rule() != rule || !strings.Contains(d.Because[0].Text, text) {
		t.Errorf("%s: %s by %s (%s), want %s by %s (%s)", path, d.Verdict, d.Rule(), d.Because[0].Text, v, rule, text)
	}
}
