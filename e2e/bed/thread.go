package bed

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// errEnded: the thread's namespaces are gone, because the node is powered off
// or the bed torn down.
var errEnded = errors.New("the node is not up")

// thread is an operating system thread in namespaces of its own. It ends by
// being thrown away: a thread whose namespaces were changed cannot serve other
// goroutines, and as long as it lives it keeps the namespaces alive.
type thread struct {
	jobs chan func()
	end  chan struct{} // closed to end the thread
	gone chan struct{} // closed when it has ended
}

// newThread starts a thread and has it enter its namespaces.
func newThread(enter func() error) (*thread, error) {
	t := &thread{jobs: make(chan func()), end: make(chan struct{}), gone: make(chan struct{})}
	entered := make(chan error, 1)
	go t.live(enter, entered)
	if err := <-entered; err != nil {
		<-t.gone
		return nil, err
	}
	return t, nil
}

func (t *thread) live(enter func() error, entered chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		// The process' first thread cannot end, and would hold the namespaces
		// for ever: leave it untouched, and blocked until another is at work.
		defer runtime.UnlockOSThread()
		moved := make(chan error, 1)
		go t.live(enter, moved)
		entered <- <-moved
		return
	}
	defer close(t.gone) // the goroutine returns locked, so the runtime ends the thread
	err := enter()
	entered <- err
	if err != nil {
		return
	}
	for {
		select {
		case job := <-t.jobs:
			job()
		case <-t.end:
			return
		}
	}
}

// do runs f on the thread and returns its error, or errEnded.
func (t *thread) do(f func() error) error {
	result := make(chan error, 1)
	select {
	case t.jobs <- func() { result <- f() }:
		return <-result
	case <-t.gone:
		return errEnded
	}
}

// stop ends the thread. Its namespaces live on only in the processes that are
// in them.
func (t *thread) stop() {
	select {
	case <-t.end:
	default:
		close(t.end)
	}
	<-t.gone
}
