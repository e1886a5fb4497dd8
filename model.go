package hostgc

import (
	"context"
	"time"
)

// Space is a name space of things that can be alive.
type Space string

// The spaces in which witnesses make claims.
const (
	SpaceSandbox Space = "sandbox" // a pod sandbox's ID: 64 lower-case hex digits, never reused
	SpacePod     Space = "pod"     // a pod's UID; for a static pod also its configuration hash
	SpaceNetns   Space = "netns"   // a bind-mounted network namespace, by its path under /run/netns
	SpaceMount   Space = "mount"   // a place where something is mounted, as "major:minor:path in that file system"
)

// Ref names one thing that can be alive.
type Ref struct {
	Space Space  `json:"space"`
	Key   string `json:"key"`
}

// String gives the reference as "space/key".
func (r Ref) String() string { return string(r.Space) + "/" + r.Key }

// Identity is what tells one inode's state from any other: if any of it has
// changed between judging and removing, the object is not the one judged.
type Identity struct {
	Dev   uint64    `json:"dev"`
	Ino   uint64    `json:"ino"`
	Mode  uint32    `json:"mode"` // as in st_mode, with the type bits
	Nlink uint32    `json:"nlink"`
	UID   uint32    `json:"uid"`
	Size  int64     `json:"size"`
	Alloc int64     `json:"alloc"` // bytes that removing it frees
	Mtime time.Time `json:"mtime"`
	Ctime time.Time `json:"ctime"`
}

// Stamp is the latest moment at which the inode was written or changed. Mtime
// alone can be set back by anyone who copies a file; ctime cannot.
func (id Identity) Stamp() time.Time {
	if id.Mtime.After(id.Ctime) {
		return id.Mtime
	}
	return id.Ctime
}

// Same reports whether two identities are the same inode in the same state.
func (id Identity) Same(other Identity) bool {
	return id.Dev == other.Dev && id.Ino == other.Ino && id.Mode == other.Mode &&
		id.Nlink == other.Nlink && id.UID == other.UID && id.Size == other.Size &&
		id.Mtime.Equal(other.Mtime) && id.Ctime.Equal(other.Ctime)
}

// Owner is what an object tells of the pod that it was made for. Every field
// may be empty: it is for people, and for the references taken from it.
type Owner struct {
	Sandbox   string   `json:"sandbox,omitempty"`
	Namespace string   `json:"namespace,omitempty"`
	Pod       string   `json:"pod,omitempty"`
	PodUID    string   `json:"podUID,omitempty"`
	Network   string   `json:"network,omitempty"`
	Interface string   `json:"interface,omitempty"`
	Netns     string   `json:"netns,omitempty"`
	IPs       []string `json:"ips,omitempty"`
}

// Object is one thing of a kind, as found on the host.
type Object struct {
	Kind string `json:"kind"`
	Dir  string `json:"dir"`  // the kind's directory, as a path on the host
	Name string `json:"name"` // the object's name below Dir

	ID    Identity `json:"id"`
	Refs  []Ref    `json:"refs,omitempty"`  // the first is its owner; any one alive keeps it; none: never garbage
	Holds []string `json:"holds,omitempty"` // reasons to keep it that the kind itself saw
	Flaw  string   `json:"flaw,omitempty"`  // why it was not understood: never garbage
	Cause string   `json:"cause,omitempty"` // what its shape tells of the leak: one of the Cause constants
	Owner Owner    `json:"owner"`
}

// Path is the object's path on the host.
func (o Object) Path() string { return o.Dir + "/" + o.Name }

// Claim is one witness's word that Ref is alive, or, where If is set, that
// Ref is alive if If is.
type Claim struct {
	Ref     Ref    `json:"ref"`
	If      Ref    `json:"if,omitzero"`
	Witness string `json:"witness"`
	Detail  string `json:"detail,omitempty"` // for people: what it is, in words that follow "alive:"
	State   State  `json:"state,omitempty"`  // of a sandbox, where the witness lists states
	PodUID  string `json:"podUID,omitempty"` // of a sandbox, the UID of the pod that it was made for
}

// State is a sandbox's state as the CRI lists it. A sandbox is alive in any
// state: as long as it is listed, a CNI DEL that needs its files may come.
type State string

// The states that matter: a ready sandbox serves as positive control.
const (
	StateReady    State = "ready"
	StateNotReady State = "notready"
)

// Witness is a source that knows what is alive.
type Witness struct {
	Name   string
	Speaks []Space // while it is mute, nothing in these is garbage
	Knows  []Space // complete: only here is absence a proof
	// Ask gives everything the source has to say, or an error. Part of an
	// answer may come with the error: it can only keep.
	Ask func(ctx context.Context) (Answer, error)
}

// Answer is what a witness says when it is asked.
type Answer struct {
	Claims []Claim
	Says   string // the answer in a phrase, for people: "5 sandboxes, 12 containers"
}

// Testimony is what one witness said at one hearing, or why it was mute.
type Testimony struct {
	Witness string    `json:"name"`
	Speaks  []Space   `json:"speaks,omitempty"` // while it is mute, nothing in these is garbage
	Knows   []Space   `json:"knows,omitempty"`  // its list is complete: only here is absence a proof
	At      time.Time `json:"at"`
	Claims  []Claim   `json:"claims,omitempty"`
	Says    string    `json:"says,omitempty"`  // its answer in a phrase, for people: "5 sandboxes, 12 containers"
	Err     string    `json:"error,omitempty"` // why it was mute
}

// Mute reports whether the witness gave no answer.
func (t Testimony) Mute() bool { return t.Err != "" }

// Verdict is what the judge says of an object.
type Verdict string

// The verdicts. Only garbage may be removed.
const (
	Live    Verdict = "live"    // a witness claims it
	Young   Verdict = "young"   // its owner may be too new to be listed
	Unknown Verdict = "unknown" // not understood, or not to be judged now
	Garbage Verdict = "garbage" // no rule kept it, and its owner is proven absent
)

// Reason is one step of a decision: which rule, on whose word, in words.
type Reason struct {
	Rule    string    `json:"rule"`
	Witness string    `json:"witness,omitempty"`
	Ref     string    `json:"ref,omitempty"`
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
}

// Decision is the judge's verdict on one object and what it rests on.
type Decision struct {
	Object  Object
	Verdict Verdict
	Because []Reason
}

// Rule is the rule that decided: the one that kept the object, or RuleAbsent.
func (d Decision) Rule() string { return d.Because[0].Rule }
