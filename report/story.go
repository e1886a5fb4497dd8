package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/observe"
	"github.com/hostgc/hostgc/sweep"
)

// Story tells in plain words what an object is, whose it was, what each rule
// and each witness says of it, why it leaked and what stops that.
func Story(w io.Writer, x observe.Explanation, mode hostgc.Mode) error {
	var b strings.Builder
	o := x.Decision.Object
	fmt.Fprintf(&b, "%s\n\n", o.Path())
	entry(&b, "verdict", verdictWords(x.Decision))
	entry(&b, "what", x.Kind.Name+": "+x.Kind.Doc)
	entry(&b, "whose", whose(o, x.Kin))
	if o.ID.Ino != 0 {
		entry(&b, "file", fmt.Sprintf("%d bytes, inode %d, last changed %s", o.ID.Size, o.ID.Ino, o.ID.Stamp().UTC().Format(time.RFC3339)))
	}
	for i, k := range x.Kin {
		label := ""
		if i == 0 {
			label = "kin"
		}
		entry(&b, label, k.Path())
	}
	trail(&b, x)
	heard(&b, x)
	cause(&b, o)
	b.WriteString("\nNext\n")
	entry(&b, "", nextStep(x.Decision, mode))
	_, err := io.WriteString(w, b.String())
	return err
}

// TreeStory tells what keeps a versioned data directory: every use of it, and
// each rule.
func TreeStory(w io.Writer, d hostgc.Decision, steps []hostgc.Step, uses []string, h hostgc.Hearing) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", d.Object.Path())
	entry(&b, "verdict", verdictWords(d))
	for _, u := range uses {
		entry(&b, "", u)
	}
	x := observe.Explanation{Decision: d, Trail: steps, Hearing: h}
	trail(&b, x)
	heard(&b, x)
	_, err := io.WriteString(w, b.String())
	return err
}

func verdictWords(d hostgc.Decision) string {
	switch d.Verdict {
	case hostgc.Garbage:
		return "GARBAGE: its owner is gone, and no rule keeps it"
	case hostgc.Live:
		return "LIVE: " + d.Because[0].Text
	case hostgc.Young:
		return "YOUNG: " + d.Because[0].Text
	}
	return "UNKNOWN, so it is kept: " + d.Because[0].Text
}

// whose names the pod, from the object itself or from what else the same
// sandbox left.
func whose(o hostgc.Object, kin []hostgc.Object) string {
	if o.Owner.Sandbox == "" {
		return "nothing tells"
	}
	own := o.Owner
	for _, k := range kin {
		own.Namespace = cmp.Or(own.Namespace, k.Owner.Namespace)
		own.Pod = cmp.Or(own.Pod, k.Owner.Pod)
		own.PodUID = cmp.Or(own.PodUID, k.Owner.PodUID)
		own.Netns = cmp.Or(own.Netns, k.Owner.Netns)
	}
	var parts []string
	if own.Pod != "" {
		parts = append(parts, fmt.Sprintf("pod %s/%s", own.Namespace, own.Pod))
	}
	for _, f := range []struct{ name, value string }{
		{"UID", own.PodUID}, {"network", own.Network}, {"interface", own.Interface},
		{"IPs", strings.Join(own.IPs, " ")}, {"network namespace", own.Netns}, {"sandbox", own.Sandbox},
	} {
		if f.value != "" {
			parts = append(parts, f.name+" "+f.value)
		}
	}
	return strings.Join(parts, ", ")
}

func trail(b *strings.Builder, x observe.Explanation) {
	b.WriteString("\nRules (each can only keep)\n")
	for _, s := range x.Trail {
		mark := "·"
		if s.Keeps {
			mark = "KEPT:"
		}
		entry(b, s.Rule, mark+" "+s.Text)
	}
	if x.Decision.Verdict == hostgc.Garbage {
		entry(b, hostgc.RuleAbsent, "no rule kept it")
	}
}

func heard(b *strings.Builder, x observe.Explanation) {
	b.WriteString("\nWitnesses\n")
	for _, t := range x.Hearing.Testimonies {
		if t.Mute() {
			entry(b, t.Witness, "MUTE: "+t.Err)
			continue
		}
		said := "says nothing of it"
		for _, c := range t.Claims {
			if slices.Contains(x.Decision.Object.Refs, c.Ref) {
				said = fmt.Sprintf("says that %s is alive: %s", c.Ref, c.Detail)
				break
			}
		}
		entry(b, t.Witness, fmt.Sprintf("heard at %s: %s; %s", t.At.UTC().Format("15:04:05"), t.Says, said))
	}
}

func cause(b *strings.Builder, o hostgc.Object) {
	d, ok := hostgc.Diagnose(o.Cause)
	if !ok {
		return
	}
	b.WriteString("\nWhy it leaked\n")
	entry(b, "cause", o.Cause+": "+d.What)
	if d.Cure != "" {
		entry(b, "cure", d.Cure)
	}
}

func nextStep(d hostgc.Decision, mode hostgc.Mode) string {
	switch {
	case d.Verdict == hostgc.Garbage && mode == hostgc.ModeEnforce:
		return "hostgc sweep removes it, after a second look"
	case d.Verdict == hostgc.Garbage:
		return "nothing is removed: this kind's mode is " + string(mode)
	case d.Verdict == hostgc.Live:
		return "nothing: it is in use"
	case d.Verdict == hostgc.Young:
		return "nothing: wait until it is old enough, then look again"
	case d.Rule() == hostgc.RuleUnheard || d.Rule() == hostgc.RuleUnproven:
		return "hostgc check says what keeps hostgc from judging here, and the cure"
	}
	return "look at the file yourself; hostgc never removes what it does not understand"
}

// StoryDocument is a story for programs.
type StoryDocument struct {
	Decision
	File      hostgc.Identity `json:"file"`
	Rules     []hostgc.Step   `json:"rules"`
	Kin       []string        `json:"kin"`
	Witnesses []Witness       `json:"witnesses"`
	Cure      string          `json:"cure,omitempty"`
}

// NewStory gives the written form of an explanation.
func NewStory(x observe.Explanation) StoryDocument {
	s := StoryDocument{
		Decision: NewDecision(x.Decision, sweep.Outcome{}), File: x.Decision.Object.ID,
		Rules: x.Trail, Witnesses: Witnesses(x.Hearing), Kin: []string{},
	}
	for _, k := range x.Kin {
		s.Kin = append(s.Kin, k.Path())
	}
	d, _ := hostgc.Diagnose(x.Decision.Object.Cause)
	s.Cure = d.Cure
	return s
}
