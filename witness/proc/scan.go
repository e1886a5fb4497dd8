package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/hostgc/hostgc"
)

// scan is one walk through all processes.
type scan struct {
	fs     fs.FS
	buf    bytes.Buffer // reused: a node has thousands of processes
	places []place

	count  int
	claims map[hostgc.Ref]string // what is alive, and by what
	netns  map[string]string     // network namespace, as "net:[inode]" → the first process in it
	bound  map[string][]string   // namespace → where it is mounted
	views  map[view]bool         // mount tables that were read

	err error // the first; what was seen in spite of it still counts
}

func newScan(procFS fs.FS, places []string) *scan {
	return &scan{
		fs: procFS, places: parsePlaces(places),
		claims: map[hostgc.Ref]string{}, netns: map[string]string{},
		bound: map[string][]string{}, views: map[view]bool{},
	}
}

func (s *scan) run(ctx context.Context) error {
	pids, err := processes(s.fs)
	if err != nil {
		return err
	}
	if len(pids) == 0 {
		return errors.New("no process at all: this is not the /proc of a running node")
	}
	s.keep(s.host())
	for _, pid := range pids {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("looking at processes: %w", err)
		}
		s.process(pid)
		s.count++
	}
	return s.err
}

func (s *scan) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// process looks at a process, or at a thread of one: at the directory of it.
func (s *scan) process(dir string) {
	s.keep(s.cgroup(dir))
	ns, err := s.link(dir, "ns/net")
	switch {
	case gone(err):
		s.threads(dir)
		return
	case err != nil:
		s.keep(explain("network namespace of "+s.describe(dir), err))
	case s.netns[ns] == "":
		s.netns[ns] = dir
	}
	if len(s.places) > 0 {
		s.keep(s.view(dir))
	}
}

// threads looks at the threads of a process that has no namespace any more.
// Most such are zombies and have none. But a process whose first thread has
// ended looks just like a zombie, while its other threads live on.
func (s *scan) threads(dir string) {
	entries, err := fs.ReadDir(s.fs, dir+"/task")
	if err != nil && !gone(err) {
		s.keep(explain("threads of "+s.describe(dir), err))
	}
	for _, e := range entries {
		s.process(path.Join(dir, "task", e.Name()))
	}
}

// cgroup claims every ID in the process's cgroup paths. They name containers
// too, and there is no telling them apart; a claim too many only keeps.
func (s *scan) cgroup(dir string) error {
	data, err := s.read(dir + "/cgroup")
	if gone(err) {
		return nil
	}
	if err != nil {
		return explain("cgroup of "+s.describe(dir), err)
	}
	// describe reads files, so the buffer is done with before.
	for _, id := range slices.Collect(ids(string(data))) {
		ref := hostgc.Ref{Space: hostgc.SpaceSandbox, Key: id}
		if s.claims[ref] == "" {
			s.claims[ref] = s.describe(dir) + " is in its cgroup"
		}
	}
	return nil
}

// answer puts together what was seen.
func (s *scan) answer() hostgc.Answer {
	// The host's own namespace is no pod's, and always has processes.
	host, _ := s.link("1", "ns/net")
	for ns, dir := range s.netns {
		if ns == host {
			continue
		}
		for _, p := range s.bound[ns] {
			s.claims[hostgc.Ref{Space: hostgc.SpaceNetns, Key: p}] = s.describe(dir) + " is in this network namespace"
		}
	}
	claims := make([]hostgc.Claim, 0, len(s.claims))
	for ref, detail := range s.claims {
		claims = append(claims, hostgc.Claim{Ref: ref, Witness: name, Detail: detail})
	}
	slices.SortFunc(claims, func(a, b hostgc.Claim) int { return strings.Compare(a.Ref.String(), b.Ref.String()) })
	return hostgc.Answer{
		Claims: claims,
		Says:   fmt.Sprintf("%d processes in %d network namespaces", s.count, len(s.netns)),
	}
}

// describe gives a process in words: "process 430 (/pause)".
func (s *scan) describe(dir string) string {
	pid, _, _ := strings.Cut(dir, "/")
	name, err := s.link(pid, "exe")
	if err != nil { // a kernel thread, a zombie, or not ours to see
		comm, _ := s.read(pid + "/comm")
		name = strings.TrimSuffix(string(comm), "\n")
	}
	if name == "" {
		return "process " + pid
	}
	// A process names itself, and this goes to terminals.
	return "process " + pid + " (" + strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name) + ")"
}

func (s *scan) link(dir, name string) (string, error) { return fs.ReadLink(s.fs, dir+"/"+name) }

// read gives a file's content, good until the next read.
func (s *scan) read(name string) ([]byte, error) {
	f, err := s.fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	s.buf.Reset()
	_, err = s.buf.ReadFrom(f)
	return s.buf.Bytes(), err
}

// gone reports whether an error means that the process has ended: before its
// file was opened (ENOENT) or between that and the read (ESRCH). A zombie's
// links to its namespaces are gone too (ENOENT).
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}
