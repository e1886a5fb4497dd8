package main

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Every thread is idle, and those that come later too: the Go runtime starts
// them as it likes.
func TestIdleIO(t *testing.T) {
	if err := idleIO(); err != nil {
		t.Fatal(err)
	}
	before := classes(t)
	var wg, up sync.WaitGroup
	for range 8 {
		wg.Add(1)
		up.Add(1)
		go func() {
			runtime.LockOSThread() // and so needs a thread of its own
			up.Done()
			up.Wait()
			wg.Done()
		}()
	}
	up.Wait()
	after := classes(t)
	wg.Wait()
	if len(after) < 8 || len(before) == 0 {
		t.Fatalf("%d threads before and %d after", len(before), len(after))
	}
	for id, class := range after {
		if class != ioprioClassIdle {
			t.Errorf("thread %d is of class %d, want %d", id, class, ioprioClassIdle)
		}
	}
}

// classes gives the I/O class of each thread of the process.
func classes(t *testing.T) map[int]uintptr {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]uintptr{}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		if prio, _, e := unix.Syscall(unix.SYS_IOPRIO_GET, ioprioWhoProcess, uintptr(id), 0); e == 0 {
			got[id] = prio >> ioprioClassShift
		}
	}
	return got
}
