package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
)

// maxContent is the most that is read of a file. The kubelet bounds a pod's
// annotations, the largest part of a cache entry, to 256 KiB.
const maxContent = 4 << 20

// reader turns listed names into judged objects.
type reader struct {
	bench  *hostgc.Bench
	mounts bool   // something is mounted somewhere below the places
	buf    []byte // reused from file to file
}

// look judges one entry. It reports false for what is no object: gone since
// it was listed, or a subdirectory, which belongs to another kind or to nobody.
func (r *reader) look(e entry) (hostgc.Decision, bool) {
	if e.typ == unix.DT_DIR {
		return hostgc.Decision{}, false
	}
	kind := &e.place.Kind
	o := hostgc.Object{Kind: kind.Name, Dir: e.place.Dir.Path(), Name: e.name}
	owner, ours := kind.Owner(e.name)
	if !ours {
		return r.bench.Judge(kind, o), true
	}
	o.Refs = []hostgc.Ref{owner}
	o.Owner.Sandbox = owner.Key
	if c, alive := r.bench.Index.Alive(owner); alive && c.State != hostgc.StateNotReady {
		return r.bench.Judge(kind, o), true
	}
	content, there := r.inspect(e, &o)
	if !there {
		return hostgc.Decision{}, false
	}
	r.bench.Learn(o)
	d := r.bench.Judge(kind, o)
	switch {
	case d.Verdict == hostgc.Garbage:
		d.Object.Cause = kind.Cause(o, content, e.place.Dir.Exists)
	case d.Verdict == hostgc.Live && o.ID.Size == 0 && kind.EmptyBlocks:
		d.Object.Cause = hostgc.CauseEmptyBlocking
	}
	return d, true
}

// inspect reads an object's file and lets its kind see it. It reports false
// for what is no object after all.
func (r *reader) inspect(e entry, o *hostgc.Object) ([]byte, bool) {
	p := e.place
	if e.typ != unix.DT_REG {
		if there, regular := identify(p, o); !regular {
			return nil, there
		}
	}
	id, content, err := p.Dir.Read(o.Name, maxContent, r.buf)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if cap(content) > cap(r.buf) {
		r.buf = content
	}
	o.ID = id
	if o.Flaw = flaw(id, err); o.Flaw != "" {
		return nil, true
	}
	p.Kind.Inspect(o, content)
	if r.mounts && p.Location != "" {
		// Unlinking it would detach what another mount namespace mounted on it.
		o.Refs = append(o.Refs, hostgc.Ref{Space: hostgc.SpaceMount, Key: p.Location + "/" + o.Name})
	}
	return content, true
}

// identify looks at what the directory does not call a regular file, without
// opening it: to open a device or a FIFO can have effects.
func identify(p *Place, o *hostgc.Object) (there, regular bool) {
	id, err := p.Dir.Identify(o.Name)
	var other *safefs.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &other) && id.Mode&unix.S_IFMT == unix.S_IFDIR:
		return false, false
	case err != nil:
		o.ID, o.Flaw = id, err.Error()
		return true, false
	}
	return true, true
}

// flaw says what keeps a file from being judged, whatever its kind.
func flaw(id hostgc.Identity, err error) string {
	switch {
	case errors.Is(err, safefs.ErrTooLarge):
		return fmt.Sprintf("it holds %d bytes, more than any file of its kind (limit %d)", id.Size, maxContent)
	case err != nil:
		return err.Error()
	case id.Nlink != 1:
		return fmt.Sprintf("it has %d hard links: something else keeps a name for it", id.Nlink)
	case id.UID != 0 && int(id.UID) != os.Geteuid():
		return fmt.Sprintf("it belongs to user %d, and not to root: no runtime or plugin wrote it", id.UID)
	}
	return ""
}
