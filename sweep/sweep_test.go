package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/fakenode"
	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/sweep"
)

// result notes what a pass did.
type result map[string]sweep.Outcome

func (result) Hear(hostgc.Hearing) error { return nil }

func (r result) Decide(d hostgc.Decision, done sweep.Outcome) error {
	if d.Verdict == hostgc.Garbage {
		r[d.Object.Path()] = done
	}
	return nil
}

func options() sweep.Options {
	return sweep.Options{Modes: map[string]hostgc.Mode{"fake": hostgc.ModeEnforce},
		Plan: hostgc.NewPlan(nil), Log: slog.New(slog.DiscardHandler)}
}

// twice sweeps, and does what is given between the two looks.
func twice(t *testing.T, f *fakenode.Fake, opts sweep.Options, between func()) result {
	t.Helper()
	r := result{}
	wait := func(context.Context, time.Duration) error { between(); return nil }
	if err := sweep.Twice(t.Context(), f.Node, time.Minute, wait, opts, sweep.Ignore{}, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func nothing() {}

func left(t *testing.T, f *fakenode.Fake) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.Root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantLeft(t *testing.T, f *fakenode.Fake, want ...string) {
	t.Helper()
	if got := left(t, f); !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
}

func running(t *testing.T, names ...string) *fakenode.Fake {
	f := fakenode.New(t)
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1")
	for _, n := range names {
		f.Write("a/" + n)
	}
	return f
}

func TestSweepRemovesWhatIsGarbageTwice(t *testing.T) {
	f := running(t, "gone.1", "gone.2", "foreign")
	r := twice(t, f, options(), nothing)
	wantLeft(t, f, "foreign", "up.1")
	for path, done := range r {
		if !done.Removed || done.Kept != "" || done.Err != nil {
			t.Errorf("%s: %+v", path, done)
		}
	}
}

// Law 5. Each row makes the two looks differ, and the object stays.
func TestWhatIsGarbageOnceStays(t *testing.T) {
	path := func(f *fakenode.Fake) string { return filepath.Join(f.Root, "a/gone.1") }
	for _, c := range []struct {
		name    string
		between func(t *testing.T, f *fakenode.Fake)
		left    []string
	}{
		{"its sandbox appears", func(_ *testing.T, f *fakenode.Fake) { f.Listed["gone"] = hostgc.StateNotReady }, []string{"gone.1", "up.1"}},
		{"the runtime falls silent", func(_ *testing.T, f *fakenode.Fake) { f.Broken["cri"] = errors.New("refused") }, []string{"gone.1", "up.1"}},
		{"the list becomes empty", func(_ *testing.T, f *fakenode.Fake) { clear(f.Listed) }, []string{"gone.1", "up.1"}},
		{"its content changes", func(t *testing.T, f *fakenode.Fake) {
			if err := os.WriteFile(path(f), []byte("again"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"gone.1", "up.1"}},
		{"only its times change", func(t *testing.T, f *fakenode.Fake) {
			if err := os.Chtimes(path(f), time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}, []string{"gone.1", "up.1"}},
		{"it is made anew", func(t *testing.T, f *fakenode.Fake) {
			if err := os.Rename(path(f), path(f)+".old"); err != nil {
				t.Fatal(err)
			}
			f.Write("a/gone.1")
		}, []string{"gone.1", "gone.1.old", "up.1"}},
		{"another appears", func(_ *testing.T, f *fakenode.Fake) { f.Write("a/gone.2") }, []string{"gone.2", "up.1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := running(t, "gone.1")
			twice(t, f, options(), func() { c.between(t, f) })
			wantLeft(t, f, c.left...)
		})
	}
}

// An owner that is replaced while the second look is made: the inode is
// compared once more just before the removal.
func TestReplacedWhileJudged(t *testing.T) {
	f := running(t, "gone.1")
	asked := 0
	f.Inspect = func(o *hostgc.Object, _ []byte) {
		if asked++; asked == 2 { // read for the second time
			f.Write("a/new")
			if err := os.Rename(filepath.Join(f.Root, "a/new"), filepath.Join(f.Root, "a", o.Name)); err != nil {
				t.Error(err)
			}
		}
	}
	r := twice(t, f, options(), nothing)
	wantLeft(t, f, "gone.1", "up.1")
	if kept := r["/a/gone.1"].Kept; !strings.Contains(kept, "changed since it was judged") {
		t.Errorf("kept because %q", kept)
	}
}

func TestGoneBeforeItIsRemoved(t *testing.T) {
	f := running(t, "gone.1")
	asked := 0
	f.Inspect = func(o *hostgc.Object, _ []byte) {
		if asked++; asked == 2 {
			if err := os.Remove(filepath.Join(f.Root, "a", o.Name)); err != nil {
				t.Error(err)
			}
		}
	}
	if done := twice(t, f, options(), nothing)["/a/gone.1"]; done.Removed || done.Err != nil || !strings.Contains(done.Kept, "gone") {
		t.Errorf("%+v", done)
	}
}

func TestModesDryRunAndLimits(t *testing.T) {
	f := running(t, "gone.1", "gone.2", "gone.3")
	all := left(t, f)

	opts := options()
	opts.DryRun = true
	twice(t, f, opts, nothing)
	wantLeft(t, f, all...)

	opts = options()
	opts.Modes = map[string]hostgc.Mode{"fake": hostgc.ModeReport}
	r := twice(t, f, opts, nothing)
	wantLeft(t, f, all...)
	if kept := r["/a/gone.1"].Kept; !strings.Contains(kept, "report") {
		t.Errorf("kept because %q", kept)
	}

	opts = options()
	opts.Plan = hostgc.NewPlan(map[string]int{"fake": 2})
	twice(t, f, opts, nothing)
	if n := len(left(t, f)); n != 2 {
		t.Errorf("%d are left of 4 with a limit of 2", n)
	}
}

// The agent's cycles: what one condemned, the next removes, and what a limit
// left is removed by the one after.
func TestCycles(t *testing.T) {
	f := running(t, "gone.1", "gone.2")
	var earlier *hostgc.Condemned
	var counts []int
	for range 4 {
		opts := options()
		opts.Plan = hostgc.NewPlan(map[string]int{"fake": 1})
		next, err := sweep.Pass(t.Context(), f.Node, earlier, opts, result{})
		if err != nil {
			t.Fatal(err)
		}
		earlier = next
		counts = append(counts, len(left(t, f)))
	}
	if want := []int{3, 2, 1, 1}; !slices.Equal(counts, want) {
		t.Errorf("left after each cycle: %v, want %v", counts, want)
	}
}

// A mute witness is what stops a wait, too: nothing is removed when the
// waiting ends with the context.
func TestStoppedBetweenTheLooks(t *testing.T) {
	f := running(t, "gone.1")
	wait := func(context.Context, time.Duration) error { return context.Canceled }
	err := sweep.Twice(t.Context(), f.Node, time.Minute, wait, options(), sweep.Ignore{}, result{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantLeft(t, f, "gone.1", "up.1")
}

func TestNoWaitWithoutGarbage(t *testing.T) {
	f := running(t)
	twice(t, f, options(), func() { t.Error("waited although the first look found nothing") })
}

// The runtime says how long the wait must be at least.
func TestWaitIsAsLongAsTheRuntimeNeeds(t *testing.T) {
	f := running(t, "gone.1")
	terms := f.Terms
	for name, want := range map[string]time.Duration{"containerd": time.Minute, "cri-o": time.Hour} {
		f.Terms = func() (hostgc.Terms, error) {
			x, err := terms()
			x.Runtimes = []hostgc.Runtime{{Name: name, Up: 20 * time.Hour}}
			return x, err
		}
		wait := func(_ context.Context, d time.Duration) error {
			if d != want {
				t.Errorf("%s: waited %s, want %s", name, d, want)
			}
			return context.Canceled
		}
		if err := sweep.Twice(t.Context(), f.Node, time.Minute, wait, options(), sweep.Ignore{}, result{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A runtime that answers at the first hearing and is gone at the last has had
// its say: the wait is the one that it needs.
func TestWaitIsThatOfTheMostDemandingHearing(t *testing.T) {
	f := running(t, "gone.1", "gone.2")
	f.BatchSize = 1
	terms, asked := f.Terms, 0
	f.Terms = func() (hostgc.Terms, error) {
		x, err := terms()
		if asked++; asked == 1 {
			x.Runtimes = []hostgc.Runtime{{Name: "cri-o", Up: 20 * time.Hour}}
		}
		return x, err
	}
	wait := func(_ context.Context, d time.Duration) error {
		if d != time.Hour {
			t.Errorf("waited %s, want an hour", d)
		}
		return context.Canceled
	}
	if err := sweep.Twice(t.Context(), f.Node, time.Minute, wait, options(), sweep.Ignore{}, result{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if asked < 2 {
		t.Errorf("%d hearings: the test needs more", asked)
	}
}

// Every removal is logged with all by which other leftovers can be found.
func TestRemovalIsLogged(t *testing.T) {
	f := running(t, "gone.1")
	f.Inspect = func(o *hostgc.Object, _ []byte) {
		o.Owner = hostgc.Owner{Sandbox: "gone", Namespace: "ns", Pod: "web-0", Network: "net1", Interface: "eth0", IPs: []string{"10.1.2.3", "fd00::1"}}
	}
	var log bytes.Buffer
	opts := options()
	opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	twice(t, f, opts, nothing)
	for _, want := range []string{"removed", "kind=fake", "path=/a/gone.1", "network=net1", "sandbox=gone", "interface=eth0", "ips=10.1.2.3,fd00::1", "pod=ns/web-0"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %s:\n%s", want, log.String())
		}
	}
}

// Two hostgc never sweep at once; that another process is told apart from this
// one is tested in safefs.
func TestLock(t *testing.T) {
	f := running(t)
	f.Dir("b")
	unlock, err := sweep.Lock(t.Context(), f.Node)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sweep.Lock(t.Context(), f.Node)
	var held *safefs.HeldError
	if !errors.As(err, &held) || !strings.Contains(err.Error(), "another hostgc") {
		t.Errorf("the second lock: %v", err)
	}
	if !strings.Contains(fmt.Sprint(err), fmt.Sprint(os.Getpid())) {
		t.Errorf("it does not say who holds it: %v", err)
	}
	unlock()
	again, err := sweep.Lock(t.Context(), f.Node)
	if err != nil {
		t.Fatalf("after unlocking: %v", err)
	}
	again()
}
