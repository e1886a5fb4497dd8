package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// supervisors gives the running rke2 or k3s, server or agent.
func (s *search) supervisors() []running {
	var out []running
	for _, r := range s.runs {
		words := strings.Fields(strings.Join(r.args, " "))
		if r.base == s.product.Binary && r.daemon && path.Base(words[0]) != "containerd" {
			out = append(out, r)
		}
	}
	return out
}

// quiet says why the supervisor may be about to unpack, or to start, another
// version. All of it is read from /proc and the disk; no service manager is
// asked, so that it works from a pod and from within the supervisor itself.
func (s *search) quiet() ([]string, error) {
	if s.host.proc == nil {
		return nil, nil // the processes are mute
	}
	var why []string
	var errs []error
	for _, look := range []func() (string, error){
		s.restarted, s.installed, s.jobRuns, s.planRuns, s.unpacking,
	} {
		text, err := look()
		errs = append(errs, err)
		if text != "" {
			why = append(why, "the supervisor is not quiet: "+text)
		}
	}
	return why, errors.Join(errs...)
}

// restarted: a supervisor unpacks before it starts its containerd and kubelet.
// While these are older than it, it may be at that. RKE2's unit leaves them
// running when it stops.
func (s *search) restarted() (string, error) {
	all := s.supervisors()
	if len(all) > 1 {
		return fmt.Sprintf("two of them run, processes %s and %s: one is about to take over", all[0].pid, all[1].pid), nil
	}
	for _, up := range all {
		for _, r := range s.runs {
			if r.tree != nil && r.daemon && r.pid != up.pid && r.start > 0 && r.start < up.start {
				return fmt.Sprintf("%s (process %s) was started after the %s that runs (process %s), and may be unpacking a version; it is done when it has started its own",
					up.base, up.pid, r.base, r.pid), nil
			}
		}
	}
	return "", nil
}

// binaries are where the supervisor is installed, by tarball, package, or on a
// system whose /usr is read-only.
var binaries = []string{"/usr/local/bin/", "/usr/bin/", "/opt/rke2/bin/", "/opt/bin/"}

// installed: another supervisor was installed and not started yet. The running
// one's file was replaced, or a file was installed after it was started.
func (s *search) installed() (string, error) {
	boot, err := s.boot()
	if err != nil {
		return "", err
	}
	for _, up := range s.supervisors() {
		if strings.HasSuffix(up.exe, " (deleted)") {
			return fmt.Sprintf("another %s was installed over %s, which still runs; it will be started at the next restart", up.base, undeleted(up.exe)), nil
		}
		for _, dir := range binaries {
			info, err := s.lookThrough(dir + s.product.Binary)
			if missing(err) {
				continue
			}
			if err != nil {
				return "", err
			}
			since := boot.Add(time.Duration(up.start * float64(time.Second)))
			if at := identity(info).Ctime; !boot.IsZero() && up.start > 0 && at.After(since) {
				return fmt.Sprintf("%s%s was installed at %s, after the running one was started; it will be started at the next restart",
					dir, s.product.Binary, stampWords(at)), nil
			}
		}
	}
	return "", nil
}

func (s *search) lookThrough(file string) (fs.FileInfo, error) {
	real, err := s.paths.resolve(file)
	if err != nil {
		return nil, err
	}
	return fs.Lstat(s.host.root, below(real))
}

// boot gives when the node was started, by its clock of today; zero if a
// recording does not tell.
func (s *search) boot() (time.Time, error) {
	data, err := s.readProc("uptime")
	if missing(err) && !s.host.live {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("reading how long the node is up: %w", err)
	}
	up, err := parseUptime(string(data))
	return s.host.now.Add(-up), err
}

// parseUptime reads /proc/uptime: seconds since the boot, and idle ones.
func parseUptime(text string) (time.Duration, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	seconds, err := strconv.ParseFloat(first, 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) { // NaN is neither
		return 0, fmt.Errorf("/proc/uptime is %q", text)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// jobRuns: systemctl waits for the unit that it starts, so while it runs the
// unit is activating or deactivating.
func (s *search) jobRuns() (string, error) {
	for _, p := range s.jobs {
		return fmt.Sprintf("a unit is being started or stopped (process %s: %s)", p.pid, printable(strings.Join(p.args, " "))), nil
	}
	return "", nil
}

// noteJob remembers what may be about to change the version.
func (s *search) noteJob(p process) {
	words := strings.Fields(strings.Join(p.args, " "))
	if path.Base(undeleted(p.exe)) == "systemctl" && len(words) > 2 {
		all := strings.Join(words[1:], " ")
		names := strings.Contains(all, "rke2") || strings.Contains(all, "k3s")
		if names && (strings.Contains(all, "start") || strings.Contains(all, "stop")) {
			s.jobs = append(s.jobs, p)
		}
	}
	if path.Base(undeleted(p.exe)) == "rancher-system-agent" {
		s.agents = append(s.agents, p)
	}
}
