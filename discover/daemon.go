package discover

import (
	"io/fs"
	"path"
	"strings"
)

// daemonConfig is the configuration of the thick Multus daemon.
const daemonConfig = "daemon-config.json"

// podConfigs is where the kubelet keeps what a pod's ConfigMap volume shows.
const podConfigs = "var/lib/kubelet/pods/*/volumes/kubernetes.io~configmap/*/" + daemonConfig

// readDaemonConfigs looks for the thick daemon's cniDir. The daemon overrides
// the CNI configuration with its own, a ConfigMap that is mounted into its pod
// and is seen on the host only as the pod's volume; some put it beside the CNI
// configurations.
//
// A path in it is one in the daemon's pod. All charts mount the directory from
// the same path on the host.
func (l *Layout) readDaemonConfigs(root fs.FS) {
	for _, dir := range l.ConfDirs {
		for _, pattern := range []string{daemonConfig, "multus.d/" + daemonConfig} {
			l.readDaemonConfig(root, path.Join(dir[1:], pattern), false)
		}
	}
	files, _ := fs.Glob(root, podConfigs) // the error is that of a bad pattern
	for _, file := range files {
		l.readDaemonConfig(root, file, true)
	}
}

// readDaemonConfig takes cniDir from one file. Any pod may have a volume of the
// daemon's name, so what a volume says counts only if the directory is one that
// Multus has made: a user of the cluster must not be able to point hostgc at
// files that are not CNI's.
func (l *Layout) readDaemonConfig(root fs.FS, file string, volume bool) {
	if _, err := fs.Stat(root, file); err != nil {
		return
	}
	conf, err := readConf(root, file)
	if err != nil {
		l.warn("the configuration of the thick Multus daemon, /%s, is not used: %v", file, err)
		return
	}
	dir, _ := conf["cniDir"].(string)
	switch {
	case dir == "":
	case volume && !madeByMultus(root, dir):
		l.warn("/%s: cniDir %q is ignored: any pod could have this volume, and the directory does not look like Multus' (no multus in its name, or no results inside); if it is, give it as a directory of multus-delegates", file, dir)
	default:
		l.addDir(&l.MultusDirs, "cniDir", dir, "/"+file)
	}
}

func madeByMultus(root fs.FS, dir string) bool {
	clean := path.Clean(dir)
	if !path.IsAbs(clean) || !strings.Contains(path.Base(clean), "multus") {
		return false
	}
	info, err := fs.Stat(root, path.Join(clean[1:], "results"))
	return err == nil && info.IsDir()
}
