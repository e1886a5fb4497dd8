package hostgc

import (
	"fmt"
	"strings"
	"time"
)

// The rules of the judge, in the order in which they are asked. Each can only
// keep. RuleAbsent stands for the evidence on which garbage rests.
const (
	RuleOutside   = "outside"   // not a name that the kind may ever remove
	RuleFlawed    = "flawed"    // not understood
	RuleAnonymous = "anonymous" // names no owner
	RuleHeld      = "held"      // the kind itself saw a reason to keep it
	RuleClaimed   = "claimed"   // a witness says that something it refers to is alive
	RuleUnheard   = "unheard"   // a witness that would have to be asked is mute or missing
	RuleUnproven  = "unproven"  // the positive control does not cover it
	RuleYoung     = "young"     // its owner may be too new to be listed
	RuleSettling  = "settling"  // the node or its runtime is not up for long enough
	RuleAbsent    = "absent"
)

// rule is one reason to keep. ask says whether it keeps the object and why;
// clear tells, for who asks, what it saw where it does not. They are apart
// because the judge asks a million times and explains once.
type rule struct {
	name  string
	keep  Verdict
	ask   func(b *Bench, k *Kind, o *Object) (Reason, bool)
	clear func(b *Bench, k *Kind, o *Object) string
}

var rules = []rule{
	{RuleOutside, Unknown, outside, func(_ *Bench, k *Kind, _ *Object) string {
		return "the name is of the shape " + k.Names
	}},
	{RuleFlawed, Unknown, flawed, says("name, file and content were understood")},
	{RuleAnonymous, Unknown, anonymous, func(_ *Bench, _ *Kind, o *Object) string {
		return "it belongs to " + o.Refs[0].String()
	}},
	{RuleHeld, Unknown, held, says("its kind sees no reason to keep it")},
	{RuleClaimed, Live, claimed, says("no witness claims anything that it refers to")},
	{RuleUnheard, Unknown, unheard, says("every witness that it needs was heard")},
	{RuleUnproven, Unknown, unproven, proven},
	{RuleYoung, Young, young, oldEnough},
	{RuleSettling, Young, settling, settled},
}

func says(text string) func(*Bench, *Kind, *Object) string {
	return func(*Bench, *Kind, *Object) string { return text }
}

// Judge gives the verdict on one object. It is a pure function.
func (b *Bench) Judge(k *Kind, o Object) Decision {
	b.judged = o // rules are values, so a pointer to o would be an allocation for each of a million files
	for _, r := range rules {
		if reason, keeps := r.ask(b, k, &b.judged); keeps {
			return Decision{Object: o, Verdict: r.keep, Because: []Reason{b.complete(r, reason)}}
		}
	}
	return Decision{Object: o, Verdict: Garbage, Because: b.Index.absence}
}

// Step is one rule's answer about an object.
type Step struct {
	Reason
	Keeps bool `json:"keeps"`
}

// Trail asks the rules one by one up to the one that keeps the object, or all.
func (b *Bench) Trail(k *Kind, o Object) []Step {
	var steps []Step
	for _, r := range rules {
		reason, keeps := r.ask(b, k, &o)
		if !keeps {
			reason = Reason{Text: r.clear(b, k, &o)}
		}
		steps = append(steps, Step{b.complete(r, reason), keeps})
		if keeps {
			break
		}
	}
	return steps
}

func (b *Bench) complete(r rule, reason Reason) Reason {
	reason.Rule = r.name
	if reason.At.IsZero() {
		reason.At = b.Terms.Now
	}
	return reason
}

func outside(_ *Bench, k *Kind, o *Object) (Reason, bool) {
	if k.Match(o.Name) {
		return Reason{}, false
	}
	return Reason{Text: "foreign: the name is not of the shape " + k.Names}, true
}

func flawed(_ *Bench, _ *Kind, o *Object) (Reason, bool) {
	return Reason{Text: o.Flaw}, o.Flaw != ""
}

func anonymous(_ *Bench, _ *Kind, o *Object) (Reason, bool) {
	return Reason{Text: "nothing tells whose it is"}, len(o.Refs) == 0
}

func held(_ *Bench, _ *Kind, o *Object) (Reason, bool) {
	return Reason{Text: strings.Join(o.Holds, "; ")}, len(o.Holds) > 0
}

func claimed(b *Bench, _ *Kind, o *Object) (Reason, bool) {
	for _, ref := range o.Refs {
		if c, ok := b.Index.Alive(ref); ok && ref.Space != SpacePod {
			return claim(c), true
		}
	}
	if !b.needsPods(o) {
		return Reason{}, false
	}
	for _, ref := range o.Refs[1:] {
		if c, ok := b.Index.Alive(ref); ok && ref.Space == SpacePod {
			return claim(c), true
		}
	}
	c, ok := b.Index.Alive(podOf(o.Refs[0]))
	if !ok {
		return Reason{}, false
	}
	return claim(c), true
}

