package observe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// Explanation is the whole story of one object's verdict.
type Explanation struct {
	Decision hostgc.Decision
	Kind     hostgc.Kind
	Trail    []hostgc.Step // each rule that was asked, in order
	Kin      []hostgc.Object
	Hearing  hostgc.Hearing
}

// maxKin bounds how many other objects of the same owner are shown.
const maxKin = 20

// ErrNoPlace says that the path is in no directory that hostgc knows.
var ErrNoPlace = errors.New("not in a directory that hostgc knows")

// Explain judges one object by its host path and keeps every step. Other
// objects of the same owner are read as well: a delegates file does not say
// whose it is, the results of the same sandbox do.
func (n *Node) Explain(ctx context.Context, file string) (Explanation, error) {
	dir, name := path.Split(file)
	p, ok := n.Place(path.Clean(dir))
	if !ok {
		return Explanation{}, fmt.Errorf("%s: %w (%s)", file, ErrNoPlace, strings.Join(n.dirs(), ", "))
	}
	if !p.Dir.Exists(name) {
		return Explanation{}, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
	}
	h, err := n.hear(ctx, &control{node: n})
	if err != nil {
		return Explanation{}, err
	}
	x := Explanation{Kind: p.Kind, Hearing: h}
	t := newTrial(h, h.Bench(nil))
	if x.Kin, err = n.kin(ctx, t, p, name); err != nil {
		return x, err
	}
	o, d, ok := t.examine(p, name)
	if !ok {
		return x, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
	}
	x.Decision, x.Trail = d, t.bench.Trail(&p.Kind, o)
	return x, nil
}

// examine judges an object as a pass does, but reads it also where its name
// settles the case.
func (t *trial) examine(p *Place, name string) (hostgc.Object, hostgc.Decision, bool) {
	var f file
	t.reader.read(entry{place: p, name: name, typ: unix.DT_UNKNOWN}, maxContent, nil, &f)
	d := t.judge(&f)
	if byName, settled := t.bench.Spare(&p.Kind, p.Dir.Path(), name); settled {
		byName.Object = d.Object
		d = byName
	}
	return d.Object, d, !f.absent()
}

// kin reads the other objects of the owner that the name tells.
func (n *Node) kin(ctx context.Context, t *trial, self *Place, name string) ([]hostgc.Object, error) {
	owner, ours := self.Kind.Owner(name)
	if !ours {
		return nil, nil
	}
	var kin []hostgc.Object
	for i := range n.Places {
		p := &n.Places[i]
		for e, err := range p.Dir.Entries(ctx) {
			if err != nil {
				return kin, fmt.Errorf("looking for other files of %s in %s: %w", owner, p.Dir.Path(), err)
			}
			ref, ok := p.Kind.Owner(e.Name)
			if !ok || ref != owner || p == self && e.Name == name || e.Type == unix.DT_DIR || len(kin) == maxKin {
				continue
			}
			if o, _, there := t.examine(p, e.Name); there {
				kin = append(kin, o)
			}
		}
	}
	return kin, nil
}

func (n *Node) dirs() []string {
	var dirs []string
	for _, p := range n.Places {
		dirs = append(dirs, p.Dir.Path())
	}
	return dirs
}
