package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Tools says where the programs of the bed are.
type Tools struct {
	Cache string // everything of the bed
	Bin   string // below it: a directory for each recipe and version
	list  []recipe
}

// Locate gives the place of the tools: $HOSTGC_E2E_CACHE, else hostgc-e2e in
// the user's cache directory. Whether they were built yet is another matter.
func Locate() Tools {
	cache := os.Getenv("HOSTGC_E2E_CACHE")
	if cache == "" {
		cache = defaultCache()
	}
	return Tools{Cache: cache, Bin: filepath.Join(cache, "bin"), list: recipes(pinned())}
}

func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil { // no HOME, as in a bare CI job
		dir = "/var/cache"
	}
	return filepath.Join(dir, "hostgc-e2e")
}

// dir is where a recipe's programs go.
func (t Tools) dir(r recipe) string { return filepath.Join(t.Bin, r.name+"-"+r.version) }

// Path gives the path of a program, or an error that says what to do where it
// was not built.
func (t Tools) Path(program string) (string, error) {
	for _, r := range t.list {
		if !slices.Contains(r.names(), program) {
			continue
		}
		path := filepath.Join(t.dir(r), program)
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%s %s is missing (%w): run `make -C e2e tools`; without it there is no %s", program, r.version, err, r.proof)
		}
		return path, nil
	}
	return "", fmt.Errorf("no recipe makes %s", program)
}

// Plugins gives the names of all CNI plugins that there are recipes for.
func (t Tools) Plugins() []string {
	var names []string
	for _, r := range t.list {
		if r.plugins {
			names = append(names, r.names()...)
		}
	}
	return names
}

// missing reports whether any program of the recipe has to be built.
func (t Tools) missing(r recipe) bool {
	for _, name := range r.names() {
		if _, err := t.Path(name); err != nil {
			return true
		}
	}
	return false
}
