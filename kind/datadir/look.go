package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/hostgc/hostgc"
)

// View is one look at a data directory: what is there, what was heard, and
// what became of it.
type View struct {
	Kind    hostgc.Kind
	Dir     string // the directory of the versions, as a path on the host
	At      time.Time
	Current string // the name of the directory that runs; "": not known

	Trees     []*Tree
	Hearing   hostgc.Hearing
	Decisions []hostgc.Decision // one for each tree, in the same order
	uses      []told
	holds     map[string][]string
	bench     *hostgc.Bench
}

// told is a use and what is told of it.
type told struct {
	Use
	pod   Pod
	words string
}

// Look lists the directories, then hears every source, and judges. The error
// is that of the listing, of wrong options, or the end of ctx; a source that
// cannot be read is a mute witness, and keeps everything.
func Look(ctx context.Context, p Product, dataDir string, o Options) (View, error) {
	done, err := o.fill(p, dataDir)
	if err != nil {
		return View{}, err
	}
	defer done()
	return look(ctx, p, dataDir, &o, "", "")
}

// look looks at all directories. aside is the name that the remover has given
// to one of them, whose own name is name; "": to none.
func look(ctx context.Context, p Product, dataDir string, o *Options, name, aside string) (View, error) {
	dir := DataOf(dataDir)
	v := View{Kind: p.KindOf(dataDir), Dir: dir, At: o.Now()}
	real, err := newPaths(o.Root).resolve(dir)
	if err != nil {
		return v, fmt.Errorf("looking for %s: %w", dir, err)
	}
	if v.Trees, err = Trees(ctx, o.Root, p, dir); err != nil {
		return v, err
	}
	if aside != "" {
		t, err := readTree(ctx, o.Root, p, dir, real, name, aside)
		if err != nil {
			return v, err
		}
		v.Trees = slices.DeleteFunc(v.Trees, func(t *Tree) bool { return t.Name == name })
		v.Trees = append(v.Trees, t)
	}
	v.Hearing.Terms = hostgc.Terms{
		// Right after a boot is the safest moment: nothing runs from an old
		// directory yet. So only age matters, and how long the node is up does not.
		Now: v.At, Age: o.Age, Offline: true,
	}
	s := newSearch(newHost(o), p, dataDir, real, v.Trees)
	if len(s.trees) == 0 {
		v.sentence(s, nil, hostgc.Control{}, nil)
		return v, nil // nothing that could be removed: nobody has to be asked
	}
	testimonies, err := s.hear(ctx, o)
	if err != nil {
		return v, fmt.Errorf("looking for what uses the directories in %s: %w", dir, err)
	}
	v.Hearing.Testimonies = testimonies
	v.judge(s, o)
	return v, nil
}

func newHost(o *Options) host {
	h := host{root: o.Root, proc: o.Proc, now: o.Now()}
	if h.proc == nil {
		return h
	}
	// A recorded /proc has no link to the process that reads it.
	_, err := fs.Lstat(h.proc, "self")
	h.live = err == nil || !missing(err)
	return h
}

// judge finds what holds the directories, and gives the verdicts.
func (v *View) judge(s *search, o *Options) {
	muted := slices.ContainsFunc(v.Hearing.Testimonies, hostgc.Testimony.Mute)
	holds, control, running, err := s.holds(o.Retain, muted)
	if err != nil {
		v.Hearing.Testimonies = append(v.Hearing.Testimonies, hostgc.Testimony{
			Witness: "supervisor", Speaks: []hostgc.Space{SpaceTree}, At: v.At, Err: err.Error(),
		})
	}
	v.sentence(s, holds, control, running)
}

func (v *View) sentence(s *search, holds map[*Tree][]string, control hostgc.Control, running *Tree) {
	if running != nil {
		v.Current = running.Name
	}
	v.Hearing.Controls = map[string]hostgc.Control{v.Dir: control}
	v.bench = v.Hearing.Bench(nil)
	v.holds = map[string][]string{}
	for _, t := range v.Trees {
		object := t.object(v.Kind.Name)
		v.holds[t.Name] = holds[t]
		if _, used := v.bench.Index.Alive(object.Refs[0]); !used {
			object.Holds = holds[t] // a use says more than that it is kept anyway
		}
		v.Decisions = append(v.Decisions, v.bench.Judge(&v.Kind, object))
	}
	for _, u := range s.uses {
		v.uses = append(v.uses, told{u, s.podOf(u), s.words(u)})
	}
}

// Trail gives each rule that was asked about a directory, in order.
func (v View) Trail(name string) []hostgc.Step {
	d, ok := v.Decision(name)
	if !ok {
		return nil
	}
	return v.bench.Trail(&v.Kind, d.Object)
}

// Decision gives what became of a directory by its name.
func (v View) Decision(name string) (hostgc.Decision, bool) {
	for _, d := range v.Decisions {
		if d.Object.Name == name {
			return d, true
		}
	}
	return hostgc.Decision{}, false
}

// ErrNoTree says that the path is none of a version.
var ErrNoTree = errors.New("not a directory of a version")

// Explain gives everything that keeps a directory, each in a line that an
// operator can act on: every use, not the first alone, then what keeps it
// though it is not used. It is given by its path on the host.
func (v View) Explain(file string) ([]string, error) {
	dir, name := path.Split(path.Clean(file))
	d, ok := v.Decision(name)
	if !ok || path.Clean(dir) != v.Dir {
		return nil, fmt.Errorf("%s: %w", file, ErrNoTree)
	}
	var lines []string
	for _, u := range v.uses {
		if u.Name == name {
			lines = append(lines, u.Source+": "+u.words)
		}
	}
	for _, h := range v.holds[name] {
		lines = append(lines, hostgc.RuleHeld+": "+h)
	}
	switch d.Rule() {
	case hostgc.RuleClaimed, hostgc.RuleHeld:
	default:
		for _, r := range d.Because {
			lines = append(lines, r.Rule+": "+r.Text)
		}
	}
	return lines, nil
}
