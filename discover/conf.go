package discover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The places of CNI configurations, as patterns below the root. From the first
// group a runtime takes the node's network; in the second are configurations
// that only Multus reads.
var (
	runtimeConfDirs = []string{
		"etc/cni/net.d", // containerd, CRI-O, RKE2, k0s
		"var/lib/rancher/*/agent/etc/cni/net.d",
		"var/snap/microk8s/current/args/cni-network",
		"etc/kubernetes/cni/net.d", // OpenShift
		"run/multus/cni/net.d",
	}
	multusConfDirs = []string{"etc/cni/multus", "etc/cni/multus/net.d"}
)

// maxConf is the largest configuration that is read, in bytes. Real ones have
// a few hundred.
const maxConf = 1 << 20

// confDirs gives the configuration directories that exist.
func confDirs(root fs.FS) []string {
	var dirs []string
	for _, pattern := range slices.Concat(runtimeConfDirs, multusConfDirs) {
		found, _ := fs.Glob(root, pattern) // the error is that of a bad pattern
		dirs = append(dirs, found...)
	}
	return dirs
}

// readConfDir takes the settings from each configuration in a directory, and
// the name of the runtime's network from the first.
func (l *Layout) readConfDir(root fs.FS, dir string) {
	entries, err := fs.ReadDir(root, dir)
	if err != nil {
		l.warn("the CNI configurations in /%s cannot be read: %v", dir, err)
		return
	}
	l.ConfDirs = append(l.ConfDirs, "/"+dir)
	first := !strings.HasPrefix(dir, multusConfDirs[0])
	for _, e := range entries { // in the order of their names, as the runtimes read them
		if !slices.Contains([]string{".conf", ".conflist", ".json"}, path.Ext(e.Name())) {
			continue
		}
		file := path.Join(dir, e.Name())
		conf, err := readConf(root, file)
		if err != nil {
			l.warn("the CNI configuration /%s is not used: %v", file, err)
		}
		if first {
			l.addNetwork(conf, "/"+file)
		}
		first = false
		l.takeSettings(conf, "/"+file)
	}
}

func readConf(root fs.FS, file string) (map[string]any, error) {
	info, err := fs.Stat(root, file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxConf:
		return nil, fmt.Errorf("it has %d bytes, more than any CNI configuration", info.Size())
	}
	content, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	var conf map[string]any
	if err := json.Unmarshal(content, &conf); err != nil {
		return nil, fmt.Errorf("it does not decode: %w", err)
	}
	return conf, nil
}

// addNetwork takes the name of the network that the runtime uses, for which a
// torn entry in the shared results directory is a pod's. Which one that is,
// only the first file tells; where it cannot be read, or is a file that a
// container engine put there for itself, none is known.
func (l *Layout) addNetwork(conf map[string]any, file string) {
	name, _ := conf["name"].(string)
	for _, engine := range []string{"podman", "nerdctl", "buildkit"} {
		if name == "" || strings.Contains(path.Base(file), engine) {
			return
		}
	}
	l.found("%s: the runtime's network is %q", file, name)
	if !slices.Contains(l.Networks, name) {
		l.Networks = append(l.Networks, name)
	}
}

// takeSettings looks for Multus and flannel at any depth: as a plugin of a
// conflist, and as a delegate of Multus.
func (l *Layout) takeSettings(conf any, file string) {
	switch v := conf.(type) {
	case []any:
		for _, element := range v {
			l.takeSettings(element, file)
		}
	case map[string]any:
		l.takeSetting(v, file)
		for _, key := range []string{"plugins", "delegates"} {
			l.takeSettings(v[key], file)
		}
	}
}

func (l *Layout) takeSetting(plugin map[string]any, file string) {
	to, setting := &l.MultusDirs, "cniDir"
	switch plugin["type"] {
	case "multus", "multus-shim":
	case "flannel":
		to, setting = &l.FlannelDirs, "dataDir"
	default:
		return
	}
	if dir, ok := plugin[setting].(string); ok && dir != "" {
		l.addDir(to, setting, dir, file)
	}
}
