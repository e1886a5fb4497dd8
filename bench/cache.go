package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// cache is the state of the kernel's page, inode and name caches before a run.
type cache string

const (
	warm cache = "warm" // all is in memory
	cold cache = "cold" // all is on the disk
)

// settle writes out what is dirty, so that no run pays for the one before, and
// empties the caches where a run is to begin cold. That takes root.
func (c cache) settle() error {
	unix.Sync()
	if c == warm {
		return nil
	}
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3\n"), 0); err != nil {
		return fmt.Errorf("emptying the caches, which takes root (-cache warm does without): %w", err)
	}
	return nil
}
