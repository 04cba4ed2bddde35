package slab

import "hash/maphash"

// Keyed is a list whose entries have a key each, by which they are found in
// constant time. Strangers cannot choose keys that slow it down. The zero value
// is empty and ready for use. It is not safe for concurrent use, and must not be
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

// Slots returns how many entries fit before the slab has to grow.
func (l *Keyed[V]) Slots() int { return l.list.Slots() }

// Front returns the first entry, None if there is none.
func (l *Keyed[V]) Front() Handle { return l.list.Front() }

// Next returns the entry behind h, None if h is the last.
func (l *Keyed[V]) Next(h Handle) Handle { return l.list.Next(h) }

// At returns the value of an entry, to be read or changed in place. The pointer
// is valid until the next push.
func (l *Keyed[V]) At(h Handle) *V { return &l.list.At(h).value }

// Find returns the entry with a key, None if there is none.
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

// PushBack puts a value behind all others. No entry may have its key yet.
func (l *Keyed[V]) PushBack(key string, v V) Handle {
	return l.list.PushBack(l.hash(key), keyed[V]{key, v})
}

// Remove takes an entry out. What its value refers to is released.
func (l *Keyed[V]) Remove(h Handle) { l.list.Remove(h) }

// Compact releases memory if most of the slots are unused. Handles are not valid
// afterwards.
func (l *Keyed[V]) Compact() {
	const spare = 16 // slots that stay in any case
	if l.Slots() > 4*l.Len()+spare {
		*l = l.Clone()
	}
}

// Clone returns a copy that shares nothing but what the values refer to. It has
// no more slots than entries; handles differ.
func (l *Keyed[V]) Clone() Keyed[V] {
	return Keyed[V]{list: l.list.Clone(), seed: l.seed}
}

func (l *Keyed[V]) hash(key string) uint32 {
	if l.seed == (maphash.Seed{}) {
		l.seed = maphash.MakeSeed()
	}
	return uint32(maphash.String(l.seed, key))
}
