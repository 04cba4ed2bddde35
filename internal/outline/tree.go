package outline

import (
	"bytes"
	"errors"
	"hash/fnv"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

const (
	maxDepth = 8    // keys and indexes from the root to the deepest value that is described
	maxKeys  = 40   // keys of an object that are described
	maxNodes = 1024 // keys at the same depth that are described
	// maxOthers is the number of keys, in all objects, that are counted without being
	// described.
	maxOthers = 16 << 10
)

// Kinds of values: those of scalars in package document and two more.
const (
	object = document.String + 1
	array  = document.String + 2
	kinds  = 6
)

// node describes the values in one place of a document, over all elements of the arrays
// around it.
type node struct {
	name  []byte
	index int // among the members of its object
	kinds [kinds]int
	in    int // objects that have the key
	last  int // the latest of them

	members   []*node
	byName    map[string]*node
	guess     int                 // index of the next key, if objects are alike
	value     *node               // of all keys, if keys are data; then there are no members
	examples  [][]byte            // some of these keys
	others    *node               // the members beyond maxKeys
	otherKeys map[uint64]struct{} // hashes of keys that are no members; incomplete if many
	many      bool

	elem           *node
	deep           bool // the content is not described
	least, most    int  // elements of an array
	fewest, widest int  // keys of an object
}

// values returns the number of values.
func (n *node) values() (sum int) {
	for _, count := range n.kinds {
		sum += count
	}
	return sum
}

// frame is an open container.
type frame struct {
	node   *node // nil if the content is not described
	object bool
	serial int
	size   int
}

// builder builds the tree of a document from its events.
type builder struct {
	root    node
	next    *node // of the value that follows
	open    []frame
	serial  int // objects so far
	nodes   [maxDepth + 1]int
	others  int
	full    bool  // some keys were left out: there are more than maxNodes
	missing *node // of a value that did not follow before the latest End
	started bool
}

// begin returns the node of the value that begins.
func (b *builder) begin(kind document.Kind) *node {
	if !b.started {
		b.started, b.next = true, &b.root
	}
	n := b.next
	b.next = nil
	if n != nil {
		n.kinds[kind]++
	}
	return n
}

func (b *builder) Object() {
	n := b.begin(object)
	b.serial++
	b.open = append(b.open, frame{node: b.inside(n), object: true, serial: b.serial})
}

func (b *builder) Array() {
	b.open = append(b.open, frame{node: b.inside(b.begin(array))})
}

// inside returns the node of a container whose content is described, or nil.
func (b *builder) inside(n *node) *node {
	if n == nil || len(b.open) >= maxDepth {
		if n != nil {
			n.deep = true
		}
		return nil
	}
	return n
}

func (b *builder) Scalar(kind document.Kind, _ []byte) { b.begin(kind) }

// settle counts a value that was too long to follow; only strings can be.
func (b *builder) settle() {
	if b.next != nil {
		b.next.kinds[document.String]++
		b.next = nil
	}
	b.missing = nil
}

func (b *builder) Key(name []byte) document.Decision {
	b.settle()
	top := &b.open[len(b.open)-1]
	if top.node == nil {
		return document.Stop
	}
	b.next = b.member(top.node, name)
	again := b.next.last == top.serial
	if !again {
		b.next.last = top.serial
		b.next.in++
	}
	if shared := b.next == top.node.others || b.next == top.node.value; shared || !again {
		top.size++
	}
	return document.Take
}

func (b *builder) Item() document.Decision {
	b.settle()
	top := &b.open[len(b.open)-1]
	top.size++
	if top.node == nil {
		return document.Skip
	}
	if top.node.elem == nil {
		top.node.elem = &node{}
	}
	b.next = top.node.elem
	return document.Take
}

func (b *builder) End() {
	missing := b.next
	b.settle()
	b.missing = missing
	top := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	n := top.node
	switch {
	case n == nil:
	case top.object:
		n.fewest, n.widest = widen(n.fewest, n.widest, top.size, n.kinds[object])
	default:
		n.least, n.most = widen(n.least, n.most, top.size, n.kinds[array])
	}
}

// widen returns a range that includes the size of one more of count containers.
func widen(least, most, size, count int) (from, to int) {
	if count == 1 {
		return size, size
	}
	return min(least, size), max(most, size)
}

// member returns the node for a key: its own, or that of all keys or of those that are not
// described.
func (b *builder) member(n *node, name []byte) *node {
	name = identity(name)
	if n.guess < len(n.members) && string(n.members[n.guess].name) == string(name) {
		n.guess++
		return n.members[n.guess-1]
	}
	if m, ok := n.byName[string(name)]; ok {
		n.guess = m.index + 1
		return m
	}
	if len(n.members) == alike || len(n.members) == maxKeys && n.others == nil {
		b.collapse(n)
	}
	switch {
	case n.value != nil:
		b.other(n, name)
		return n.value
	case len(n.members) < maxKeys && b.nodes[len(b.open)] < maxNodes:
		b.nodes[len(b.open)]++
		m := &node{name: bytes.Clone(name), index: len(n.members)}
		n.put(m)
		return m
	}
	b.full = b.full || len(n.members) < maxKeys
	b.other(n, name)
	if n.others == nil {
		n.others = &node{}
	}
	return n.others
}

// put adds a member.
func (n *node) put(m *node) {
	if n.byName == nil {
		n.byName = map[string]*node{}
	}
	n.members, n.byName[string(m.name)] = append(n.members, m), m
}

// other counts a key that is not described.
func (b *builder) other(n *node, name []byte) {
	h := fnv.New64a()
	_, _ = h.Write(name)
	key := h.Sum64()
	if _, ok := n.otherKeys[key]; ok {
		return
	}
	if b.others == maxOthers {
		n.many = true
		return
	}
	if n.otherKeys == nil {
		n.otherKeys = map[uint64]struct{}{}
	}
	b.others++
	n.otherKeys[key] = struct{}{}
}

// identity returns a text of bounded length for each key, whose beginning is that of the
// key.
func identity(name []byte) []byte {
	const longest = 256 // more than is shown
	if len(name) <= longest {
		return name
	}
	h := fnv.New64a()
	_, _ = h.Write(name)
	return h.Sum(append([]byte(nil), name[:longest]...))
}

// reading is how a document was read.
type reading struct {
	document.Result
	cut    bool
	damage int // offset of text that violates the format, or -1
}

// read builds the tree of a text in any format.
func (b *builder) read(text []byte) reading {
	r := reading{Result: document.ReadText(text, b, document.Limits{Bytes: len(text) + 1, Nested: -1, Plain: true}), damage: -1}
	r.cut = errors.Is(r.Err, document.ErrTruncated)
	var syntax *document.SyntaxError
	if errors.As(r.Err, &syntax) {
		r.damage = int(syntax.Offset)
	}
	if b.missing != nil && (r.cut || r.damage >= 0) {
		b.missing.kinds[document.String]--
	}
	return r
}
