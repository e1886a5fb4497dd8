package datadir

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// dataDirSetting finds a data directory in the distributions' configuration, in
// their units and in the environment files of these.
var dataDirSetting = regexp.MustCompile(`(?m)(?:^\s*["']?data-dir["']?\s*:|--data-dir[= ]|(?:RKE2|K3S)_DATA_DIR=)\s*["']?(/[^\s"'#,]+)`)

// DataDirs gives the data directories of a product that exist on the host: its
// default, and those that a configuration, a unit or a running supervisor
// names. What cannot be read is an error; what was found comes with it.
func DataDirs(ctx context.Context, p Product, root, proc fs.FS) ([]string, error) {
	o := Options{Root: root, Proc: proc, Now: time.Now}
	s := newSearch(newHost(&o), p, p.DefaultDir, DataOf(p.DefaultDir), nil)
	if proc != nil {
		if _, err := processes(ctx, s); err != nil {
			return []string{p.DefaultDir}, fmt.Errorf("looking for data directories: %w", err)
		}
	}
	if _, err := startup(ctx, s); err != nil {
		return []string{p.DefaultDir}, fmt.Errorf("looking for data directories: %w", err)
	}
	all, err := s.dataDirs()
	others := []string{"/var/lib/rancher/rke2", "/var/lib/rancher/k3s"}
	return slices.DeleteFunc(all, func(d string) bool { return d != p.DefaultDir && slices.Contains(others, d) }), err
}

// dataDirs gives all data directories on the host, so far as they can be found:
// the defaults, what configuration names, and what a running supervisor was
// told.
func (s *search) dataDirs() ([]string, error) {
	dirs := []string{"/var/lib/rancher/rke2", "/var/lib/rancher/k3s"}
	dirs = append(dirs, s.configured...)
	for _, r := range s.runs {
		words := strings.Fields(strings.Join(r.args, " "))
		for i, w := range words {
			flag, value, ok := strings.Cut(w, "=")
			if flag != "--data-dir" && flag != "-d" {
				continue
			}
			if !ok && i+1 < len(words) {
				value = words[i+1]
			}
			if path.IsAbs(value) {
				dirs = append(dirs, path.Clean(value))
			}
		}
	}
	return s.existing(dirs)
}

// noteDataDirs takes the data directories that a file names.
func (s *search) noteDataDirs(_, text string) {
	for _, m := range dataDirSetting.FindAllStringSubmatch(text, -1) {
		s.configured = append(s.configured, path.Clean(m[1]))
	}
}
