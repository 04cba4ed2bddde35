package slab

// scanLimit is how many entries are searched one by one. Only a longer list
// has an index: below, a map takes about as long to search, and several times
// as long to copy.
const scanLimit = 32

// Keyed is a List whose entries can be found by a key. Several entries may have
// the same key. The zero value is empty and ready for use. It is not safe for
// concurrent use, and must not be copied (see Clone).
type Keyed[V any] struct {
	list List[keyed[V]]
	// index holds one entry of each key; the others follow by keyed.same. It is
	// nil until the list first grows past scanLimit.
	index map[string]Handle
}

type keyed[V any] struct {
	key   string
	same  Handle // another entry with this key; only where there is an index
	value V
}

// Len returns the number of entries.
func (k *Keyed[V]) Len() int { return k.list.Len() }

// Slots returns how many entries fit before the slab has to grow.
func (k *Keyed[V]) Slots() int { return k.list.Slots() }

// Front returns the first entry, None if there is none.
func (k *Keyed[V]) Front() Handle { return k.list.Front() }

// Back returns the last entry, None if there is none.
func (k *Keyed[V]) Back() Handle { return k.list.Back() }

// Next returns the entry behind h, None if h is the last.
func (k *Keyed[V]) Next(h Handle) Handle { return k.list.Next(h) }

// At returns the value of an entry, to be read or changed in place. The pointer
// is valid until the next push.
func (k *Keyed[V]) At(h Handle) *V { return &k.list.At(h).value }

// Find returns an entry with the key, None if there is none. FindNext has the
// others, in no particular order.
func (k *Keyed[V]) Find(key string) Handle {
	if k.index != nil {
		return k.index[key]
	}
	return k.scan(k.list.Front(), key)
}

// FindNext returns another entry with the key of h, which came from Find or
// FindNext, and None after the last. The list must not change in between.
func (k *Keyed[V]) FindNext(h Handle) Handle {
	e := k.list.At(h)
	if k.index != nil {
		return e.same
	}
	return k.scan(k.list.Next(h), e.key)
}

// PushFront puts a value before all others.
func (k *Keyed[V]) PushFront(key string, v V) Handle {
	h := k.list.PushFront(keyed[V]{key: key, value: v})
	k.enter(h)
	return h
}

// PushBack puts a value behind all others.
func (k *Keyed[V]) PushBack(key string, v V) Handle {
	h := k.list.PushBack(keyed[V]{key: key, value: v})
	k.enter(h)
	return h
}

// MoveToFront puts an entry before all others.
func (k *Keyed[V]) MoveToFront(h Handle) { k.list.MoveToFront(h) }

// Remove takes an entry out. What its value refers to is released.
func (k *Keyed[V]) Remove(h Handle) {
	k.leave(h)
	k.list.Remove(h)
}

// Clone returns a copy that shares nothing but what the values refer to. It has
// no more slots than entries; handles differ.
func (k *Keyed[V]) Clone() Keyed[V] {
	clone := Keyed[V]{list: k.list.Clone()}
	if clone.Len() > scanLimit {
		clone.buildIndex()
	}
	return clone
}

func (k *Keyed[V]) scan(from Handle, key string) Handle {
	for h := from; h != None; h = k.list.Next(h) {
		if k.list.At(h).key == key {
			return h
		}
	}
	return None
}

// enter adds an entry, already in the list, to the index.
func (k *Keyed[V]) enter(h Handle) {
	switch {
	case k.index != nil:
		k.addToIndex(h)
	case k.Len() > scanLimit:
		k.buildIndex()
	}
}

func (k *Keyed[V]) buildIndex() {
	k.index = make(map[string]Handle, k.Len())
	for h := k.Front(); h != None; h = k.Next(h) {
		k.addToIndex(h)
	}
}

func (k *Keyed[V]) addToIndex(h Handle) {
	e := k.list.At(h)
	e.same = k.index[e.key]
	k.index[e.key] = h
}

// leave takes an entry, still in the list, out of the index.
func (k *Keyed[V]) leave(h Handle) {
	if k.index == nil {
		return
	}
	e := k.list.At(h)
	first := k.index[e.key]
	switch {
	case first != h:
		for k.list.At(first).same != h {
			first = k.list.At(first).same
		}
		k.list.At(first).same = e.same
	case e.same != None:
		k.index[e.key] = e.same
	default:
		delete(k.index, e.key)
	}
}
