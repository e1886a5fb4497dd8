package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// console is standard error: log lines, and on a terminal below them one line
// of progress that is drawn anew in place.
type console struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	drawn    bool
}

func newConsole(w io.Writer) *console {
	f, ok := w.(*os.File)
	return &console{w: w, terminal: ok && isTerminal(f)}
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// Write writes whole lines over the progress line.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	return c.w.Write(p)
}

func (c *console) erase() {
	if c.drawn {
		fmt.Fprint(c.w, "\r\x1b[K")
		c.drawn = false
	}
}

func (c *console) draw(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	fmt.Fprint(c.w, line)
	c.drawn = true
}

// done takes the progress line away.
func (c *console) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

// How often progress is told: often enough to see it move on a terminal, and
// rarely enough in a log to be read.
const (
	drawEvery = 200 * time.Millisecond
	logEvery  = 10 * time.Second
)
