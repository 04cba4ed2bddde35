package memory

import "github.com/go-workingmemory/workingmemory/internal/slab"

const (
	// roundUp is the unit of the room that a record of a crowd has, so that the
	// next one is likely to fit in.
	roundUp = 32
	// maxSpares is how many rooms that became free are kept for the next records.
	maxSpares = 8
)

// crowd keeps any number of records. Each has a room of its own, which goes to
// another when it leaves.
type crowd struct {
	records slab.Hashed[record]
	spares  []record
}

func (c *crowd) pushFront(hash uint32, r record) {
	c.records.PushFront(hash, append(c.room(len(r)), r...))
}

func (c *crowd) pushBack(hash uint32, r record) {
	c.records.PushBack(hash, append(c.room(len(r)), r...))
}

func (c *crowd) replace(h slab.Handle, r record) {
	kept := c.records.At(h)
	if len(r) > cap(*kept) {
		c.spare(*kept)
		*kept = c.room(len(r))
	}
	*kept = append((*kept)[:0], r...)
}

func (c *crowd) remove(h slab.Handle) {
	c.spare(*c.records.At(h))
	c.records.Remove(h)
}

// room returns an empty record with room for n bytes.
func (c *crowd) room(n int) record {
	for i, r := range c.spares {
		if n <= cap(r) && cap(r) <= 2*n+roundUp {
			last := len(c.spares) - 1
			c.spares[i] = c.spares[last]
			c.spares = c.spares[:last]
			return r[:0]
		}
	}
	return make(record, 0, (n+roundUp-1)/roundUp*roundUp)
}

// spare keeps the room of a record that leaves, in place of the last one kept
// if there are enough.
func (c *crowd) spare(r record) {
	if len(c.spares) == maxSpares {
		c.spares = c.spares[:maxSpares-1]
	}
	c.spares = append(c.spares, r)
}

// clone returns a copy that shares nothing and has no room to spare.
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
