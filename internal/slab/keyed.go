package slab

import "hash/maphash"

// Keyed is a List whose entries have unique keys, by which they are found in constant
// time. The hash is seeded, so that hostile keys cannot slow it down. The zero value is
// empty and ready for use. A Keyed list is not safe for concurrent use and must not be
// copied (see Clone).
type Keyed[V any] struct {
	list Hashed[keyed[V]]
	seed maphash.Seed
}

type keyed[V any] struct {
	key   string
	value V
}

// Len returns the number of entries.
func (l *Keyed[V]) Len() int { return l.list.Len() }

// Slots returns the number of entries that fit before the slab grows.
func (l *Keyed[V]) Slots() int { return l.list.Slots() }

// Front returns the first entry, or None if the list is empty.
func (l *Keyed[V]) Front() Handle { return l.list.Front() }

// Next returns the entry after h, or None if h is the last.
func (l *Keyed[V]) Next(h Handle) Handle { return l.list.Next(h) }

// At returns a pointer to the value of an entry, which is valid until the next push.
func (l *Keyed[V]) At(h Handle) *V { return &l.list.At(h).value }

// Find returns the entry with a key, or None.
func (l *Keyed[V]) Find(key string) Handle {
	if l.Len() == 0 {
		return None
	}
	h := l.list.Find(l.hash(key))
	for h != None && l.list.At(h).key != key {
		h = l.list.FindNext(h)
	}
	return h
}

// PushBack inserts a value at the back. The key must not be in use.
func (l *Keyed[V]) PushBack(key string, v V) Handle {
	return l.list.PushBack(l.hash(key), keyed[V]{key, v})
}

// Remove removes an entry and drops the references of its value.
func (l *Keyed[V]) Remove(h Handle) { l.list.Remove(h) }

// Compact releases memory if most of the slots are unused. It invalidates handles.
func (l *Keyed[V]) Compact() {
	const spare = 16 // unused slots that are always kept
	if l.Slots() > 4*l.Len()+spare {
		*l = l.Clone()
	}
}

// Clone returns a copy without spare slots. Values are copied shallowly, and handles
// of the copy differ.
func (l *Keyed[V]) Clone() Keyed[V] {
	return Keyed[V]{list: l.list.Clone(), seed: l.seed}
}

func (l *Keyed[V]) hash(key string) uint32 {
	if l.seed == (maphash.Seed{}) {
		l.seed = maphash.MakeSeed()
	}
	return uint32(maphash.String(l.seed, key))
}
