package datadir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hostgc/hostgc/witness/proc"
)

// process is a process, or a thread of one whose first thread has ended.
type process struct {
	dir  string // below /proc: "430" or "430/task/431"
	pid  string
	exe  string // as the kernel tells it; the path may be another namespace's
	args []string
	own  bool // hostgc, or who started it: that it names a directory is no use of it
}

// view is what makes two processes see the same mounts.
type view struct{ ns, root string }

// running is a process that is part of the distribution.
type running struct {
	process
	base   string  // "containerd"
	tree   *Tree   // nil: it runs from elsewhere
	daemon bool    // not a tool that somebody has called
	start  float64 // seconds after the boot, 0: not known
}

// processes are the references that processes hold, proc(5). It walks /proc
// once; what is looked at is in exe.go, environ.go, cmdline.go, maps.go and
// descriptors.go.
//
// hostgc must see every process, and all of each: EACCES on one of them means
// that what it uses is not known (without CAP_SYS_PTRACE root gets it of more
// capable processes).
//
// A recorded /proc has what somebody found worth recording, its links lead
// nowhere and there is no inode behind them. What is not in it counts as not
// asked. In the kernel's own each process has every file, so there a missing
// one means that the process has ended, and nothing else does.
func processes(ctx context.Context, s *search) (string, error) {
	if s.host.proc == nil {
		return "", errors.New("no /proc of a running node: what is in use cannot be told")
	}
	pids, err := s.pids()
	if err != nil {
		return "", err
	}
	own := s.ancestors()
	var errs []error
	for _, pid := range pids {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		errs = append(errs, s.process(pid, pid, own[pid]))
	}
	kind := "processes"
	if !s.host.live {
		kind = "recorded processes"
	}
	return fmt.Sprintf("%d %s: executables, environments, command lines, open files, maps", len(pids), kind), errors.Join(errs...)
}

func (s *search) pids() ([]string, error) {
	entries, err := fs.ReadDir(s.host.proc, ".")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var pids []string
	for _, e := range entries {
		if strings.Trim(e.Name(), "0123456789") == "" {
			pids = append(pids, e.Name())
		}
	}
	if len(pids) == 0 {
		return nil, errors.New("no process at all: this is not the /proc of a running node")
	}
	if err := proc.HostView(s.host.proc); err != nil {
		return nil, err
	}
	if s.host.live && !slices.Contains(pids, "1") {
		return nil, errors.New("PID 1 is not to be seen: /proc hides processes from hostgc (hidepid)")
	}
	return pids, nil
}

// process looks at everything of one process. Kernel threads have no
// executable; nor has a process whose first thread ended while others live on,
// so its threads are asked.
func (s *search) process(dir, pid string, own bool) error {
	exe, err := s.readlink(dir + "/exe")
	if gone(err) {
		return s.threads(dir, pid, own)
	}
	if err != nil {
		return s.unseen("executable", dir, err)
	}
	p := process{dir: dir, pid: pid, exe: exe, own: own}
	if p.args, err = s.arguments(dir); err != nil {
		return s.unseen("command line", dir, err)
	}
	s.noteJob(p)
	var errs []error
	for _, look := range []struct {
		what string
		look func(process) error
	}{
		{"executable", s.executable}, {"environment", s.environment}, {"command line", s.commandLine},
		{"maps", s.maps}, {"open files", s.descriptors}, {"directories", s.directories},
	} {
		if err := look.look(p); err != nil && !gone(err) {
			errs = append(errs, s.unseen(look.what, dir, err))
		}
	}
	return errors.Join(errs...)
}

func (s *search) threads(dir, pid string, own bool) error {
	if dir != pid {
		return nil
	}
	entries, err := fs.ReadDir(s.host.proc, dir+"/task")
	if err != nil && !gone(err) {
		return s.unseen("threads", dir, err)
	}
	var errs []error
	for _, e := range entries {
		if e.Name() != pid {
			errs = append(errs, s.process(path.Join(dir, "task", e.Name()), pid, own))
		}
	}
	return errors.Join(errs...)
}

func (s *search) unseen(what, dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s of process %s: to see every process hostgc needs CAP_SYS_PTRACE and, in a pod, an unconfined AppArmor profile: %w", what, dir, err)
	}
	return fmt.Errorf("%s of process %s: %w", what, dir, err)
}

func (s *search) readlink(name string) (string, error) { return fs.ReadLink(s.host.proc, name) }

func (s *search) readProc(name string) ([]byte, error) { return fs.ReadFile(s.host.proc, name) }

// gone reports whether an error means that the process has ended: before its
// file was opened (ENOENT) or between that and the read (ESRCH).
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}

// ancestors gives hostgc's own process and those that wait for it: their
// command lines name a directory because somebody asked about it.
func (s *search) ancestors() map[string]bool {
	own := map[string]bool{}
	pid, err := s.readlink("self")
	for err == nil && pid != "0" && !own[pid] {
		own[pid] = true
		var f []string
		if f, err = s.stat(pid); err == nil {
			pid = f[1]
		}
	}
	return own
}

// stat gives the fields of /proc/PID/stat after the name of the process, which
// may hold anything: state, parent, … The 22nd of all is its start.
func (s *search) stat(dir string) ([]string, error) {
	data, err := s.readProc(dir + "/stat")
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return nil, fmt.Errorf("%s/stat has %d fields", dir, len(fields))
	}
	return fields, nil
}

// ticks is USER_HZ, in which the kernel tells times to programs: 100 on every
// architecture that Kubernetes runs on.
const ticks = 100

// started gives when a process was started, in seconds after the boot.
func (s *search) started(dir string) (float64, error) {
	f, err := s.stat(dir)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(f[19], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("start of process %s: %w", dir, err)
	}
	return float64(n) / ticks, nil
}

var idPattern = regexp.MustCompile(`(?:^|[^0-9a-f])([0-9a-f]{64})(?:$|[^0-9a-f])`)

// holder gives the sandbox or container that a process runs for: a shim says
// it itself, all others are in a cgroup that is named after it.
func (s *search) holder(p process) string {
	if strings.HasPrefix(path.Base(p.exe), "containerd-shim") {
		for i, a := range p.args {
			if (a == "-id" || a == "--id") && i+1 < len(p.args) {
				return p.args[i+1]
			}
		}
	}
	data, err := s.readProc(p.dir + "/cgroup")
	if err != nil {
		return "" // then it goes by its process
	}
	ids := idPattern.FindAllStringSubmatch(string(data), -1)
	if len(ids) == 0 {
		return ""
	}
	return ids[len(ids)-1][1]
}

// used notes a use by a process, and whose process it is.
func (s *search) used(p process, t *Tree, what string) {
	s.refer(t, Use{
		Source: "processes", Holder: s.holder(p),
		What: fmt.Sprintf("%s (process %s, %s)", what, p.pid, printable(p.exe)),
		Cure: "it ends with the process",
	})
}

// printable keeps what a process calls itself from writing to a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// tasks gives the directories of a process's threads other than the first.
func (s *search) tasks(pid string) []string {
	entries, err := fs.ReadDir(s.host.proc, pid+"/task")
	if err != nil {
		return nil // it has ended
	}
	var dirs []string
	for _, e := range entries {
		if e.Name() != pid {
			dirs = append(dirs, path.Join(pid, "task", e.Name()))
		}
	}
	return dirs
}
