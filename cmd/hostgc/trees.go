package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/k3sdata"
	"github.com/hostgc/hostgc/kind/rke2data"
	"github.com/hostgc/hostgc/sweep"
)

// forest is one data directory of RKE2 or K3s: its versions are the objects.
type forest struct {
	product datadir.Product
	dataDir string // /var/lib/rancher/rke2
	kind    hostgc.Kind
	retain  int
}

func (f forest) dir() string { return datadir.DataOf(f.dataDir) }

func products() []datadir.Product {
	return []datadir.Product{rke2data.Product(), k3sdata.Product()}
}

// findTreeKinds applies the configuration to the kinds of data directories.
func (h *host) findTreeKinds() {
	for _, p := range products() {
		k := p.KindOf(p.DefaultDir)
		c := h.config.Kinds[k.Name]
		if c.Mode != "" {
			k.Mode = c.Mode
		}
		if c.MinAge != 0 {
			k.Age = time.Duration(c.MinAge)
		}
		// A day is what an unpacking may take: --min-age can only lengthen it.
		k.Age = max(k.Age, time.Duration(h.config.MinAge))
		if h.flags.shortAge && h.flags.minAge != 0 {
			k.Age = h.flags.minAge
		}
		if k.Mode != hostgc.ModeOff {
			h.treeKinds = append(h.treeKinds, k)
			h.modes[k.Name] = k.Mode
		}
	}
}

// allKinds are the kinds of files and those of directories.
func (h *host) allKinds() []hostgc.Kind { return append(slices.Clone(h.kinds), h.treeKinds...) }

