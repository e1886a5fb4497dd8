package hostgc

import "time"

// Terms are the times of one hearing. The judge knows no clock: what it needs
// to know of time is here.
type Terms struct {
	Now time.Time     `json:"now"`
	Age time.Duration `json:"age"` // minimum age asked for, 0: each kind's own

	// Offline: the disk of a node that does not run, or a copy. Nothing is
	// being created there, so boot and uptime do not matter.
	Offline bool `json:"offline,omitempty"`

	Boot     time.Time     `json:"boot,omitzero"` // wall time of the boot: Now less Uptime
	Uptime   time.Duration `json:"uptime,omitempty"`
	Runtimes []Runtime     `json:"runtimes,omitempty"`
}

// Runtime is a container runtime that answered.
type Runtime struct {
	Name     string        `json:"name"` // as its Version call says: containerd, cri-o, docker
	Version  string        `json:"version"`
	Endpoint string        `json:"endpoint"`
	Started  time.Time     `json:"started"` // wall time at which it made its socket
	Up       time.Duration `json:"up"`      // how long its process has been up, by the boot clock; 0: not seen
}

// Steady reports whether the wall clock and the boot clock agree on when the
// runtime started. Then the wall clock was not set since, and what was created
// since has a stamp that can be compared with that moment. A node without a
// battery-backed clock boots in the past and jumps when it reaches a time
// server: what it created before the jump would pass for older than the boot.
func (r Runtime) Steady(now time.Time) bool {
	return r.Up > 0 && r.Started.Sub(now.Add(-r.Up)).Abs() <= clockSlack
}

// upFor is the runtime's uptime, by the socket's age where its process is not
// seen.
func (r Runtime) upFor(now time.Time) time.Duration {
	if r.Up > 0 {
		return r.Up
	}
	return now.Sub(r.Started)
}

// The waits of rule 5. A sandbox exists on disk before the runtime lists it.
const (
	// DefaultAge covers the longest creation seen: an ADD, then the pull of
	// the pause image, then the start, and only then is the sandbox listed.
	DefaultAge = 2 * time.Hour
	// MinimumAge covers CRI-O, which hides a sandbox that it removed while it
	// retries the CNI DEL for up to 57 minutes.
	MinimumAge = time.Hour
	// containerdReady is how long a containerd must have answered before what
	// it does not list from before the boot is taken as forgotten: it serves
	// lists only after it has recovered its sandboxes.
	containerdReady = 5 * time.Minute
	// clockSlack is how far two clocks, or one clock before and after it was
	// disciplined, may differ and still be taken as agreeing.
	clockSlack = time.Minute
)

// firstKubernetes: a stamp before Kubernetes' first commit was written by a
// clock that was not set.
var firstKubernetes = time.Date(2014, 6, 6, 0, 0, 0, 0, time.UTC)

// Apart is the least time between the two looks of a sweep for which the
// operator asked for settle. containerd lists a sandbox until its CNI DEL
// succeeded. CRI-O retries the DEL for up to 57 minutes after the sandbox left
// the list, and the files of a sandbox that is days old are needed until then:
// there only a second look an hour later shows that no DEL will come.
func (t Terms) Apart(settle time.Duration) time.Duration {
	for _, r := range t.Runtimes {
		if r.Name != "containerd" && settle < MinimumAge && !t.shortAge() {
			return MinimumAge
		}
	}
	return settle
}

// shortAge: the operator has cut the waits below what is safe.
func (t Terms) shortAge() bool { return t.Age > 0 && t.Age < MinimumAge }

// older reports whether a stamp is from before the boot or before the start
// of every runtime, as far as the clocks can be trusted.
func (t Terms) older(stamp time.Time) bool {
	return t.beforeBoot(stamp) || t.beforeRuntimes(stamp)
}

func (t Terms) beforeBoot(stamp time.Time) bool {
	return !t.Boot.IsZero() && stamp.Before(t.Boot.Add(-clockSlack)) && t.clockTrusted(stamp)
}

func (t Terms) beforeRuntimes(stamp time.Time) bool {
	if len(t.Runtimes) == 0 || !t.clockTrusted(stamp) {
		return false
	}
	for _, r := range t.Runtimes {
		if !stamp.Before(r.Started) {
			return false
		}
	}
	return true
}

func (t Terms) clockTrusted(stamp time.Time) bool {
	for _, r := range t.Runtimes {
		if !r.Steady(t.Now) {
			return false
		}
	}
	return stamp.After(firstKubernetes)
}
