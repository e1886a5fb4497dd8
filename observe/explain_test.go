package observe_test

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/fakenode"
	"github.com/hostgc/hostgc/observe"
)

func TestExplain(t *testing.T) {
	f := fakenode.New(t)
	f.Dir("b")
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1", "b/up.1", "a/gone.1", "a/gone.2", "b/gone.1", "a/foreign")
	x, err := f.Explain(t.Context(), "/a/gone.1")
	if err != nil {
		t.Fatal(err)
	}
	if x.Decision.Verdict != hostgc.Garbage || x.Decision.Object.Cause == "" || len(x.Trail) == 0 || len(x.Hearing.Testimonies) == 0 {
		t.Errorf("%+v", x)
	}
	if len(x.Kin) != 2 || x.Kin[0].Path() != "/a/gone.2" || x.Kin[1].Path() != "/b/gone.1" {
		t.Errorf("kin are %+v", x.Kin)
	}
	live, err := f.Explain(t.Context(), "/a/up.1")
	if err != nil || live.Decision.Verdict != hostgc.Live {
		t.Fatalf("%v, %+v", err, live.Decision)
	}
	if live.Decision.Object.ID.Ino == 0 {
		t.Error("a live object is explained without a look at its file")
	}
	foreign, err := f.Explain(t.Context(), "/a/foreign")
	if err != nil || foreign.Decision.Verdict != hostgc.Unknown || foreign.Kin != nil {
		t.Errorf("%v, %+v", err, foreign)
	}
	if _, err := f.Explain(t.Context(), "/etc/passwd"); !errors.Is(err, observe.ErrNoPlace) || !strings.Contains(err.Error(), "/a, /b") {
		t.Errorf("got %v", err)
	}
	if _, err := f.Explain(t.Context(), "/a/not.there"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// What keeps an object by way of its kin is in its explanation as well.
func TestExplainLearnsFromKin(t *testing.T) {
	f := fakenode.New(t)
	netns := hostgc.Ref{Space: hostgc.SpaceNetns, Key: "/run/netns/x"}
	f.Listed["up"] = hostgc.StateReady
	f.Claims = []hostgc.Claim{{Ref: netns, Witness: "proc", Detail: "process 7 is in it"}}
	f.Inspect = func(o *hostgc.Object, content []byte) {
		if string(content) == "a/lost.1" {
			o.Refs = append(o.Refs, netns)
		}
	}
	f.Write("a/up.1", "a/lost.1", "a/lost.2")
	x, err := f.Explain(t.Context(), "/a/lost.2")
	if err != nil || x.Decision.Verdict != hostgc.Live {
		t.Errorf("%v, %+v", err, x.Decision)
	}
}

// recorder makes a recording of a node's pass.
func recording(t *testing.T, f *fakenode.Fake) string {
	t.Helper()
	var b bytes.Buffer
	r, err := observe.NewRecorder(&b, observe.Header{Node: "n", Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Pass(t.Context(), r), r.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func replay(t *testing.T, f *fakenode.Fake, recording string) (map[string]hostgc.Verdict, error) {
	t.Helper()
	got := map[string]hostgc.Verdict{}
	err := observe.Replay(strings.NewReader(recording), []hostgc.Kind{f.Places[0].Kind},
		func(h observe.Header, _ hostgc.Hearing) error {
			if h.Node != "n" {
				t.Errorf("the node is %q", h.Node)
			}
			return nil
		},
		func(d hostgc.Decision) error { got[d.Object.Name] = d.Verdict; return nil })
	return got, err
}

func TestReplayJudgesTheSame(t *testing.T) {
	f := fakenode.New(t)
	f.BatchSize = 2
	f.Listed["up"], f.Listed["down"] = hostgc.StateReady, hostgc.StateNotReady
	f.Write("a/up.1", "a/down.1", "a/gone.1", "a/foreign")
	s := pass(t, f)
	got, err := replay(t, f, recording(t, f))
	if err != nil {
		t.Fatal(err)
	}
	for path, d := range s.decisions {
		if got[d.Object.Name] != d.Verdict {
			t.Errorf("%s is %s, and %s in the replay", path, d.Verdict, got[d.Object.Name])
		}
	}
	if len(got) != len(s.decisions) {
		t.Errorf("%d decisions in the replay of %d", len(got), len(s.decisions))
	}
}

func TestReplayOfWhatIsNoRecording(t *testing.T) {
	f := fakenode.New(t)
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1")
	whole := recording(t, f)
	header, rest, _ := strings.Cut(whole, "\n")
	for _, c := range []struct{ name, in, says string }{
		{"empty", "", "empty"},
		{"not JSON", "hello", "line 1"},
		{"no header", rest, "header"},
		{"another format", strings.Replace(whole, `"format":1`, `"format":9`, 1), "format 9"},
		{"an object before any hearing", header + "\n" + `{"object":{"kind":"fake"}}`, "line 2"},
		{"an unknown kind", whole + `{"object":{"kind":"other","dir":"/a","name":"x"}}`, `kind "other"`},
		{"cut off", whole[:len(whole)-9], "line 3"},
		{"something else", header + "\n{}", "neither"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := replay(t, f, c.in); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want it to say %q", err, c.says)
			}
		})
	}
}
