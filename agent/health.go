package agent

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Health is whether the agent lives and can do its work.
type Health struct {
	Now func() time.Time

	mu    sync.Mutex
	alive time.Time // when the agent was last seen at work
	ended bool      // a cycle ended
	err   error     // of the latest cycle, or why it could not judge
}

// deadAfter is how long the agent may be silent: it says at least once a
// minute, and at each hearing of a cycle, that it lives. A hearing asks every
// witness, each of which has a minute, and judges 32,768 objects.
const deadAfter = 10 * time.Minute

// Beat says that the agent is at work.
func (h *Health) Beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.alive = h.Now()
}

// Ended says how a cycle ended.
func (h *Health) Ended(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended, h.err = true, err
}

// Healthz answers whether the process works: where it does not, a restart
// helps.
func (h *Health) Healthz(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if silent := h.Now().Sub(h.alive); silent > deadAfter {
		http.Error(w, fmt.Sprintf("no sign of life for %s", silent.Round(time.Second)), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// Readyz answers whether the latest cycle could do its work: so a roll-out with
// which no node can be judged stops at the first nodes.
func (h *Health) Readyz(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.ended:
		http.Error(w, "no cycle has ended yet", http.StatusServiceUnavailable)
	case h.err != nil:
		http.Error(w, "the latest cycle could not do its work: "+h.err.Error(), http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ok")
	}
}
