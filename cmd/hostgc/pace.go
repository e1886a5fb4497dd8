package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc/sweep"
)

func (f *flags) registerRate(s *pflag.FlagSet) {
	s.IntVar(&f.maxRate, "max-rate", 0, "remove at most `N` files a second, for the sake of others on the disk (0: as configured, else no limit)")
}

func (h *host) pace() *sweep.Pace {
	return &sweep.Pace{Rate: h.config.MaxRate, Now: time.Now, Wait: sleep}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// From linux/ioprio.h.
const (
	ioprioWhoProcess = 1
	ioprioClassIdle  = 3
	ioprioClassShift = 13
)

// idleIO lets the disk serve the process only when nobody else wants it. The
// priority belongs to a thread, and each new one takes it over from the one
// that starts it; so all that there are get it.
//
// It is no more than a courtesy: only the schedulers BFQ and mq-deadline heed
// it, and the journal's thread writes what an unlink changes at its own
// priority. What holds everywhere is --max-rate.
func idleIO() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("setting the idle I/O priority: %w", err)
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		_, _, e := unix.Syscall(unix.SYS_IOPRIO_SET, ioprioWhoProcess, uintptr(id), ioprioClassIdle<<ioprioClassShift)
		if e != 0 && e != unix.ESRCH { // the thread ended
			return fmt.Errorf("setting the idle I/O priority: %w", e)
		}
	}
	return nil
}
