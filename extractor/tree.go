package extractor

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxTreeNodes is the size limit of trees that rules select from.
const maxTreeNodes = 100_000

// node is a value in a document that a rule selects from.
type node struct {
	scalar   string
	array    bool
	names    []string // of an object's children
	children []*node
}

// treeBuilder is a document.Visitor that builds a tree of limited size.
type treeBuilder struct {
	limits  *Limits
	signal  *interrupt.Signal
	root    *node
	open    []*node
	name    string
	nodes   int
	nesting int
	cut     bool
}

func (b *treeBuilder) Key(name []byte) document.Decision {
	b.name = string(bytes.Trim(name, `"`)) // of a table whose text is in quotes
	return b.Item()
}

func (b *treeBuilder) Item() document.Decision {
	if b.nodes >= maxTreeNodes {
		b.cut = true
		return document.Stop
	}
	if b.signal.After(interrupt.Event) {
		return document.Stop
	}
	return document.Take
}

func (b *treeBuilder) Object() { b.push(&node{}) }
func (b *treeBuilder) Array()  { b.push(&node{array: true}) }
func (b *treeBuilder) End()    { b.open = b.open[:len(b.open)-1] }

func (b *treeBuilder) Scalar(kind document.Kind, text []byte) {
	trimmed := bytes.TrimSpace(text)
	if kind == document.String && len(b.open) > 0 && len(trimmed) > 1 && reading.LooksLikeJSON(trimmed) && b.nesting < reading.MaxNestedText {
		b.nesting++
		document.ReadText(trimmed, b, b.limits.document())
		b.nesting--
		return
	}
	n := &node{}
	if kind != document.Null && len(text) <= shape.MaxID {
		n.scalar = string(text)
	}
	b.attach(n)
}

func (b *treeBuilder) push(n *node) {
	b.attach(n)
	b.open = append(b.open, n)
}

func (b *treeBuilder) attach(n *node) {
	b.nodes++
	if len(b.open) == 0 {
		if b.root == nil {
			b.root = n
		}
		return
	}
	parent := b.open[len(b.open)-1]
	parent.children = append(parent.children, n)
	if !parent.array {
		parent.names = append(parent.names, b.name)
	}
}

// find calls a function for each node at a path, with the full path of the node. Arrays that the path does
// not mention are entered.
func (n *node) find(steps []string, at string, found func(n *node, at string)) {
	switch {
	case n == nil || len(at) > memory.MaxTextBytes:
	case len(steps) == 0:
		found(n, at)
	default:
		for i, child := range n.children {
			name := strconv.Itoa(i)
			below := at + "[" + name + "]"
			if !n.array {
				name, below = n.names[i], at+"."+n.names[i]
			}
			switch {
			case steps[0] == "*" || steps[0] == name:
				child.find(steps[1:], below, found)
			case n.array:
				child.find(steps, below, found)
			}
		}
	}
}

// text returns the first scalar at a path, or "".
func (n *node) text(steps []string) (text string) {
	if len(steps) > 0 {
		n.find(steps, "", func(found *node, _ string) { text = cmp.Or(text, found.scalar) })
	}
	return text
}
