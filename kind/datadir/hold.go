package datadir

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hostgc/hostgc"
)

// runs is what was found to run, and what is to.
type currency struct {
	link    *Tree  // where the product's first link leads
	running *Tree  // what runs
	why     string // why the positive control failed; "": it did not
}

// currency is the positive control: before it means anything that no reference
// to a directory was found, the references to the one that is certainly in use
// must have been. It runs, so a process was seen in it; it is current, so the
// link leads to it; and nothing runs from another one.
func (s *search) currency() (currency, error) {
	var c currency
	link := path.Join(s.dataDir, s.product.Current[0])
	var err error
	if c.link, err = s.currentTree(s.product.Current[0]); err != nil {
		return c, err
	}
	var boot time.Time
	if s.host.proc != nil {
		if boot, err = s.boot(); err != nil {
			return c, err
		}
	}
	var names []string
	for _, r := range s.runs {
		if r.tree == nil {
			continue
		}
		if r.daemon {
			c.running = r.tree
		}
		if !slices.Contains(names, r.tree.Name) {
			names = append(names, r.tree.Name)
		}
	}
	switch {
	case c.running == nil:
		c.why = "positive control failed: no containerd, kubelet, k3s or rke2 was seen to run from any directory here, so which version is in use is not known"
	case len(names) > 1:
		c.running = nil
		c.why = "positive control failed: programs of more than one version run (" + strings.Join(names, ", ") + "); an upgrade is not finished"
	case c.link == nil:
		c.why = fmt.Sprintf("positive control failed: the link %s leads to none of the directories here, though %s runs", link, c.running.Name)
	case c.link != c.running && !s.rolledBack(c, boot):
		c.why = fmt.Sprintf("positive control failed: %s leads to %s, but %s runs; an upgrade is not finished", link, c.link.Name, c.running.Name)
	case !s.usedBy(c.running, "processes") || !s.usedBy(c.link, "links"):
		c.why = "positive control failed: the search did not find what uses " + c.running.Name + ", which is current"
	}
	return c, nil
}

// rolledBack: where the link tells what was unpacked last, it stays behind when
// an older version is started again, which is not unpacked anew. That is so if
// what runs was started after the link's directory was complete; otherwise the
// newer one still waits for its start.
func (s *search) rolledBack(c currency, boot time.Time) bool {
	if s.product.Relinks || boot.IsZero() {
		return false
	}
	for _, r := range s.runs {
		if r.tree == c.running && (r.start == 0 || !boot.Add(time.Duration(r.start*float64(time.Second))).After(c.link.Newest)) {
			return false
		}
	}
	return true
}

func (s *search) usedBy(t *Tree, source string) bool {
	return slices.ContainsFunc(s.uses, func(u Use) bool { return u.Name == t.Name && u.Source == source })
}

// holds gives for each tree why it is kept though nothing uses it, and the
// control of the directory: whether anything may be called garbage in it.
//
// The supervisor's state holds all of them. A witness that is mute keeps them
// as well, and says more: then the control is not held against them.
func (s *search) holds(retain int, muted bool) (map[*Tree][]string, hostgc.Control, *Tree, error) {
	holds := map[*Tree][]string{}
	c, err := s.currency()
	if err != nil {
		return nil, hostgc.Control{}, nil, err
	}
	all, err := s.quiet()
	if err != nil {
		return nil, hostgc.Control{}, nil, err
	}
	if c.why != "" {
		all = append(all, c.why)
	}
	whole := slices.DeleteFunc(slices.Clone(s.trees), s.product.partial)
	kept := retained(whole, c.running, retain)
	for _, t := range s.trees {
		if !muted {
			holds[t] = append(holds[t], all...)
		}
		if why := kept[t]; why != "" {
			holds[t] = append(holds[t], why)
		}
		if !t.Version.Known() && strings.HasPrefix(t.Name, "v") {
			holds[t] = append(holds[t], "its version is not understood, so it cannot be told whether it is an old one")
		}
		if t.Newest.Before(firstRelease) {
			holds[t] = append(holds[t], "its time stamps are from before there was any such directory: they were written by a clock that was not set")
		}
	}
	control := hostgc.Control{}
	if len(all) == 0 {
		control = hostgc.Control{Listed: 1, Ready: 1, Here: true, Elsewhere: true}
	}
	return holds, control, c.running, nil
}

// firstRelease is when K3s was first released. RKE2 is younger.
var firstRelease = time.Date(2019, 2, 26, 0, 0, 0, 0, time.UTC)
