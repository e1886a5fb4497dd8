// Package proc is the witness of the host's processes: what they use is
// alive, whatever a container runtime lists.
//
// A sandbox is alive while a process is in a cgroup that is named after it. A
// network namespace is alive while a process is in it; that it is mounted
// proves nothing, for it stays mounted after everything in it was killed. And
// the kernel is the only one to know where something is mounted in mount
// namespaces other than ours.
//
// All is read from a file system: [os.DirFS] of the host's /proc, or of one
// that was recorded. Both must be able to read links ([fs.ReadLinkFS]).
// The formats are those of proc(5), cgroups(7) and namespaces(7).
package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hostgc/hostgc"
)

// name is the witness's name in claims.
const name = "proc"

// Witness makes the witness of a /proc.
//
// It claims every sandbox and container whose ID is in the cgroup path of a
// process, and every bind-mounted network namespace that has a process in it.
//
// Where places are given, as "major:minor:path" (see [Places]), it also reads
// the mounts of every mount namespace, and claims each place below one of
// these at which something is mounted, and every directory between the two.
//
// It is mute where it cannot see every process: without CAP_SYS_PTRACE, in a
// pod without the host's PID namespace, or with PID 1 hidden.
func Witness(procFS fs.FS, places ...string) hostgc.Witness {
	return hostgc.Witness{
		Name:   name,
		Speaks: []hostgc.Space{hostgc.SpaceSandbox, hostgc.SpaceNetns, hostgc.SpaceMount},
		Knows:  []hostgc.Space{hostgc.SpaceNetns},
		Ask: func(ctx context.Context) (hostgc.Answer, error) {
			s := newScan(procFS, places)
			err := s.run(ctx)
			return s.answer(), err
		},
	}
}

// Present reports whether there is any process in it. The /proc of a disk that
// is not running is an empty directory: its witness is absent, not mute.
func Present(procFS fs.FS) bool {
	pids, err := processes(procFS)
	return err == nil && len(pids) > 0
}

// processes gives the names of the processes' directories.
func processes(procFS fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(procFS, ".")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var pids []string
	for _, e := range entries {
		if strings.Trim(e.Name(), "0123456789") == "" {
			pids = append(pids, e.Name())
		}
	}
	return pids, nil
}

// live tells the kernel's /proc from a recorded one, which holds no link to
// the process that reads it. The link itself is not read: a process outside
// the PID namespace of this /proc has none.
func live(procFS fs.FS) bool {
	_, err := fs.Lstat(procFS, "self")
	return err == nil
}

// explain says what to do about the one error that an operator can end. The
// AppArmor profile that containerd gives a container by default denies it to
// look at processes outside, whatever its capabilities.
func explain(what string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s: to see every process hostgc needs CAP_SYS_PTRACE and, in a pod, an unconfined AppArmor profile: %w", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
