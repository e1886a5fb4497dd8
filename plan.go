package hostgc

import "fmt"

// Plan limits how much of the garbage may go in one cycle. It is an upper
// bound, never an order: what it admits must still be garbage twice.
type Plan struct {
	limits map[string]int // by kind; 0: no limit
	used   map[string]int
}

// NewPlan makes a plan with a limit for each kind; a kind that is not in it,
// or that has 0, is not limited.
func NewPlan(limits map[string]int) *Plan {
	return &Plan{limits: limits, used: map[string]int{}}
}

// Admit reports whether one more object of the kind may go, and counts it.
func (p *Plan) Admit(kind string) (string, bool) {
	limit := p.limits[kind]
	if limit > 0 && p.used[kind] >= limit {
		return fmt.Sprintf("the limit of %d for this cycle is reached; the rest goes in later cycles", limit), false
	}
	p.used[kind]++
	return "", true
}

// Ramp is how many objects of a kind an agent removes in its nth cycle of
// removals on a node, counted from 0: 10, 100, 1,000, 10,000, then all that
// there are (0). A wrong configuration rolled out to a fleet is noticed while
// it is still small. A share of the garbage as a breaker would be wrong here:
// a right clean-up removes 300,000 of 300,050.
func Ramp(cycle int) int {
	steps := []int{10, 100, 1_000, 10_000}
	if cycle < len(steps) {
		return steps[cycle]
	}
	return 0
}

// Tighter gives the smaller of two limits, where 0 is no limit.
func Tighter(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
