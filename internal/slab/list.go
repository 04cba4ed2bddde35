package slab

// Handle names an entry of a List until that entry is removed. Afterwards it may name
// another entry.
type Handle int32

// MaxLen is the largest limit of a collection. It leaves handles for a batch of
// entries beyond the limit.
const MaxLen = 1 << 30

// None is the handle of no entry.
const None Handle = 0

// List is a doubly linked list in a slice. The zero value is empty and ready for use.
// A List is not safe for concurrent use and must not be copied (see Clone).
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

// Slots returns the number of entries that fit before the slab grows.
func (l *List[V]) Slots() int { return cap(l.nodes) }

// Front returns the first entry, or None if the list is empty.
func (l *List[V]) Front() Handle { return l.front }

// Back returns the last entry, or None if the list is empty.
func (l *List[V]) Back() Handle { return l.back }

// Next returns the entry after h, or None if h is the last.
func (l *List[V]) Next(h Handle) Handle { return l.node(h).next }

// Prev returns the entry before h, or None if h is the first.
func (l *List[V]) Prev(h Handle) Handle { return l.node(h).prev }

// At returns a pointer to the value of an entry, which is valid until the next push.
func (l *List[V]) At(h Handle) *V { return &l.node(h).value }

// PushFront inserts a value at the front.
func (l *List[V]) PushFront(v V) Handle {
	h := l.allocate()
	*l.At(h) = v
	l.link(h, None, l.front)
	return h
}

// PushBack inserts a value at the back.
func (l *List[V]) PushBack(v V) Handle {
	h := l.allocate()
	*l.At(h) = v
	l.link(h, l.back, None)
	return h
}

// MoveToFront moves an entry to the front.
func (l *List[V]) MoveToFront(h Handle) {
	if l.front == h {
		return
	}
	l.unlink(h)
	l.link(h, None, l.front)
}

// Remove removes an entry and drops the references of its value.
func (l *List[V]) Remove(h Handle) {
	l.unlink(h)
	*l.node(h) = node[V]{next: l.free}
	l.free = h
}

// Clone returns a copy without spare slots. Values are copied shallowly, and handles
// of the copy differ.
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

// allocate returns a zero node that is not linked yet.
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

// grow grows the slab by a quarter and 4 nodes. append would double it, which would be
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
