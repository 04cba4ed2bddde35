package slab

// Handle names an entry of one List until that entry is removed. Afterwards it
// may name another entry.
type Handle int32

// MaxLen is the largest number of entries that a collection may be limited to. It
// leaves the handles room for a batch on top.
const MaxLen = 1 << 30

// None is the handle of no entry.
const None Handle = 0

// List is a doubly linked list in a slice. The zero value is empty and ready
// for use. It is not safe for concurrent use, and must not be copied (see Clone).
type List[V any] struct {
	nodes       []node[V] // the node of handle h is nodes[h-1]
	front, back Handle
	free        Handle // removed nodes, linked by next
	length      int
}

type node[V any] struct {
	prev, next Handle
	value      V
}

// Len returns the number of entries.
func (l *List[V]) Len() int { return l.length }

// Slots returns how many entries fit before the slab has to grow.
func (l *List[V]) Slots() int { return cap(l.nodes) }

// Front returns the first entry, None if there is none.
func (l *List[V]) Front() Handle { return l.front }

// Back returns the last entry, None if there is none.
func (l *List[V]) Back() Handle { return l.back }

// Next returns the entry behind h, None if h is the last.
func (l *List[V]) Next(h Handle) Handle { return l.node(h).next }

// At returns the value of an entry, to be read or changed in place. The pointer
// is valid until the next push.
func (l *List[V]) At(h Handle) *V { return &l.node(h).value }

// PushFront puts a value before all others.
func (l *List[V]) PushFront(v V) Handle {
	h := l.allocate()
	*l.At(h) = v
	l.link(h, None, l.front)
	return h
}

// PushBack puts a value behind all others.
func (l *List[V]) PushBack(v V) Handle {
	h := l.allocate()
	*l.At(h) = v
	l.link(h, l.back, None)
	return h
}

// MoveToFront puts an entry before all others.
func (l *List[V]) MoveToFront(h Handle) {
	if l.front == h {
		return
	}
	l.unlink(h)
	l.link(h, None, l.front)
}

// Remove takes an entry out. What its value refers to is released.
func (l *List[V]) Remove(h Handle) {
	l.unlink(h)
	*l.node(h) = node[V]{next: l.free}
	l.free = h
}

// Clone returns a copy that shares nothing but what the values refer to. It has
// no more slots than entries; handles differ.
func (l *List[V]) Clone() List[V] {
	if l.free == None {
		clone := *l
		clone.nodes = make([]node[V], l.length)
		copy(clone.nodes, l.nodes)
		return clone
	}
	clone := List[V]{nodes: make([]node[V], 0, l.length)}
	for h := l.front; h != None; h = l.Next(h) {
		clone.PushBack(*l.At(h))
	}
	return clone
}

func (l *List[V]) node(h Handle) *node[V] { return &l.nodes[h-1] }

// allocate returns a node that is not in the list and has the zero value.
func (l *List[V]) allocate() Handle {
	if h := l.free; h != None {
		l.free = l.node(h).next
		return h
	}
	if len(l.nodes) == cap(l.nodes) {
		l.grow()
	}
	l.nodes = l.nodes[:len(l.nodes)+1]
	return Handle(len(l.nodes))
}

// grow makes room for a quarter more, at least 4. append would double, which is
// half of the memory of a million lists of ten entries.
func (l *List[V]) grow() {
	n := len(l.nodes)
	nodes := make([]node[V], n, n+n/4+4)
	copy(nodes, l.nodes)
	l.nodes = nodes
}

func (l *List[V]) link(h, prev, next Handle) {
	n := l.node(h)
	n.prev, n.next = prev, next
	if prev == None {
		l.front = h
	} else {
		l.node(prev).next = h
	}
	if next == None {
		l.back = h
	} else {
		l.node(next).prev = h
	}
	l.length++
}

func (l *List[V]) unlink(h Handle) {
	n := l.node(h)
	if n.prev == None {
		l.front = n.next
	} else {
		l.node(n.prev).next = n.next
	}
	if n.next == None {
		l.back = n.prev
	} else {
		l.node(n.next).prev = n.prev
	}
	l.length--
}
