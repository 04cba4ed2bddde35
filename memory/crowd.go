package memory

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

const (
	// bufferUnit is the unit to which buffers are rounded up, so that the next record
	// is likely to fit.
	bufferUnit = 32
	// maxSpares is the number of free buffers kept for reuse.
	maxSpares = 8
)

// crowd holds any number of records, each in its own buffer. Buffers of removed
// records are reused.
type crowd struct {
	records slab.Hashed[record]
	aliases map[string][]slab.Handle
	spares  []record
	size    int // of all records, in bytes
}

func (c *crowd) pushFront(hash uint32, r record) {
	c.link(c.records.PushFront(hash, append(c.buffer(len(r)), r...)), r)
}

func (c *crowd) pushBack(hash uint32, r record) {
	c.link(c.records.PushBack(hash, append(c.buffer(len(r)), r...)), r)
}

// link counts a record and adds its aliases.
func (c *crowd) link(h slab.Handle, r record) {
	c.size += len(r)
	for alias := range r.aliases().all() {
		if c.aliases == nil {
			c.aliases = make(map[string][]slab.Handle)
		}
		c.aliases[string(alias)] = append(c.aliases[string(alias)], h)
	}
}

// unlink is the reverse of link.
func (c *crowd) unlink(h slab.Handle) {
	c.size -= len(*c.records.At(h))
	for alias := range (*c.records.At(h)).aliases().all() {
		left := slices.DeleteFunc(c.aliases[string(alias)], func(other slab.Handle) bool { return other == h })
		if c.aliases[string(alias)] = left; len(left) == 0 {
			delete(c.aliases, string(alias))
		}
	}
}

func (c *crowd) replace(h slab.Handle, r record) {
	c.unlink(h)
	c.link(h, r)
	kept := c.records.At(h)
	if len(r) > cap(*kept) {
		c.recycle(*kept)
		*kept = c.buffer(len(r))
	}
	*kept = append((*kept)[:0], r...)
}

func (c *crowd) remove(h slab.Handle) {
	c.unlink(h)
	c.recycle(*c.records.At(h))
	c.records.Remove(h)
}

// buffer returns an empty buffer for n bytes.
func (c *crowd) buffer(n int) record {
	for i, r := range c.spares {
		if n <= cap(r) && cap(r) <= 2*n+bufferUnit {
			last := len(c.spares) - 1
			c.spares[i] = c.spares[last]
			c.spares = c.spares[:last]
			return r[:0]
		}
	}
	return make(record, 0, (n+bufferUnit-1)/bufferUnit*bufferUnit)
}

// recycle keeps a buffer for reuse. If there are maxSpares already, it replaces the
// last one.
func (c *crowd) recycle(r record) {
	if len(c.spares) == maxSpares {
		c.spares = c.spares[:maxSpares-1]
	}
	c.spares = append(c.spares, r)
}

// clone returns a deep copy without spare capacity.
func (c *crowd) clone() *crowd {
	size := 0
	for h := c.records.Front(); h != slab.None; h = c.records.Next(h) {
		size += len(*c.records.At(h))
	}
	clone := &crowd{records: c.records.Clone()}
	all := make(record, 0, size)
	for h := clone.records.Front(); h != slab.None; h = clone.records.Next(h) {
		r := clone.records.At(h)
		start := len(all)
		all = append(all, *r...)
		*r = all[start:len(all):len(all)]
		clone.link(h, *r)
	}
	return clone
}
