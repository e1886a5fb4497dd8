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
	prints []uint64
	sorted bool
}

// NewCondemned gives an empty set.
func NewCondemned() *Condemned { return &Condemned{seed: maphash.MakeSeed()} }

// Add remembers an object in the state it is in.
func (c *Condemned) Add(o Object) {
	c.prints = append(c.prints, c.print(o))
	c.sorted = false
}

// Has reports whether the object was added, in just this state.
func (c *Condemned) Has(o Object) bool {
	if !c.sorted {
		slices.Sort(c.prints)
		c.sorted = true
	}
	_, found := slices.BinarySearch(c.prints, c.print(o))
	return found
}

// Len is the number of objects added.
func (c *Condemned) Len() int { return len(c.prints) }

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