// forests finds the data directories that exist on the node.
func (h *host) forests(ctx context.Context) ([]forest, error) {
	if h.proc == nil || h.view != nil {
		h.log.Debug("data directories are not looked at: the host's processes are not to be seen")
		return nil, nil //nolint:nilerr // without them nothing of these could be judged
	}
	var found []forest
	for _, p := range products() {
		i := slices.IndexFunc(h.treeKinds, func(k hostgc.Kind) bool { return k.Name == p.Kind })
		if i < 0 {
			continue
		}
		dirs, err := h.dataDirs(ctx, p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		dirs = slices.DeleteFunc(dirs, func(dir string) bool {
			_, err := fs.Stat(h.root.FS(), datadir.DataOf(dir)[1:])
			return errors.Is(err, fs.ErrNotExist)
		})
		if err != nil && len(dirs) > 0 {
			// Those that were found are judged, where the same obstacle keeps them.
			h.log.Warn("not every data directory may be found", "product", p.Binary, "error", err)
		}
		for _, dir := range dirs {
			f := forest{product: p, dataDir: dir, kind: h.treeKinds[i], retain: datadir.DefaultRetain}
			f.kind.Dirs = []string{f.dir()}
			if r := h.config.Kinds[p.Kind].Retain; r != nil {
				f.retain = *r
			}
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	if err := h.wholeRoot(); err != nil {
		h.log.Warn("data directories are not judged", "error", err)
		return nil, nil
	}
	return found, nil
}

func (h *host) dataDirs(ctx context.Context, p datadir.Product) ([]string, error) {
	if dirs := h.config.Kinds[p.Kind].Dirs; len(dirs) > 0 {
		var parents []string
		for _, d := range dirs {
			parents = append(parents, path.Dir(d))
		}
		return parents, nil
	}
	return datadir.DataDirs(ctx, p, h.root.FS(), h.proc)
}

// wholeRoot makes sure that --root is the host's whole root. A reference to a
// data directory can be anywhere on it, and a part that is not mounted into
// hostgc's pod looks just like one that holds none.
func (h *host) wholeRoot() error {
	if h.flags.offline() {
		return nil
	}
	theirs, err := fs.Stat(h.proc, "1/root")
	if err != nil {
		return fmt.Errorf("data directories of RKE2 and K3s are judged only with the host's whole root, and that of PID 1 cannot be compared: %w", err)
	}
	ours, err := os.Stat(h.flags.root)
	if err != nil {
		return err
	}
	if !os.SameFile(ours, theirs) {
		return fmt.Errorf("data directories of RKE2 and K3s are judged only with the host's whole root, and --root %s is another: mount the host's / there, or set their mode to off (kinds.rke2-data.mode)", h.flags.root)
	}
	return nil
}

func (h *host) treeOptions(f forest) datadir.Options {
	retain := f.retain
	if retain == 0 {
		retain = datadir.RetainNone
	}
	now := time.Now
	if h.flags.offline() {
		now = func() time.Time { return h.at }
	}
	return datadir.Options{Retain: retain, Age: f.kind.Age, Root: h.root.FS(), Proc: h.proc, Now: now}
}

// lookAtTrees shows a sink every versioned directory, and removes nothing.
func (h *host) lookAtTrees(ctx context.Context, sink sweep.Sink) ([]datadir.Row, error) {
	forests, err := h.forests(ctx)
	var rows []datadir.Row
	for _, f := range forests {
		v, lookErr := datadir.Look(ctx, f.product, f.dataDir, h.treeOptions(f))
		if lookErr != nil {
			return rows, lookErr
		}
		rows = append(rows, v.Rows()...)
		if err := tellTrees(v, nil, sink); err != nil {
			return rows, err
		}
	}
	return rows, err
}

// sweepTrees removes what is garbage in two looks, of the kinds that are
// enforced, and tells the sink of all. The options' keep and plan say why one is
// to be left all the same.
func (h *host) sweepTrees(ctx context.Context, settle time.Duration, wait sweep.Waiter, opts sweep.Options, sink sweep.Sink) ([]datadir.Row, error) {
	forests, err := h.forests(ctx)
	errs := []error{err}
	var rows []datadir.Row
	for _, f := range forests {
		o := h.treeOptions(f)
		o.Mode, o.Settle, o.Wait, o.Keep = f.kind.Mode, max(settle, time.Nanosecond), wait, leave(opts)
		r, err := h.clean(ctx, f, o)
		if o.Mode != hostgc.ModeEnforce {
			r.Entries = reported(r.Entries)
		}
		errs = append(errs, err, tellTrees(r.View, r.Entries, sink))
		rows = append(rows, r.View.Rows()...)
	}
	return rows, errors.Join(errs...)
}

// leave says why garbage that would go now is to be left.
func leave(opts sweep.Options) func(hostgc.Object) string {
	return func(o hostgc.Object) string {
		if why := opts.Keep(o); why != "" {
			return why
		}
		why, _ := opts.Plan.Admit(o.Kind)
		return why
	}
}

// reported says of garbage why it was left.
func reported(entries []datadir.Entry) []datadir.Entry {
	for i := range entries {
		if entries[i].Verdict == hostgc.Garbage {
			entries[i].Kept = sweep.OnlyReported
		}
	}
	return entries
}

func (h *host) clean(ctx context.Context, f forest, o datadir.Options) (datadir.Report, error) {
	d, err := h.root.OpenDir(f.dir())
	if err != nil {
		return datadir.Report{}, fmt.Errorf("opening %s: %w", f.dir(), err)
	}
	defer d.Close() //nolint:errcheck // only a descriptor
	if o.Mode == hostgc.ModeEnforce {
		unlock, err := d.Lock(ctx)
		if err != nil {
			return datadir.Report{}, err
		}
		defer unlock()
		if o.Remover, err = d.TreeRemover(f.product.Trees()); err != nil {
			return datadir.Report{}, fmt.Errorf("removing from %s: %w", f.dir(), err)
		}
	}
	return datadir.Clean(ctx, f.product, f.dataDir, o, h.log)
}

// tellTrees passes a look, and what was done after it, on to a sink.
func tellTrees(v datadir.View, done []datadir.Entry, sink sweep.Sink) error {
	outcomes := map[string]sweep.Outcome{}
	for _, e := range done {
		o := sweep.Outcome{Removed: e.Removed, Kept: e.Kept}
		if e.Err != "" {
			o.Err = errors.New(e.Err)
		}
		outcomes[e.Name] = o
	}
	if len(v.Decisions) == 0 {
		return nil
	}
	if err := sink.Hear(v.Hearing); err != nil {
		return err
	}
	for _, d := range v.Decisions {
		if err := sink.Decide(d, outcomes[d.Object.Name]); err != nil {
			return err
		}
	}
	return nil
}
