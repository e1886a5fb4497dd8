package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
)

// Options say how to judge and clean. The zero value is right for a program
// that runs on the host itself, and removes nothing.
type Options struct {
	// Mode: only ModeEnforce removes. "" is ModeReport.
	Mode hostgc.Mode
	// Retain is how many versions older than the current one stay: 0 is
	// DefaultRetain, RetainNone none. Newer ones always stay.
	Retain int
	// Age is how long nothing in a directory may have changed; 0 is DefaultAge.
	Age time.Duration
	// Settle is the time between the two looks; 0 is DefaultSettle.
	Settle time.Duration

	// Root is the host's file system and Proc its /proc, both with links
	// (fs.ReadLinkFS); nil: those of this machine. Only what Root gives is read,
	// so the zero Remover works on this machine alone.
	Root, Proc fs.FS

	// Runtimes asks containerd's API for its containers and sandboxes, in all
	// of its namespaces. nil: a copy of its database is read.
	Runtimes func(ctx context.Context) ([]RuntimeUse, error)
	// Remover takes directories away; nil: this machine's, by descriptors.
	Remover Remover
	// Keep says why the operator wants a directory kept, or nothing. nil keeps none.
	Keep func(o hostgc.Object) string

	// Now and Wait are the clock; nil: the real one.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
}

// RetainNone keeps no older version that is not in use.
const RetainNone = -1

// Remover removes directories of one data directory. Remove removes the one
// of that name if it is still the one judged, and if recheck, asked once it
// was set aside under another name, does not object. Resume goes on with what
// a crash left. *safefs.TreeRemover is one.
type Remover interface {
	Remove(ctx context.Context, name string, judged hostgc.Identity, recheck safefs.Recheck) (safefs.RemovedTree, error)
	Resume(ctx context.Context, recheck safefs.Recheck) ([]safefs.RemovedTree, error)
}

// fill puts the defaults in. Close what it returns.
func (o *Options) fill(p Product, dataDir string) (closeAll func(), err error) {
	if o.Retain == 0 {
		o.Retain = DefaultRetain
	}
	o.Retain = max(o.Retain, 0)
	if o.Age == 0 {
		o.Age = DefaultAge
	}
	if o.Settle == 0 {
		o.Settle = DefaultSettle
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Root == nil {
		return o.here(p, dataDir)
	}
	if o.Mode == hostgc.ModeEnforce && o.Remover == nil {
		return nil, errors.New("nothing can be removed from a file system that was only given to be read: no remover")
	}
	return func() {}, nil
}

// here takes the machine that the program runs on.
func (o *Options) here(p Product, dataDir string) (func(), error) {
	root, err := safefs.OpenRoot("/")
	if err != nil {
		return nil, err
	}
	closers := []func() error{root.Close}
	closeAll := func() {
		for _, c := range closers {
			_ = c() // nothing was written by it
		}
	}
	o.Root = root.FS()
	if o.Proc == nil {
		o.Proc = os.DirFS("/proc")
	}
	if o.Mode != hostgc.ModeEnforce || o.Remover != nil {
		return closeAll, nil
	}
	dir, err := root.OpenDir(DataOf(dataDir))
	if errors.Is(err, fs.ErrNotExist) {
		return closeAll, nil // there is nothing to remove from
	}
	if err != nil {
		closeAll()
		return nil, err
	}
	closers = append([]func() error{dir.Close}, closers...)
	remover, err := dir.TreeRemover(p.Trees())
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("removing from %s: %w", DataOf(dataDir), err)
	}
	o.Remover = remover
	return closeAll, nil
}

// Trees is what the remover has to know of a product.
func (p Product) Trees() safefs.Trees {
	return safefs.Trees{Match: p.Match, First: p.First, Lock: p.Lock}
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
