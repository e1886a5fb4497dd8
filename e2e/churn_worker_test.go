package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hostgc/hostgc/e2e/bed"
)

// tally counts what a worker did.
type tally struct{ made, deleted, forced, early, torn int }

func (t *tally) add(o tally) {
	t.made += o.made
	t.deleted += o.deleted
	t.forced += o.forced
	t.early += o.early
	t.torn += o.torn
}

// worker makes and deletes one pod after the other. Several at once are as many
// as a node of two cores takes.
type worker struct {
	id      int
	rng     *rand.Rand
	cluster *bed.Cluster
	ledger  *bed.Ledger
	tally
}

// run works until stop is closed. The pod that it has then stays, to show that
// what lived through the chaos works.
func (w *worker) run(t *testing.T, stop <-chan struct{}) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("churn-%d-%d", w.id, n)
		if err := w.cluster.MakePod(name); err != nil {
			t.Errorf("make pod %s: %v", name, err)
			return
		}
		w.made++
		f := w.fate()
		if stopped := w.live(name, f.early, stop); stopped {
			return
		}
		if err := w.end(name, f); err != nil {
			t.Errorf("delete pod %s: %v", name, err)
			return
		}
		if f.other {
			w.endOther()
		}
	}
}

// fate is how a pod ends.
type fate struct {
	early              time.Duration // it is deleted so long after it was made, ready or not; 0: when it is ready
	force, torn, other bool          // other: a controller's pod goes as well
}

// fate draws always as many numbers, so that what a pod meets does not depend on
// how the ones before it fared.
func (w *worker) fate() fate {
	early, chance := time.Duration(w.rng.Int64N(int64(3*time.Second))), w.rng.IntN(100)
	f := fate{force: w.rng.IntN(100) < 20, torn: w.rng.IntN(100) < 30, other: w.rng.IntN(100) < 15}
	if chance < 25 {
		f.early = early
	}
	return f
}

// live waits until the pod's time has come.
func (w *worker) live(name string, early time.Duration, stop <-chan struct{}) (stopped bool) {
	limit := 2 * time.Minute
	if early > 0 {
		limit = early
	}
	for end := time.Now().Add(limit); time.Now().Before(end); {
		select {
		case <-stop:
			return true
		case <-time.After(250 * time.Millisecond):
		}
		if early == 0 && w.cluster.PodReady(name) {
			return false
		}
	}
	w.early++
	return false
}

func (w *worker) end(name string, f fate) error {
	if f.torn && w.ledger.Tear(name) {
		w.torn++
	}
	if err := w.cluster.UnmakePod(name, f.force); err != nil {
		return err
	}
	w.deleted++
	if f.force {
		w.forced++
	}
	w.cluster.ForgetStopped(name)
	return nil
}

// endOther deletes a pod of web or db; its controller makes another.
func (w *worker) endOther() {
	names := w.cluster.OwnedPods()
	if len(names) == 0 {
		return
	}
	if err := w.cluster.UnmakePod(names[w.rng.IntN(len(names))], false); err == nil || strings.Contains(err.Error(), "still there") {
		w.deleted++
	}
}
