package slab

// scanLimit is the length of the longest list that is searched linearly. Only longer
// lists have an index.
const scanLimit = 32

// Hashed is a List whose entries are found by a hash of their identity. It stores only
// the hashes, and several entries may have the same one: the caller compares the
// identities. The zero value is empty and ready for use. A Hashed list is not safe for
// concurrent use and must not be copied (see Clone).
type Hashed[V any] struct {
	list List[hashed[V]]
	// index is an open-addressed hash table with linear probing and a power of two of
	// slots. Each hash occurs once; hashed.same links the other entries that have it.
	// It is nil until the list first exceeds scanLimit.
	index  []Handle
	hashes int // occupied slots of index
}

type hashed[V any] struct {
	hash  uint32
	same  Handle // another entry with this hash; used only with an index
	value V
}

// Len returns the number of entries.
func (l *Hashed[V]) Len() int { return l.list.Len() }

// Slots returns the number of entries that fit before the slab grows.
func (l *Hashed[V]) Slots() int { return l.list.Slots() }

// Front returns the first entry, or None if the list is empty.
func (l *Hashed[V]) Front() Handle { return l.list.Front() }

// Back returns the last entry, or None if the list is empty.
func (l *Hashed[V]) Back() Handle { return l.list.Back() }

// Next returns the entry after h, or None if h is the last.
func (l *Hashed[V]) Next(h Handle) Handle { return l.list.Next(h) }

// Prev returns the entry before h, or None if h is the first.
func (l *Hashed[V]) Prev(h Handle) Handle { return l.list.Prev(h) }

// At returns a pointer to the value of an entry, which is valid until the next push.
func (l *Hashed[V]) At(h Handle) *V { return &l.list.At(h).value }

// Hash returns the hash of an entry.
func (l *Hashed[V]) Hash(h Handle) uint32 { return l.list.At(h).hash }

// Find returns an entry with the hash, or None. FindNext returns the others, in no
// particular order.
func (l *Hashed[V]) Find(hash uint32) Handle {
	if l.index != nil {
		return l.index[l.slot(hash)]
	}
	return l.scan(l.list.Front(), hash)
}

// FindNext returns another entry with the hash of h, or None after the last. h must be
// the result of Find or FindNext, and the list must not change in between.
func (l *Hashed[V]) FindNext(h Handle) Handle {
	e := l.list.At(h)
	if l.index != nil {
		return e.same
	}
	return l.scan(l.list.Next(h), e.hash)
}

// PushFront inserts a value at the front.
func (l *Hashed[V]) PushFront(hash uint32, v V) Handle {
	h := l.list.allocate()
	e := l.list.At(h)
	e.hash, e.value = hash, v
	l.list.link(h, None, l.list.front)
	l.linkHash(h)
	return h
}

// PushBack inserts a value at the back.
func (l *Hashed[V]) PushBack(hash uint32, v V) Handle {
	h := l.list.allocate()
	e := l.list.At(h)
	e.hash, e.value = hash, v
	l.list.link(h, l.list.back, None)
	l.linkHash(h)
	return h
}

// MoveToFront moves an entry to the front.
func (l *Hashed[V]) MoveToFront(h Handle) { l.list.MoveToFront(h) }

// Remove removes an entry and drops the references of its value.
func (l *Hashed[V]) Remove(h Handle) {
	if l.index != nil {
		l.unlinkHash(h)
	}
	l.list.Remove(h)
}

// Clone returns a copy without spare slots. Values are copied shallowly, and handles
// of the copy differ.
func (l *Hashed[V]) Clone() Hashed[V] {
	clone := Hashed[V]{list: l.list.Clone()}
	if clone.Len() > scanLimit {
		clone.buildIndex()
	}
	return clone
}

func (l *Hashed[V]) scan(from Handle, hash uint32) Handle {
	for h := from; h != None; h = l.list.Next(h) {
		if l.list.At(h).hash == hash {
			return h
		}
	}
	return None
}

// linkHash adds an entry, already in the list, to the index.
func (l *Hashed[V]) linkHash(h Handle) {
	switch {
	case l.index == nil && l.Len() <= scanLimit:
	case l.index == nil || l.hashes >= len(l.index)/4*3:
		l.buildIndex()
	default:
		l.addToIndex(h)
	}
}

// buildIndex builds an index of all entries that is at most half full.
func (l *Hashed[V]) buildIndex() {
	size := 2 * scanLimit
	for size < 2*l.Len() {
		size *= 2
	}
	l.index, l.hashes = make([]Handle, size), 0
	for h := l.Front(); h != None; h = l.Next(h) {
		l.addToIndex(h)
	}
}

func (l *Hashed[V]) addToIndex(h Handle) {
	e := l.list.At(h)
	slot := &l.index[l.slot(e.hash)]
	if *slot == None {
		l.hashes++
	}
	e.same, *slot = *slot, h
}

// slot returns the slot of a hash, or the empty slot where it belongs.
func (l *Hashed[V]) slot(hash uint32) uint32 {
	mask := uint32(len(l.index) - 1)
	for s := hash & mask; ; s = (s + 1) & mask {
		if h := l.index[s]; h == None || l.list.At(h).hash == hash {
			return s
		}
	}
}

// unlinkHash removes an entry, still in the list, from the index.
func (l *Hashed[V]) unlinkHash(h Handle) {
	e := l.list.At(h)
	slot := l.slot(e.hash)
	if first := l.index[slot]; first != h {
		for l.list.At(first).same != h {
			first = l.list.At(first).same
		}
		l.list.At(first).same = e.same
		return
	}
	l.index[slot] = e.same
	if e.same == None {
		l.hashes--
		l.closeGap(slot)
	}
}

// closeGap moves entries into a slot that became empty, because a search for them would
// otherwise end there.
func (l *Hashed[V]) closeGap(gap uint32) {
	mask := uint32(len(l.index) - 1)
	for s := (gap + 1) & mask; l.index[s] != None; s = (s + 1) & mask {
		home := l.list.At(l.index[s]).hash & mask
		if (s-home)&mask >= (s-gap)&mask {
			l.index[gap], l.index[s] = l.index[s], None
			gap = s
		}
	}
}
