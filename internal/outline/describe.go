package outline

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// kindNames are the names of the kinds of values.
var kindNames = [kinds]string{document.Null: "null", document.Bool: "boolean", document.Number: "number", document.String: "string", object: "object", array: "array"}

// describe describes the values of a node, most frequent kinds first.
func (r *renderer) describe(n *node) string {
	var parts []string
	for _, kind := range byCount(n) {
		switch {
		case kind == object:
			parts = append(parts, r.describeObject(n))
		case kind == array:
			parts = append(parts, describeArray(n))
		case kind == document.Null && r.table:
			if n.values() == n.kinds[document.Null] {
				parts = append(parts, "empty")
			}
		default:
			parts = append(parts, kindNames[kind])
		}
	}
	if len(parts) == 0 {
		return "cut"
	}
	return strings.Join(parts, " or ")
}

// byCount returns the kinds of the values of a node, the most frequent first.
func byCount(n *node) (found []document.Kind) {
	for k, count := range n.kinds {
		if count > 0 {
			found = append(found, document.Kind(k))
		}
	}
	slices.SortStableFunc(found, func(a, b document.Kind) int {
		if a == document.Null || b == document.Null {
			return int(b) - int(a) // last
		}
		return n.kinds[b] - n.kinds[a]
	})
	return found
}

func (r *renderer) describeObject(n *node) string {
	if n.value != nil {
		const enough = 120 // bytes
		names := ""
		for i, name := range n.examples {
			if i > 1 && len(names) > enough {
				break
			}
			names += quote(name) + ", "
		}
		text := "object of " + keyRange(n) + " (" + names + "…)"
		if len(n.value.members) == 0 && n.value.elem == nil && n.value.value == nil {
			text += ", each " + r.describe(n.value)
		}
		return text
	}
	switch {
	case n.widest == 0 && !n.deep:
		return "empty object"
	case len(r.expanded[n]) > 0 || n.deep:
		return "object"
	}
	return "object of " + keyRange(n)
}

// keyRange describes the number of keys of an object.
func keyRange(n *node) string {
	if n.fewest < n.widest {
		return number(n.fewest) + " to " + count(n.widest, "key")
	}
	return count(n.widest, "key")
}

func describeArray(n *node) string {
	several := n.kinds[array] > 1
	switch {
	case n.deep && several:
		return "arrays"
	case n.deep:
		return "array"
	case n.most == 0 && several:
		return "empty arrays"
	case n.most == 0:
		return "empty array"
	case !several:
		return "array of " + elementsOf(n, n.most)
	}
	size := ""
	if n.least < n.most {
		size = number(n.least) + " to "
	}
	return "arrays of " + size + elementsOf(n, n.most) + ", " + number(elements(n)) + " in all"
}

// elements returns the number of elements of the arrays of a node.
func elements(n *node) int {
	if n.elem == nil {
		return 0
	}
	return n.elem.values()
}

// elementsOf describes a number of elements by their kinds.
func elementsOf(n *node, size int) string {
	if n.elem == nil {
		return count(size, "value")
	}
	found := byCount(n.elem)
	if len(found) == 1 {
		return count(size, kindNames[found[0]])
	}
	var parts []string
	for _, kind := range found {
		parts = append(parts, count(n.elem.kinds[kind], kindNames[kind]))
	}
	return count(size, "value") + " (" + strings.Join(parts, ", ") + ")"
}
