package slab

import "sync/atomic"

// Ring is a list whose entries are added at the back and removed at the front:
//
//	values  [ c | d | – | a | b ]     front ──▶ a b c d ◀── back
//
// A copy made by Share shares the memory until one of the two changes, so that branches
// and snapshots are cheap. Entries are copied at most once for each Share, and a removed
// entry is released as soon as no copy has it. The zero value is empty and ready for
// use. A Ring is not safe for concurrent use, although its copies may be used by
// different goroutines, and must only be copied by Share.
type Ring[V any] struct {
	shared *ring[V] // nil before the first entry
	front  int      // index of the first entry
	length int
}

// ring is memory shared by one or more Rings.
type ring[V any] struct {
	owners atomic.Int32 // only a single owner may write
	values []V          // the slots
}

// Len returns the number of entries.
func (r *Ring[V]) Len() int { return r.length }

// AppendTo appends all values to dst, in order.
func (r *Ring[V]) AppendTo(dst []V) []V { return r.AppendFirst(dst, r.length) }

// AppendFirst appends the first n values to dst. n must not exceed Len.
func (r *Ring[V]) AppendFirst(dst []V, n int) []V {
	head, tail := r.parts(n)
	return append(append(dst, head...), tail...)
}

// All calls yield with each value, in order, until it returns false.
func (r *Ring[V]) All(yield func(V) bool) {
	head, tail := r.parts(r.length)
	for _, part := range [2][]V{head, tail} {
		for i := range part {
			if !yield(part[i]) {
				return
			}
		}
	}
}

// PushBack adds values at the back.
func (r *Ring[V]) PushBack(vs ...V) {
	if len(vs) == 0 {
		return
	}
	r.makeOwned(r.length + len(vs))
	values := r.shared.values
	at := r.front + r.length
	if at >= len(values) {
		at -= len(values)
	}
	n := copy(values[at:], vs)
	copy(values, vs[n:])
	r.length += len(vs)
}

// AppendLast appends the last n values to dst. n must not exceed Len.
func (r *Ring[V]) AppendLast(dst []V, n int) []V {
	if n == 0 {
		return dst
	}
	last := Ring[V]{shared: r.shared, front: (r.front + r.length - n) % len(r.shared.values), length: n}
	return last.AppendTo(dst)
}

// Drop removes the first n values. n must not exceed Len.
func (r *Ring[V]) Drop(n int) {
	switch {
	case n == 0:
		return
	case n == r.length && r.shared.owners.Load() > 1:
		r.Release()
		return
	}
	r.makeOwned(r.length) // memory that other copies use must not be cleared
	head, tail := r.parts(n)
	clear(head)
	clear(tail)
	r.front = (r.front + n) % len(r.shared.values)
	r.length -= n
}

// Share returns a copy in constant time. The entries are copied when one of the two
// changes, unless the other is released before.
func (r *Ring[V]) Share() Ring[V] {
	if r.shared != nil {
		r.shared.owners.Add(1)
	}
	return *r
}

// Release empties the ring and gives up its share of the memory.
func (r *Ring[V]) Release() {
	if r.shared != nil {
		r.shared.owners.Add(-1)
	}
	*r = Ring[V]{}
}

// parts returns the first n values in two slices: those up to the end of the memory and
// those that continue at its start.
func (r *Ring[V]) parts(n int) (head, tail []V) {
	if n == 0 {
		return nil, nil
	}
	values := r.shared.values
	head = values[r.front:min(r.front+n, len(values))]
	return head, values[:n-len(head)]
}

// makeOwned gives the ring memory of its own, with slots for at least n entries.
func (r *Ring[V]) makeOwned(n int) {
	slots := 0
	if r.shared != nil {
		slots = len(r.shared.values)
	}
	switch {
	case n > slots:
		slots = max(n, slots+slots/4+4)
	case r.shared.owners.Load() == 1:
		return
	default: // a few remaining entries do not need the slots of many
		slots = min(slots, n+n/4+4)
	}
	moved := &ring[V]{values: make([]V, slots)}
	moved.owners.Store(1)
	head, tail := r.parts(r.length)
	copy(moved.values[copy(moved.values, head):], tail)
	if r.shared != nil {
		r.shared.owners.Add(-1)
	}
	r.shared, r.front = moved, 0
}
