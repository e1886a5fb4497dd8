package bed

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Where the bed's own things are inside a node.
const (
	binDir   = "/run/bed/bin"   // the programs, one directory each
	shareDir = "/run/bed/share" // certificates, configuration, images, hostgc
)

// layout says where on the machine the node's file systems are.
type layout struct {
	Run string // the run's directory, on a disk: overlayfs cannot lie on overlayfs
	Bin string // the programs
}

// disk gives the place on the machine that holds a directory of the node.
func (l layout) disk(path string) string { return filepath.Join(l.Run, "disk", path) }

// share gives the place on the machine of what the node sees in shareDir.
func (l layout) share(elem ...string) string {
	return filepath.Join(append([]string{l.Run, "share"}, elem...)...)
}

// The node's own directories. They do not show what the machine has there: a
// CNI configuration or a runtime of the machine must not enter the test.
var ownDirs = []string{"/etc/cni", "/opt", "/var/lib", "/var/log"}

// Directories that a node has before anything runs on it.
var bareDirs = []string{
	"/etc/cni/net.d", "/opt/cni/bin",
	"/var/lib/cni", "/var/lib/containerd", "/var/lib/kubelet",
	"/var/log/pods", "/var/log/containers",
}

// create makes the node's disk.
func (l layout) create() error {
	dirs := []string{l.share(), l.Run + "/etc/upper", l.Run + "/etc/work", l.Run + "/cgroup", l.Run + "/log"}
	for _, d := range bareDirs {
		dirs = append(dirs, l.disk(d))
	}
	for _, d := range dirs {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("create the node's disk: %w", err)
		}
	}
	return nil
}

// mount builds the node's view of the machine. It runs as PID 1 of the node.
func (l layout) mount() error {
	steps := []func() error{
		func() error { return mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") },
		l.mountRun,
		l.mountDisk,
		func() error { return mount("proc", "/proc", "proc", 0, "") },
		l.mountSys,
		l.mountTunables,
		// Kubernetes wants the mounts of a node to propagate to its pods.
		func() error { return mount("", "/", "", unix.MS_REC|unix.MS_SHARED, "") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// mountRun gives the node a /run that is empty at each boot.
func (l layout) mountRun() error {
	if err := mount("tmpfs", "/run", "tmpfs", 0, "mode=755,size=512m"); err != nil {
		return err
	}
	if err := os.MkdirAll("/run/lock", 0o755); err != nil {
		return err
	}
	if err := bind(l.Bin, binDir); err != nil {
		return err
	}
	return bind(l.share(), shareDir)
}

func (l layout) mountDisk() error {
	etc := fmt.Sprintf("lowerdir=/etc,upperdir=%s/etc/upper,workdir=%s/etc/work", l.Run, l.Run)
	if err := mount("overlay", "/etc", "overlay", 0, etc); err != nil {
		return err
	}
	for _, d := range ownDirs {
		if err := bind(l.disk(d), d); err != nil {
			return err
		}
	}
	return nil
}

// mountSys shows the devices of the node's network namespace, and all cgroups
// of the machine: the node's are below one with the run's name.
func (l layout) mountSys() error {
	const groups = "/sys/fs/cgroup"
	keep := l.Run + "/cgroup"
	if err := mount(groups, keep, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	if err := mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
		return err
	}
	if err := mount(keep, groups, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return unix.Unmount(keep, unix.MNT_DETACH)
}

// mountTunables shows kubelet the kernel parameters that it wants, so that it
// does not set the machine's.
func (l layout) mountTunables() error {
	for name, value := range map[string]string{
		"vm/overcommit_memory": "1", "vm/panic_on_oom": "0",
		"kernel/panic": "10", "kernel/panic_on_oops": "1",
		"kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000",
	} {
		file := filepath.Join("/run/bed/sys", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		if err := mount(file, filepath.Join("/proc/sys", name), "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	return nil
}

func bind(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return mount(from, to, "", unix.MS_BIND, "")
}

func mount(source, target, fstype string, flags uintptr, data string) error {
	if err := unix.Mount(source, target, fstype, flags, data); err != nil {
		return fmt.Errorf("mount %s at %s: %w", source, target, err)
	}
	return nil
}
