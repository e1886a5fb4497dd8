package observe

import (
	"errors"
	"iter"

	"github.com/hostgc/hostgc/internal/safefs"
)

// The measures of reading ahead. On a warm cache two workers keep the kernel's
// part and the judge's on two cores; on a cold one they keep two requests with
// the disk.
const (
	workers    = 2
	chunkFiles = 64        // handed over at once: a handover costs as much as reading a file
	chunkBytes = 256 << 10 // of content in a chunk; a larger file is read when its turn comes
)

// ahead gives the entries as files, in their order, while it reads the next
// ones. A file is good until the next is asked for.
func (r reader) ahead(entries []entry) iter.Seq[*file] {
	return func(yield func(*file) bool) {
		var ws [workers]worker
		for i := range ws {
			ws[i] = r.work(entries, i)
			defer ws[i].stop()
		}
		for turn := 0; ; turn++ {
			w := ws[turn%workers]
			c, more := <-w.full
			if !more {
				return
			}
			for i := range c.files {
				f := &c.files[i]
				if errors.Is(f.err, safefs.ErrTooLarge) {
					r.read(f.entry, maxContent, nil, f)
				}
				if !yield(f) {
					return
				}
			}
			w.empty <- c
		}
	}
}

// chunk is some files and the memory for their contents.
type chunk struct {
	files []file
	buf   []byte
}

// worker reads chunks: they go to it empty and come back full.
type worker struct{ empty, full chan *chunk }

// work starts a worker, which reads each of the chunks whose turn it is.
func (r reader) work(entries []entry, turn int) worker {
	w := worker{make(chan *chunk, 2), make(chan *chunk, 2)}
	for range cap(w.empty) {
		w.empty <- &chunk{make([]file, chunkFiles), make([]byte, 0, chunkBytes)}
	}
	go func() {
		defer close(w.full)
		for at := turn * chunkFiles; at < len(entries); at += workers * chunkFiles {
			c, more := <-w.empty
			if !more {
				return
			}
			c.fill(r, entries[at:min(at+chunkFiles, len(entries))])
			w.full <- c
		}
	}()
	return w
}

// stop ends the worker and waits for it: the directories may be closed next.
func (w worker) stop() {
	close(w.empty)
	for range w.full {
	}
}

func (c *chunk) fill(r reader, entries []entry) {
	c.files, c.buf = c.files[:len(entries)], c.buf[:0]
	for i, e := range entries {
		free := c.buf[len(c.buf):]
		f := &c.files[i]
		r.read(e, int64(cap(free)), free, f)
		c.buf = c.buf[:len(c.buf)+len(f.content)]
	}
}
