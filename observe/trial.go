package observe

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// trial judges the objects of one hearing.
type trial struct {
	bench  *hostgc.Bench
	reader reader
	beside neighbour
}

func newTrial(h hostgc.Hearing, bench *hostgc.Bench) *trial {
	return &trial{bench: bench, reader: reader{mounts: hasMounts(h)}}
}

// batch goes through a batch twice: first by the names, which settle most cases
// on a healthy node, then by the contents of those that are left.
func (t *trial) batch(ctx context.Context, batch []entry, v Visitor) error {
	unsettled := batch[:0]
	for _, e := range batch {
		if e.typ == unix.DT_DIR {
			continue // another kind's, or nobody's
		}
		d, settled := t.bench.Spare(&e.place.Kind, e.place.Dir.Path(), e.name)
		if !settled {
			unsettled = append(unsettled, e)
			continue
		}
		if err := v.Decide(e.place, d); err != nil {
			return err
		}
	}
	inDiskOrder(unsettled)
	for f := range t.reader.ahead(unsettled) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.absent() {
			continue
		}
		if err := v.Decide(f.place, t.judge(f)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// inDiskOrder sorts the entries of each place by inode, which is roughly the
// order in which inodes and contents lie on the disk. Places stay in order: see
// Node.Places.
func inDiskOrder(entries []entry) {
	for len(entries) > 0 {
		n := slices.IndexFunc(entries, func(e entry) bool { return e.place != entries[0].place })
		if n < 0 {
			n = len(entries)
		}
		slices.SortFunc(entries[:n], func(a, b entry) int { return cmp.Compare(a.ino, b.ino) })
		entries = entries[n:]
	}
}

// judge judges a file that was read.
func (t *trial) judge(f *file) hostgc.Decision {
	kind := &f.place.Kind
	t.bench.Learn(f.object)
	d := t.bench.Judge(kind, f.object)
	switch {
	case d.Verdict == hostgc.Garbage:
		d.Object.Cause = kind.Cause(f.object, f.content, func(rel string) bool { return t.beside.exists(f.place, rel) })
	case d.Verdict == hostgc.Live && f.object.ID.Size == 0 && kind.EmptyBlocks:
		d.Object.Cause = hostgc.CauseEmptyBlocking
	}
	return d
}

// neighbour remembers whether a file was beside the last object: in the order
// of the disk the objects of one owner follow each other.
type neighbour struct {
	place *Place
	rel   string
	there bool
}

func (n *neighbour) exists(p *Place, rel string) bool {
	if n.place != p || n.rel != rel {
		*n = neighbour{p, rel, p.Dir.Exists(rel)}
	}
	return n.there
}

func hasMounts(h hostgc.Hearing) bool {
	for _, t := range h.Testimonies {
		for _, c := range t.Claims {
			if c.Ref.Space == hostgc.SpaceMount {
				return true
			}
		}
	}
	return false
}
