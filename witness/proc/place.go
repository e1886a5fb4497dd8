package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/moby/sys/mountinfo"
)

// place is a directory entry, named so that it is the same in every mount
// namespace: the file system and the path in that.
type place struct{ dev, path string }

func (p place) String() string { return p.dev + ":" + p.path }

func (p place) up() place { return place{p.dev, path.Dir(p.path)} }

// parsePlaces takes "major:minor:path". What is none has no mount below it.
func parsePlaces(texts []string) []place {
	var out []place
	for _, t := range texts {
		parts := strings.SplitN(t, ":", 3)
		if len(parts) == 3 && path.IsAbs(parts[2]) {
			out = append(out, place{parts[0] + ":" + parts[1], path.Clean(parts[2])})
		}
	}
	return out
}

// placeOf names what has the given path and lies in the mount.
func placeOf(m *mountinfo.Info, p string) place {
	return place{fmt.Sprintf("%d:%d", m.Major, m.Minor), path.Join(m.Root, strings.TrimPrefix(p, m.Mountpoint))}
}

// below reports whether a path is the other, or in it.
func below(p, top string) bool {
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(top, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// Places gives for each path on the host its place, as "major:minor:path", by
// the mount table of PID 1. The paths are absolute and without symbolic links;
// they need not exist.
//
// The device is that of the mount table, which for btrfs is not the st_dev
// that stat gives: that is the subvolume's.
func Places(procFS fs.FS, paths ...string) ([]string, error) {
	data, err := fs.ReadFile(procFS, "1/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("reading the mounts of PID 1: %w", err)
	}
	mounts, err := mountinfo.GetMountsFromReader(bytes.NewReader(data), nil)
	if err != nil {
		return nil, fmt.Errorf("reading the mounts of PID 1: %w", err)
	}
	root := rootOf(mounts)
	if root == nil {
		return nil, errors.New("the mount table of PID 1 has no root")
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		m := root
		for next := root; next != nil; next = cross(mounts, m, p) {
			m = next
		}
		out[i] = placeOf(m, p).String()
	}
	return out, nil
}

// rootOf gives the mount from which paths start: the lowest on "/", whose
// parent the kernel does not show.
func rootOf(mounts []*mountinfo.Info) *mountinfo.Info {
	shown := make(map[int]bool, len(mounts))
	for _, m := range mounts {
		shown[m.ID] = true
	}
	for _, m := range mounts {
		if m.Mountpoint == "/" && (!shown[m.Parent] || m.Parent == m.ID) {
			return m
		}
	}
	return nil
}

// cross gives the mount that a walk along the path enters from another one:
// of those mounted in that, the first on the way. What is mounted further down
// is hidden by it.
func cross(mounts []*mountinfo.Info, from *mountinfo.Info, p string) *mountinfo.Info {
	var first *mountinfo.Info
	for _, m := range mounts {
		if m.Parent != from.ID || m == from || !below(p, m.Mountpoint) {
			continue
		}
		if first == nil || len(m.Mountpoint) < len(first.Mountpoint) {
			first = m
		}
	}
	return first
}
