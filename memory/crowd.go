package memory

import "github.com/go-workingmemory/workingmemory/internal/slab"

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
	spares  []record
}

func (c *crowd) pushFront(hash uint32, r record) {
	c.records.PushFront(hash, append(c.buffer(len(r)), r...))
}

func (c *crowd) pushBack(hash uint32, r record) {
	c.records.PushBack(hash, append(c.buffer(len(r)), r...))
}

func (c *crowd) replace(h slab.Handle, r record) {
	kept := c.records.At(h)
	if len(r) > cap(*kept) {
		c.recycle(*kept)
		*kept = c.buffer(len(r))
	}
	*kept = append((*kept)[:0], r...)
}

func (c *crowd) remove(h slab.Handle) {
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
	}
	return clone
}