func claim(c Claim) Reason {
	return Reason{Witness: c.Witness, Ref: c.Ref.String(), Text: c.Detail}
}

// needsPods: a pod's UID outlives a reboot, its sandbox does not. So what is
// older than the boot is not kept for the sake of a pod that runs again.
func (b *Bench) needsPods(o *Object) bool { return !b.Terms.beforeBoot(o.ID.Stamp()) }

func unheard(b *Bench, _ *Kind, o *Object) (Reason, bool) {
	for _, ref := range o.Refs {
		if t, ok := b.Index.Mute(ref.Space); ok && ref.Space != SpacePod {
			return mute(t, ref), true
		}
	}
	// Not every file names its pod, but every sandbox has one.
	if t, ok := b.Index.Mute(SpacePod); ok && b.needsPods(o) {
		return mute(t, o.Refs[0]), true
	}
	if !b.Index.Knows(o.Refs[0].Space) {
		return Reason{Ref: o.Refs[0].String(),
			Text: fmt.Sprintf("no witness was heard that knows every %s of this node", o.Refs[0].Space)}, true
	}
	return Reason{}, false
}

func mute(t Testimony, ref Ref) Reason {
	return Reason{Witness: t.Witness, Ref: ref.String(), At: t.At,
		Text: fmt.Sprintf("witness %s is mute: %s", t.Witness, t.Err)}
}

func unproven(b *Bench, _ *Kind, o *Object) (Reason, bool) {
	scope, why := b.Controls[o.Dir].Scope()
	covered := scope == ScopeAll || scope == ScopeOld && b.Terms.older(o.ID.Stamp())
	return Reason{Witness: "control", Text: why}, !covered
}

func proven(b *Bench, _ *Kind, o *Object) string {
	scope, why := b.Controls[o.Dir].Scope()
	if scope == ScopeAll {
		return "the runtime's list is this node's, and running sandboxes have their entries in this directory"
	}
	return "it is older than the boot or the runtime's start; " + why
}

// forgotten reports whether the object is from before the boot, and every
// runtime has been ready for long enough to have listed its owner if it had
// one. Then no creation, no process and no CNI DEL can be on its way, and
// waiting longer would only prolong an outage. Where the operator asked for a
// longer wait than the default, that is honoured all the same.
func (b *Bench) forgotten(k *Kind, o *Object) bool {
	if b.minimumAge(k) > DefaultAge || !b.Terms.beforeBoot(o.ID.Stamp()) || len(b.Terms.Runtimes) == 0 {
		return false
	}
	for _, r := range b.Terms.Runtimes {
		if r.Name != "containerd" || r.upFor(b.Terms.Now) < containerdReady {
			return false
		}
	}
	return true
}

func (b *Bench) minimumAge(k *Kind) time.Duration {
	if b.Terms.Age > 0 {
		return b.Terms.Age
	}
	return k.Age
}

func young(b *Bench, k *Kind, o *Object) (Reason, bool) {
	age, need := b.Terms.Now.Sub(o.ID.Stamp()), b.minimumAge(k)
	switch {
	case age < 0:
		return Reason{Text: fmt.Sprintf("its time stamp %s is in the future: the clock was set back, or --now is too early",
			o.ID.Stamp().UTC().Format(time.RFC3339))}, true
	case age < need && !b.forgotten(k, o):
		return Reason{Text: fmt.Sprintf("it was changed %s ago, and a sandbox that new may not be listed yet (minimum age %s)",
			age.Round(time.Second), need)}, true
	}
	return Reason{}, false
}

func oldEnough(b *Bench, k *Kind, o *Object) string {
	if b.forgotten(k, o) {
		return "it is older than the boot, and the runtime has been ready for five minutes without listing its owner"
	}
	return fmt.Sprintf("it was last changed %s ago (minimum age %s)",
		b.Terms.Now.Sub(o.ID.Stamp()).Round(time.Second), b.minimumAge(k))
}

func settling(b *Bench, k *Kind, o *Object) (Reason, bool) {
	need := b.minimumAge(k)
	if b.Terms.Offline || b.forgotten(k, o) {
		return Reason{}, false
	}
	if b.Terms.Uptime < need {
		return Reason{Text: fmt.Sprintf("the node is up for %s only (minimum %s)", b.Terms.Uptime.Round(time.Second), need)}, true
	}
	for _, r := range b.Terms.Runtimes {
		if up := r.upFor(b.Terms.Now); up < need {
			return Reason{Witness: "cri", Text: fmt.Sprintf("%s at %s is up for %s only (minimum %s)", r.Name, r.Endpoint, up.Round(time.Second), need)}, true
		}
	}
	return Reason{}, false
}

func settled(b *Bench, k *Kind, o *Object) string {
	if b.Terms.Offline || b.forgotten(k, o) {
		return "nothing is being created that it could belong to"
	}
	return fmt.Sprintf("the node and its runtime are up for longer than %s", b.minimumAge(k))
}
