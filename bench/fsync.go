package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// company is what is done beside somebody who writes and syncs, as etcd does.
type company struct {
	what   string
	sweeps bool
	before []string // what the command line begins with
	flags  []string
}

func companies(rate int) []company {
	return []company{
		{what: "nobody"},
		{what: "sweep", sweeps: true},
		{what: "sweep, idle I/O priority", sweeps: true, before: []string{"ionice", "-c", "3"}},
		{what: fmt.Sprintf("sweep --max-rate %d", rate), sweeps: true, flags: []string{"--max-rate", fmt.Sprint(rate)}},
	}
}

// stalls measures how long an fsync takes beside a sweep of n files on the
// same file system.
func (l lab) stalls(w io.Writer, n, rate int) error {
	fmt.Fprintf(w, "%-26s %8s %6s %9s %9s %9s %9s\n", "FSYNC BESIDE", "N", "FOR", "SYNCS", "MEDIAN", "P99", "MOST")
	sweep := scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == "sweep" })]
	for _, c := range companies(rate) {
		nd, err := l.make(sweep, n)
		if err != nil {
			return err
		}
		if err := warm.settle(); err != nil {
			return err
		}
		s := sweep
		s.hostgc = append(slices.Clone(s.hostgc), c.flags...)
		l.before = c.before
		begin := time.Now()
		took, err := syncs(filepath.Join(l.dir, "wal"), func() error {
			if !c.sweeps {
				time.Sleep(10 * time.Second)
				return nil
			}
			_, err := l.runHostgc(s, nd)
			return err
		})
		if err != nil {
			return fmt.Errorf("fsync beside %s: %w", c.what, err)
		}
		slices.Sort(took)
		ms := func(d time.Duration) string { return fmt.Sprintf("%.2fms", d.Seconds()*1000) }
		fmt.Fprintf(w, "%-26s %8d %5.0fs %9d %9s %9s %9s\n", c.what, n, time.Since(begin).Seconds(), len(took),
			ms(took[len(took)/2]), ms(took[len(took)*99/100]), ms(took[len(took)-1]))
	}
	return l.clear()
}

// syncs appends to a log and syncs it, again and again while something else is
// done, and gives the time of each: 2 kB, some entries of etcd's write-ahead
// log, which etcd syncs with fdatasync.
func syncs(file string, while func() error) ([]time.Duration, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nobody reads it
	done := make(chan error, 1)
	go func() { done <- while() }()
	var took []time.Duration
	entry := make([]byte, 2<<10)
	for {
		begin := time.Now()
		if _, err := f.Write(entry); err != nil {
			return nil, err
		}
		if err := unix.Fdatasync(int(f.Fd())); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
		select {
		case err := <-done:
			return took, err
		case <-time.After(5 * time.Millisecond): // etcd does not write without a pause either
		}
	}
}
