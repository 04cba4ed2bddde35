package outline

import (
	"maps"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// alike is the number of members from which on an object may be a map of records by key.
const alike = 8

// collapse replaces the members of an object by one node if its keys are data, such as ids:
// if all values are objects and most have most keys, or if there are many values of one kind.
func (b *builder) collapse(n *node) {
	all := &node{}
	keys := 0
	for _, m := range n.members {
		keys += len(m.members)
		merge(all, m)
	}
	if all.kinds[document.Null] = 0; len(byCount(all)) != 1 {
		return
	}
	if all.kinds[object] > 0 {
		if all.value == nil && (keys == 0 || 2*keys < len(n.members)*len(all.members)) {
			return // sections rather than records
		}
	} else if len(n.members) < maxKeys {
		return
	}
	b.count(n, len(b.open), -1)
	for _, m := range n.members {
		b.other(n, m.name)
		all.kinds[document.Null] += m.kinds[document.Null]
		if len(n.examples) < alike {
			n.examples = append(n.examples, m.name)
		}
	}
	n.value, n.members, n.byName = all, nil, nil
	b.count(all, len(b.open)+1, 1)
}

// count adds the members of a node at a depth, and all below them, to the number of nodes.
func (b *builder) count(n *node, depth, by int) {
	for _, m := range n.members {
		b.nodes[depth] += by
		b.count(m, depth+1, by)
	}
	for _, m := range []*node{n.value, n.others, n.elem} {
		if m != nil {
			b.count(m, depth+1, by)
		}
	}
}

// merge adds what is known of the values of n to dst.
func merge(dst, n *node) {
	if n.kinds[object] > 0 {
		if dst.kinds[object] == 0 {
			dst.fewest, dst.widest = n.fewest, n.widest
		}
		dst.fewest, dst.widest = min(dst.fewest, n.fewest), max(dst.widest, n.widest)
	}
	if n.kinds[array] > 0 {
		if dst.kinds[array] == 0 {
			dst.least, dst.most = n.least, n.most
		}
		dst.least, dst.most = min(dst.least, n.least), max(dst.most, n.most)
	}
	for k, count := range n.kinds {
		dst.kinds[k] += count
	}
	dst.in += n.in
	dst.deep = dst.deep || n.deep
	for _, m := range n.members {
		known := dst.byName[string(m.name)]
		if known == nil {
			known = &node{name: m.name, index: len(dst.members)}
			dst.put(known)
		}
		merge(known, m)
	}
	if len(n.otherKeys) > 0 {
		if dst.otherKeys == nil {
			dst.otherKeys = map[uint64]struct{}{}
		}
		maps.Copy(dst.otherKeys, n.otherKeys)
	}
	dst.many = dst.many || n.many
	mergeInto(&dst.others, n.others)
	mergeInto(&dst.elem, n.elem)
	if n.value != nil && dst.examples == nil {
		dst.examples = n.examples
	}
	mergeInto(&dst.value, n.value)
	if dst.value != nil {
		for _, m := range dst.members {
			merge(dst.value, m)
		}
		dst.members, dst.byName = nil, nil
	}
}

func mergeInto(dst **node, n *node) {
	if n == nil {
		return
	}
	if *dst == nil {
		*dst = &node{}
	}
	merge(*dst, n)
}
