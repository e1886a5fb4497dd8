// Package fakenode is a node for tests: a temporary directory and witnesses that
// say what they are told to, for the faults that real ones do not produce on
// demand.
package fakenode

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/observe"
)

// Fake is such a node. Its one kind names files by their owner's ID, "<id>.<n>".
type Fake struct {
	*observe.Node
	t    *testing.T
	Root string // the host's root directory

	Listed  map[string]hostgc.State // what the runtime lists
	Pod     map[string]string       // sandbox → pod UID, for the runtime's list
	API     []string                // UIDs that the API server lists
	Claims  []hostgc.Claim          // of /proc
	Broken  map[string]error        // witnesses that fail
	OnAsk   func()                  // what happens while the runtime is asked
	Asked   map[string]int          // how often each witness was asked
	Inspect func(o *hostgc.Object, content []byte)
}

// New gives a node that is up for long, with one empty directory, "/a".
func New(t *testing.T) *Fake {
	f := &Fake{t: t, Root: t.TempDir(), Listed: map[string]hostgc.State{}, Pod: map[string]string{},
		Broken: map[string]error{}, Asked: map[string]int{}, OnAsk: func() {}}
	f.Inspect = func(*hostgc.Object, []byte) {}
	f.Node = &observe.Node{
		Name: "n", Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Witnesses: []hostgc.Witness{
			f.witness("cri", f.sandboxes, hostgc.SpaceSandbox),
			f.witness("proc", func() []hostgc.Claim { return f.Claims }, hostgc.SpaceSandbox, hostgc.SpaceNetns),
		},
		// The files of the test are minutes old at most.
		Terms: func() (hostgc.Terms, error) {
			return hostgc.Terms{Now: time.Now().Add(3 * time.Hour), Boot: time.Now().Add(-24 * time.Hour), Uptime: 24 * time.Hour}, nil
		},
		HostNetwork: func(context.Context, []string) (map[string]bool, error) { return nil, nil },
		Containers:  func() []string { return nil },
		Sees:        func() bool { return true },
	}
	f.Dir("a")
	return f
}

func (f *Fake) witness(name string, say func() []hostgc.Claim, spaces ...hostgc.Space) hostgc.Witness {
	return hostgc.Witness{Name: name, Speaks: spaces, Knows: spaces[:1], Ask: func(context.Context) (hostgc.Answer, error) {
		f.Asked[name]++
		if name == "cri" {
			f.OnAsk()
		}
		return hostgc.Answer{Claims: say(), Says: "said"}, f.Broken[name]
	}}
}

func (f *Fake) sandboxes() []hostgc.Claim {
	var claims []hostgc.Claim
	for id, state := range f.Listed {
		claims = append(claims, hostgc.Claim{Ref: Sandbox(id), State: state, PodUID: f.Pod[id], Witness: "cri", Detail: id + " is listed"})
	}
	return claims
}

// WithAPI gives the node an API server, and takes the host's /proc from it.
func (f *Fake) WithAPI() {
	w := f.witness("kubeapi", func() []hostgc.Claim {
		var claims []hostgc.Claim
		for _, uid := range f.API {
			claims = append(claims, hostgc.Claim{Ref: hostgc.Ref{Space: hostgc.SpacePod, Key: uid}, Witness: "kubeapi", Detail: uid + " runs"})
		}
		return claims
	}, hostgc.SpacePod)
	w.Knows = nil
	f.Pods = &w
	f.PodsNeeded = true
	f.Witnesses = f.Witnesses[:1]
}

// Sandbox refers to a sandbox.
func Sandbox(id string) hostgc.Ref { return hostgc.Ref{Space: hostgc.SpaceSandbox, Key: id} }

// Dir adds a directory of the kind.
func (f *Fake) Dir(name string) {
	f.t.Helper()
	root, err := safefs.OpenRoot(f.Root)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(f.Root, name), 0o700); err != nil {
		f.t.Fatal(err)
	}
	d, err := root.OpenDir("/" + name)
	if err != nil {
		f.t.Fatal(err)
	}
	at, err := d.Location()
	if err != nil {
		f.t.Fatal(err)
	}
	f.Places = append(f.Places, observe.Place{Kind: f.kind(), Dir: d, Location: at})
	f.t.Cleanup(func() { _ = errors.Join(d.Close(), root.Close()) })
}

func (f *Fake) kind() hostgc.Kind {
	match := func(name string) bool { return strings.Contains(name, ".") }
	return hostgc.Kind{
		Name: "fake", Names: "<id>.<n>", Age: hostgc.DefaultAge, Mode: hostgc.ModeEnforce, Match: match, EmptyBlocks: true,
		Owner: func(name string) (hostgc.Ref, bool) {
			id, _, ok := strings.Cut(name, ".")
			return Sandbox(id), ok
		},
		Inspect: func(o *hostgc.Object, content []byte) { f.Inspect(o, content) },
		Cause:   func(hostgc.Object, []byte, func(string) bool) string { return hostgc.CauseUnknownToCRI },
	}
}

// Write makes files whose content is their path.
func (f *Fake) Write(names ...string) {
	f.t.Helper()
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(f.Root, n), []byte(n), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
}
