package slab

import "sync/atomic"

// Ring is a list whose entries come in at the back and leave at the front. A
// copy of it shares its memory until one of the two changes, so that to branch it
// or to look at it later costs nothing where nobody does:
//
//	values  [ c | d | – | a | b ]     front ──▶ a b c d ◀── back
//
// Entries are copied at most once for each Share, and one that left is released
// as soon as no copy has it. The zero value is empty and ready for use. It is not
// safe for concurrent use, though each of several copies may be used by another
// goroutine, and must be copied by Share only.
type Ring[V any] struct {
	shared *ring[V] // nil before the first entry
	front  int      // where in it the first entry is
	length int
}

// ring is the memory of one Ring or several.
type ring[V any] struct {
	owners atomic.Int32 // only a single owner may write
	values []V          // all of it in use as slots
}

// Len returns the number of entries.
func (r *Ring[V]) Len() int { return r.length }

// AppendTo appends all values to a slice, the first one first.
func (r *Ring[V]) AppendTo(dst []V) []V { return r.AppendFirst(dst, r.length) }

// AppendFirst appends the first n values, of which there must be as many.
func (r *Ring[V]) AppendFirst(dst []V, n int) []V {
	head, tail := r.parts(n)
	return append(append(dst, head...), tail...)
}

// All calls yield with each value, the first one first, until it returns false.
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

// PushBack puts values behind all others.
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

// AppendLast appends the last n values, of which there must be as many.
func (r *Ring[V]) AppendLast(dst []V, n int) []V {
	if n == 0 {
		return dst
	}
	last := Ring[V]{shared: r.shared, front: (r.front + r.length - n) % len(r.shared.values), length: n}
	return last.AppendTo(dst)
}

// Drop takes out the first n values, of which there must be as many.
func (r *Ring[V]) Drop(n int) {
	switch {
	case n == 0:
		return
	case n == r.length && r.shared.owners.Load() > 1:
		r.Release()
		return
	}
	r.makeOwned(r.length) // what other copies still have cannot be cleared
	head, tail := r.parts(n)
	clear(head)
	clear(tail)
	r.front = (r.front + n) % len(r.shared.values)
	r.length -= n
}

// Share returns a copy. It takes constant time: the entries are copied when one
// of the two changes, unless the other is released before.
func (r *Ring[V]) Share() Ring[V] {
	if r.shared != nil {
		r.shared.owners.Add(1)
	}
	return *r
}

// Release empties the ring and gives its memory to its other copies, or free.
func (r *Ring[V]) Release() {
	if r.shared != nil {
		r.shared.owners.Add(-1)
	}
	*r = Ring[V]{}
}

// parts returns where the first n values are: those up to the end of the memory,
// and those that go on at its start.
func (r *Ring[V]) parts(n int) (head, tail []V) {
	if n == 0 {
		return nil, nil
	}
	values := r.shared.values
	head = values[r.front:min(r.front+n, len(values))]
	return head, values[:n-len(head)]
}

// makeOwned makes the memory the ring's alone, with slots for n entries.
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
	default: // what few entries are left need not have the room that many had
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
