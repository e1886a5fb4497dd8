// Package discover finds where a node keeps its CNI state.
//
// The defaults are the same everywhere, but three settings move them: cniDir
// in the configuration of Multus, cniDir in that of its thick daemon, and
// dataDir in that of flannel. They stand in the files from which the runtime
// takes the node's network, and every distribution has a place of its own for
// those. What is found there is added to the defaults and does not replace
// them: after such a setting was changed, the old directory is full of garbage.
//
// Nothing found is trusted far. A directory is only where names of a certain
// shape are looked for, the positive control has to find running sandboxes in
// it, and places where other software keeps its own files are refused.
package discover

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/hostgc/hostgc/kind/cniresults"
	"github.com/hostgc/hostgc/kind/flanneldelegates"
	"github.com/hostgc/hostgc/kind/multusdelegates"
	"github.com/hostgc/hostgc/kind/multusresults"
)

// The directories that are used where nothing is configured.
const (
	defaultMultus  = "/var/lib/cni/multus"
	defaultFlannel = "/var/lib/cni/flannel"
	runtimeResults = "/var/lib/cni/results"
	kubeletResults = "/var/lib/cni/cache/results" // of the kubelet in dockershim's days
)

// Layout is where a node keeps its CNI state. All paths are absolute paths on
// the host. A directory that is listed need not exist.
type Layout struct {
	MultusDirs    []string // each cniDir of Multus, where its delegates files are
	MultusResults []string // <cniDir>/results
	CNIResults    []string // the results directories that all users of libcni share
	FlannelDirs   []string // each dataDir of flannel

	Networks []string // the networks to which the node's runtimes attach pods
	ConfDirs []string // the directories of CNI configurations that exist

	Found    []string // for people: what was found and where
	Warnings []string // for people: what could not be read or was refused
}

// Overrides gives the directories of a kind by its name, in place of what
// would be found.
type Overrides map[string][]string

// Find reads the CNI configuration of the node whose root directory is root. A
// configuration that cannot be read or understood is a warning, never an
// error; the error is always that of a wrong override.
func Find(root fs.FS, over Overrides) (Layout, error) {
	l := Layout{
		MultusDirs:  []string{defaultMultus},
		CNIResults:  []string{runtimeResults, kubeletResults},
		FlannelDirs: []string{defaultFlannel},
	}
	for _, dir := range confDirs(root) {
		l.readConfDir(root, dir)
	}
	l.readDaemonConfigs(root)
	for _, dir := range l.MultusDirs {
		l.addMultusResults(path.Join(dir, "results"))
	}
	return l, l.override(over)
}

// addMultusResults keeps a directory that is shared with others from being
// taken for Multus' own, where a name alone is identity enough.
func (l *Layout) addMultusResults(dir string) {
	if slices.Contains(l.CNIResults, dir) {
		l.warn("%s is both a results directory of Multus and the one that all users of libcni share; it is judged by the stricter rule of the latter", dir)
		return
	}
	l.MultusResults = append(l.MultusResults, dir)
}

func (l *Layout) override(over Overrides) error {
	for kind, dirs := range over {
		target, ok := map[string]*[]string{
			cniresults.Name:       &l.CNIResults,
			multusresults.Name:    &l.MultusResults,
			multusdelegates.Name:  &l.MultusDirs,
			flanneldelegates.Name: &l.FlannelDirs,
		}[kind]
		if !ok {
			return fmt.Errorf("directories given for %q: there is no such kind, see hostgc kinds", kind)
		}
		*target = nil
		for _, dir := range dirs {
			if why := refuse(dir); why != "" {
				return fmt.Errorf("directory %q given for %s: %s", dir, kind, why)
			}
			*target = append(*target, path.Clean(dir))
		}
	}
	for _, dir := range l.MultusResults {
		if slices.Contains(l.CNIResults, dir) || dir == runtimeResults || dir == kubeletResults {
			return fmt.Errorf("directory %q given for %s: all users of libcni share it, so it can only be one of %s", dir, multusresults.Name, cniresults.Name)
		}
	}
	return nil
}

// addDir adds a directory that a configuration names.
func (l *Layout) addDir(to *[]string, setting, dir, file string) {
	if why := refuse(dir); why != "" {
		l.warn("%s: %s %q is ignored: %s", file, setting, dir, why)
		return
	}
	l.found("%s: %s is %s", file, setting, dir)
	if dir = path.Clean(dir); !slices.Contains(*to, dir) {
		*to = append(*to, dir)
	}
}

func (l *Layout) found(format string, a ...any) {
	l.Found = append(l.Found, fmt.Sprintf(format, a...))
}

func (l *Layout) warn(format string, a ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, a...))
}
