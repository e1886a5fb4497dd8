package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/config"
	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/kind"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/observe"
	"github.com/hostgc/hostgc/witness/proc"
	"github.com/hostgc/hostgc/witness/runtime"
)

// host is the node that a command works on, put together from what was found
// and what was configured.
type host struct {
	flags  *flags
	config config.Config
	log    *slog.Logger

	root      *safefs.Root
	layout    discover.Layout
	kinds     []hostgc.Kind // of files, all that are not off
	treeKinds []hostgc.Kind // of data directories, likewise
	modes     map[string]hostgc.Mode
	proc      fs.FS // nil: there is none
	view      error // why /proc does not show the host's processes
	at        time.Time
	node      *observe.Node
	close     []func()
}

// kindNames gives the names of all kinds.
func kindNames() []string {
	var names []string
	for _, k := range kind.All(discover.Layout{}) {
		names = append(names, k.Name)
	}
	for _, p := range products() {
		names = append(names, p.Kind)
	}
	return names
}

// open puts the node together. It must be closed.
func open(f *flags, log *slog.Logger) (*host, error) {
	h := &host{flags: f, log: log}
	if err := h.open(); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

func (h *host) open() error {
	if err := h.flags.check(); err != nil {
		return usage(err)
	}
	var err error
	if h.at, err = h.flags.at(); err != nil {
		return usage(err)
	}
	if h.config, err = h.flags.load(kindNames()); err != nil {
		return usage(err)
	}
	if h.root, err = safefs.OpenRoot(h.flags.root); err != nil {
		return usagef("--root: %w", err)
	}
	h.close = append(h.close, func() { _ = h.root.Close() })
	if err := h.findKinds(); err != nil {
		return usage(err)
	}
	if err := h.findProc(); err != nil {
		return usage(err)
	}
	h.node = &observe.Node{
		Name: h.name(), Now: time.Now, Log: h.log,
		AcceptIdle: h.flags.acceptIdle, Sees: func() bool { return false },
	}
	if err := h.openPlaces(); err != nil {
		return err
	}
	return h.findWitnesses()
}

// Close lets everything go that open opened.
func (h *host) Close() {
	for _, c := range slices.Backward(h.close) {
		c()
	}
}

func (h *host) name() string {
	host, _ := os.Hostname()
	return cmp.Or(h.config.Node, os.Getenv("NODE_NAME"), strings.ToLower(host))
}

// findKinds discovers the directories and applies the configuration.
func (h *host) findKinds() error {
	over := discover.Overrides{}
	for name, k := range h.config.Kinds {
		tree := slices.ContainsFunc(products(), func(p datadir.Product) bool { return p.Kind == name })
		if len(k.Dirs) > 0 && !tree {
			over[name] = k.Dirs
		}
	}
	layout, err := discover.Find(h.root.FS(), over)
	if err != nil {
		return err
	}
	h.layout, h.modes = layout, map[string]hostgc.Mode{}
	for _, w := range layout.Warnings {
		h.log.Warn("discovery", "warning", w)
	}
	for _, k := range kind.All(layout) {
		c := h.config.Kinds[k.Name]
		k.Mode = cmp.Or(c.Mode, k.Mode)
		k.Age = cmp.Or(time.Duration(c.MinAge), k.Age)
		if k.Mode != hostgc.ModeOff {
			h.kinds = append(h.kinds, k)
			h.modes[k.Name] = k.Mode
		}
	}
	h.findTreeKinds()
	return nil
}

// findProc takes the /proc that shows the host's processes, if there is one.
func (h *host) findProc() error {
	if dir := h.flags.proc; dir != "" {
		if h.proc = os.DirFS(dir); !proc.Present(h.proc) {
			return fmt.Errorf("--proc %s holds no process: it is not the /proc of a running node", dir)
		}
	} else if below := os.DirFS(filepath.Join(h.flags.root, "proc")); proc.Present(below) {
		h.proc = below
	} else if !h.flags.offline() {
		h.proc = os.DirFS("/proc")
	}
	if h.proc != nil {
		h.view = proc.HostView(h.proc)
	}
	return nil
}

// openPlaces opens every directory of every kind that exists. One directory
// is one place: two spellings of it, or two kinds that share it, would judge
// it twice, and the stricter kind stands first.
func (h *host) openPlaces() error {
	seen := map[string]string{}
	for _, k := range h.kinds {
		for _, dir := range k.Dirs {
			d, err := h.root.OpenDir(dir)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return fmt.Errorf("opening the directory of %s: %w", k.Name, err)
			}
			h.close = append(h.close, func() { _ = d.Close() })
			at, err := d.Location()
			if err != nil {
				h.log.Warn("mounts in other mount namespaces are not seen", "directory", dir, "error", err)
				at = ""
			}
			if first, twice := seen[at]; twice && at != "" {
				h.log.Info("the same directory twice", "directory", dir, "taken", first)
				continue
			}
			seen[at] = dir
			h.node.Places = append(h.node.Places, observe.Place{Kind: k, Dir: d, Location: at})
		}
	}
	return nil
}

// findWitnesses chooses who is asked about this node.
func (h *host) findWitnesses() error {
	if h.flags.offline() {
		h.offline()
	} else if err := h.live(); err != nil {
		return usage(err)
	}
	if h.proc != nil && h.view == nil {
		h.node.Witnesses = append(h.node.Witnesses, proc.Witness(h.proc, h.locations()...))
	}
	h.node.Witnesses = append(h.node.Witnesses, runtime.Witness(h.root.FS()))
	return nil
}

func (h *host) locations() []string {
	var at []string
	for _, p := range h.node.Places {
		if p.Location != "" {
			at = append(at, p.Location)
		}
	}
	return at
}
