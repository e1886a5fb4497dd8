package main

import (
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/agent/hostlocal"
	"github.com/hostgc/hostgc/internal/safefs"
)

// levels asks how much is free of all that hostgc can free.
func (w *worker) levels() []agent.Level {
	return append(w.fileSystems(), w.addresses()...)
}

// fileSystems gives one answer for each file system on which kinds have their
// directories, by the first of them.
func (w *worker) fileSystems() []agent.Level {
	var levels []agent.Level
	seen := map[uint64]bool{}
	for _, dir := range w.watched {
		var st unix.Stat_t
		var fs unix.Statfs_t
		here := filepath.Join(w.flags.root, dir)
		if unix.Stat(here, &st) != nil || unix.Statfs(here, &fs) != nil || seen[st.Dev] {
			continue // gone since the latest cycle, or told already
		}
		seen[st.Dev] = true
		size := uint64(fs.Bsize) // #nosec G115 -- a block's size
		levels = append(levels,
			agent.Level{Resource: agent.Inodes, Place: dir, Free: fs.Ffree, Total: fs.Files},
			agent.Level{Resource: agent.Bytes, Place: dir, Free: fs.Bfree * size, Total: fs.Blocks * size})
	}
	return levels
}

func (w *worker) addresses() []agent.Level {
	root, err := safefs.OpenRoot(w.flags.root)
	if err != nil {
		w.log.Debug("free addresses are not known", "error", err)
		return nil
	}
	defer root.Close() //nolint:errcheck // only read
	return hostlocal.Levels(root.FS(), w.confDirs)
}
