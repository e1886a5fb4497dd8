package hostgc

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// Condemned remembers what one pass found to be garbage, for the next pass to
// confirm: 8 bytes an object, so that a million of them cost 8 MB.
//
// A clash of two fingerprints only lets the second pass remove at once what it
// judged garbage itself; at a million objects that happens once in 37,000
// sweeps.
type Condemned struct {
	seed   maphash.Seed
	prints [256][][]uint64 // by first byte, in blocks: what grows as one is copied, and for a while kept twice
	sorted bool
}

// blockSize is a page of fingerprints. A million of them make eight blocks a
// byte, each of which is searched.
const blockSize = 512

// NewCondemned gives an empty set.
func NewCondemned() *Condemned { return &Condemned{seed: maphash.MakeSeed()} }

// Add remembers an object in the state it is in.
func (c *Condemned) Add(o Object) {
	p := c.print(o)
	blocks := &c.prints[p>>56]
	n := len(*blocks)
	if n == 0 || len((*blocks)[n-1]) == blockSize {
		*blocks = append(*blocks, nil)
		n++
	}
	(*blocks)[n-1] = append((*blocks)[n-1], p)
	c.sorted = false
}

// Has reports whether the object was added, in just this state.
func (c *Condemned) Has(o Object) bool {
	if !c.sorted {
		for _, blocks := range c.prints {
			for _, prints := range blocks {
				slices.Sort(prints)
			}
		}
		c.sorted = true
	}
	p := c.print(o)
	return slices.ContainsFunc(c.prints[p>>56], func(prints []uint64) bool {
		_, found := slices.BinarySearch(prints, p)
		return found
	})
}

// Len is the number of objects added.
func (c *Condemned) Len() int {
	n := 0
	for _, blocks := range c.prints {
		for _, prints := range blocks {
			n += len(prints)
		}
	}
	return n
}

func (c *Condemned) print(o Object) uint64 {
	var buf [512]byte
	b := append(buf[:0], o.Dir...)
	b = append(b, 0)
	b = append(b, o.Name...)
	b = append(b, 0)
	for _, v := range [...]uint64{o.ID.Dev, o.ID.Ino, uint64(o.ID.Size), // #nosec: bits, not numbers
		uint64(o.ID.Mtime.UnixNano()), uint64(o.ID.Ctime.UnixNano())} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return maphash.Bytes(c.seed, b)
}
