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

// reader reads files and lets their kinds see them. It judges nothing, and can
// be used from several goroutines.
type reader struct {
	mounts bool // something is mounted somewhere below the places
}

// file is an entry that was read.
type file struct {
	entry
	object  hostgc.Object
	content []byte // none of what has a flaw
	err     error
}

// read reads an entry of at most so many bytes, into buf if it is large enough.
func (r reader) read(e entry, most int64, buf []byte, f *file) {
	*f = file{entry: e, object: hostgc.Object{Kind: e.place.Kind.Name, Dir: e.place.Dir.Path(), Name: e.name}}
	owner, ours := e.place.Kind.Owner(e.name)
	if !ours {
		return
	}
	o := &f.object
	o.Refs = append(make([]hostgc.Ref, 0, usualRefs), owner)
	o.Owner.Sandbox = owner.Key
	if o.ID, f.content, f.err = e.load(most, buf); f.absent() {
		return
	}
	if o.Flaw = flaw(o.ID, f.err); o.Flaw != "" {
		return
	}
	e.place.Kind.Inspect(o, f.content)
	if r.mounts && e.place.Location != "" {
		// Unlinking it would detach what another mount namespace mounted on it.
		o.Refs = append(o.Refs, hostgc.Ref{Space: hostgc.SpaceMount, Key: e.place.Location + "/" + o.Name})
	}
}

// usualRefs are a sandbox, its network namespace, its pod and a mount.
const usualRefs = 4

// load takes identity and content. What the directory does not call a regular
// file is looked at first without opening it: to open a device or a FIFO can
// have effects.
func (e entry) load(most int64, buf []byte) (hostgc.Identity, []byte, error) {
	if e.typ != unix.DT_REG {
		if id, err := e.place.Dir.Identify(e.name); err != nil {
			return id, nil, err
		}
	}
	return e.place.Dir.Read(e.name, most, buf)
}

// absent reports whether there is no object after all: it is gone since it was
// listed, or a subdirectory, which belongs to another kind or to nobody.
func (f *file) absent() bool {
	if f.err == nil {
		return false
	}
	var other *safefs.NotRegularError
	directory := errors.As(f.err, &other) && f.object.ID.Mode&unix.S_IFMT == unix.S_IFDIR
	return directory || errors.Is(f.err, fs.ErrNotExist)
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
