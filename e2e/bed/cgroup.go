package bed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const cgroupRoot = "/sys/fs/cgroup"

// hierarchies gives the roots of the cgroup hierarchies: one per controller in
// cgroup v1 (and the unified one beside them), a single one in v2.
func hierarchies() ([]string, error) {
	if isCgroup2() {
		return []string{cgroupRoot}, nil
	}
	var roots []string
	entries, err := os.ReadDir(cgroupRoot)
	if err != nil {
		return nil, fmt.Errorf("look for cgroups: %w", err)
	}
	for _, e := range entries { // a link is another name of one that is listed (cpu -> cpu,cpuacct)
		if e.IsDir() {
			roots = append(roots, filepath.Join(cgroupRoot, e.Name()))
		}
	}
	return roots, nil
}

func isCgroup2() bool {
	_, err := os.Stat(cgroupRoot + "/cgroup.controllers")
	return err == nil
}

// makeCgroups makes the cgroup in which everything of a node is.
func makeCgroups(name string) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make the node's cgroup: %w", err)
		}
		if isCgroup2() {
			err = delegate(root, dir)
		} else {
			err = copyCpuset(root, dir)
		}
		if err != nil {
			return fmt.Errorf("set up cgroup %s: %w", dir, err)
		}
	}
	return nil
}

// copyCpuset: in cgroup v1 a new cpuset is empty, and nothing can run in it.
func copyCpuset(root, dir string) error {
	if filepath.Base(root) != "cpuset" {
		return nil
	}
	for _, f := range []string{"cpuset.cpus", "cpuset.mems"} {
		b, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// delegate: in cgroup v2 a controller has to be passed on at each level.
func delegate(dirs ...string) error {
	for _, dir := range dirs {
		for _, c := range []string{"cpuset", "cpu", "io", "memory", "hugetlb", "pids"} {
			err := os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+c), 0o644)
			if err != nil && (c == "cpu" || c == "memory" || c == "pids") {
				return fmt.Errorf("enable controller %s: %w", c, err)
			}
		}
	}
	return nil
}

// removeCgroups removes what is below a node's cgroup, and with it itself
// where all is set. Their processes are dead or dying: a cgroup stays busy
// until the last has been reaped.
func removeCgroups(name string, all bool) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var busy error
		for _, root := range roots {
			busy = errors.Join(busy, removeCgroup(filepath.Join(root, name), all))
		}
		if busy == nil || time.Now().After(deadline) {
			return busy
		}
	}
}

func removeCgroup(dir string, self bool) error {
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.IsDir() && (self || path != dir) {
			dirs = append(dirs, path)
		}
		return err
	})
	for i := len(dirs) - 1; i >= 0; i-- { // children before parents
		if e := os.Remove(dirs[i]); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}
