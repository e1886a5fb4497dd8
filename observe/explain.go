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
	r := &reader{bench: h.Bench(nil), mounts: hasMounts(h)}
	if x.Kin, err = n.kin(ctx, r, p, name); err != nil {
		return x, err
	}
	o, d, ok := r.examine(p, name)
	if !ok {
		return x, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
	}
	x.Decision, x.Trail = d, r.bench.Trail(&p.Kind, o)
	return x, nil
}

// examine judges an object like look, but reads it also where its name would
// settle the case.
func (r *reader) examine(p *Place, name string) (hostgc.Object, hostgc.Decision, bool) {
	d, ok := r.look(entry{p, name, unix.DT_UNKNOWN})
	if !ok {
		return d.Object, d, false
	}
	o := d.Object
	if len(o.Refs) > 0 && o.ID.Ino == 0 {
		r.inspect(entry{p, name, unix.DT_UNKNOWN}, &o)
		d.Object = o
	}
	return o, d, true
}

// kin reads the other objects of the owner that the name tells.
func (n *Node) kin(ctx context.Context, r *reader, self *Place, name string) ([]hostgc.Object, error) {
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
			if o, _, there := r.examine(p, e.Name); there {
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
