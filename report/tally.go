package report

import (
	"maps"
	"slices"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

// Summary counts one kind's objects by verdict.
type Summary struct {
	Kind    string         `json:"kind"`
	Mode    hostgc.Mode    `json:"mode"`
	Live    int            `json:"live"`
	Young   int            `json:"young"`
	Unknown int            `json:"unknown"`
	Garbage int            `json:"garbage"`
	Bytes   int64          `json:"bytes"`  // that removing the garbage frees, or has freed
	Inodes  int            `json:"inodes"` // likewise
	Removed int            `json:"removed"`
	Causes  map[string]int `json:"causes"`
}

// Tally counts what a pass saw and did. It is a sweep.Sink.
type Tally struct {
	kinds   map[string]*Summary
	order   []string
	Hearing hostgc.Hearing // the latest

	Failed  int            // removals that failed
	Failure error          // the first of them
	Blind   map[string]int // why something could not be judged, and for how many objects
	Kept    map[string]int // why something was not understood, and for how many objects
	Left    map[string]int // why garbage was left, and for how much

	Example map[hostgc.Verdict]string // a path for each verdict, to explain
}

// NewTally starts counting for kinds, which are listed in this order even
// where nothing of them is found.
func NewTally(kinds []hostgc.Kind, modes map[string]hostgc.Mode) *Tally {
	t := &Tally{kinds: map[string]*Summary{}, Blind: map[string]int{}, Kept: map[string]int{},
		Left: map[string]int{}, Example: map[hostgc.Verdict]string{}}
	for _, k := range kinds {
		t.order = append(t.order, k.Name)
		t.kinds[k.Name] = &Summary{Kind: k.Name, Mode: modes[k.Name], Causes: map[string]int{}}
	}
	return t
}

// Hear keeps the latest hearing, and of witnesses that are heard for other
// kinds only, what they said before.
func (t *Tally) Hear(h hostgc.Hearing) error {
	h.Testimonies = slices.Clone(h.Testimonies)
	for _, old := range t.Hearing.Testimonies {
		if !slices.ContainsFunc(h.Testimonies, func(n hostgc.Testimony) bool { return n.Witness == old.Witness }) {
			h.Testimonies = append(h.Testimonies, old)
		}
	}
	t.Hearing = h
	return nil
}

// Decide counts a decision and what was done.
func (t *Tally) Decide(d hostgc.Decision, done sweep.Outcome) error {
	s := t.kinds[d.Object.Kind]
	if _, ok := t.Example[d.Verdict]; !ok {
		t.Example[d.Verdict] = d.Object.Path()
	}
	switch d.Verdict {
	case hostgc.Live:
		s.Live++
	case hostgc.Young:
		s.Young++
	case hostgc.Unknown:
		s.Unknown++
		t.unknown(d)
	case hostgc.Garbage:
		s.Garbage++
		s.Bytes += d.Object.ID.Alloc
		s.Inodes++
		t.garbage(s, done)
	}
	if d.Object.Cause != "" {
		s.Causes[d.Object.Cause]++
	}
	return nil
}

func (t *Tally) unknown(d hostgc.Decision) {
	why := d.Because[0].Text
	switch d.Rule() {
	case hostgc.RuleUnheard, hostgc.RuleUnproven:
		t.Blind[why]++
	default:
		if _, known := t.Kept[why]; known || len(t.Kept) < maxReasons {
			t.Kept[why]++
		} else {
			t.Kept[manyReasons]++
		}
	}
}

// Reasons that quote a file's content are without bound.
const (
	maxReasons  = 20
	manyReasons = "other reasons"
)

func (t *Tally) garbage(s *Summary, done sweep.Outcome) {
	switch {
	case done.Removed:
		s.Removed++
	case done.Err != nil:
		t.Failed++
		if t.Failure == nil {
			t.Failure = done.Err
		}
	case done.Kept != "":
		t.Left[done.Kept]++
	}
}

// Summaries gives the counts, a kind each.
func (t *Tally) Summaries() []Summary {
	out := make([]Summary, 0, len(t.order))
	for _, name := range t.order {
		out = append(out, *t.kinds[name])
	}
	return out
}

// Total adds the counts of all kinds.
func (t *Tally) Total() Summary {
	sum := Summary{Kind: "total", Causes: map[string]int{}}
	for _, s := range t.kinds {
		sum.Live += s.Live
		sum.Young += s.Young
		sum.Unknown += s.Unknown
		sum.Garbage += s.Garbage
		sum.Bytes += s.Bytes
		sum.Inodes += s.Inodes
		sum.Removed += s.Removed
		for c, n := range s.Causes {
			sum.Causes[c] += n
		}
	}
	return sum
}

// Judged reports whether everything could be judged: no needed witness was
// mute, and the positive control held.
func (t *Tally) Judged() bool { return len(t.Blind) == 0 }

// byCount orders reasons, the most frequent first.
func byCount(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
}
