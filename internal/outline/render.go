package outline

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// formatNames are the names of the formats of package document.
var formatNames = map[document.Format]string{
	document.FormatJSON: "JSON", document.FormatNDJSON: "JSON lines", document.FormatYAML: "YAML",
	document.FormatCSV: "CSV", document.FormatTSV: "TSV", document.FormatMarkdown: "table", document.FormatTable: "table",
	document.FormatPython: "Python literal", document.FormatXML: "XML", document.FormatKeyValue: "key: value",
}

// The limits of package document for formats that are slow to read.
const (
	yamlBytes = 1 << 20
	xmlBytes  = 16 << 20
)

// dataOutline returns the outline of a document that begins at an offset of a text.
func dataOutline(text []byte, at int) (format, structure string) {
	b := builder{}
	read := b.read(text[at:])
	root := &b.root
	frontMatter := read.Format == document.FormatYAML && root.elem != nil && root.elem.kinds[document.String] > 0 && root.elem.kinds[object] > 0
	if read.Format == document.FormatText || frontMatter || !b.started {
		return textOutline(text)
	}
	r := renderer{table: isTable(read.Format), xml: read.Format == document.FormatXML}
	r.paths = at == 0 && opensData(bytes.TrimLeft(text[:min(len(text), sampleBytes)], " \t\r\n")) && (read.Format == document.FormatJSON || read.Format == document.FormatNDJSON)
	if at > 0 {
		r.add(0, "begins on line "+number(countLines(text[:at])+1))
	}
	r.documents = read.Format == document.FormatYAML && bytes.Contains(text[:min(len(text), yamlBytes)], []byte("\n---\n"))
	if r.full = b.full; r.full {
		r.add(0, "too many different keys: not all are counted")
	}
	r.notes(text[at:], &read, at)
	r.tree(root)
	format = formatNames[read.Format]
	if at > 0 {
		format += " in text"
	}
	return format, r.text()
}

func isTable(f document.Format) bool {
	switch f {
	case document.FormatCSV, document.FormatTSV, document.FormatMarkdown, document.FormatTable:
		return true
	}
	return false
}

// renderer writes the lines of a structure.
type renderer struct {
	out   []string
	paths bool // containers by path
	table bool // objects are rows, keys are columns
	xml   bool
	full  bool // counts of objects with a key are not exact
	// documents is set if the elements of the outermost array are documents.
	documents bool

	expanded map[*node][]child
	hidden   map[*node]string // what is left out of an expanded one
}

// child is a line below that of a node.
type child struct {
	step string
	node *node
	of   int // objects that may have the key
}

func (r *renderer) add(depth int, line string) {
	r.out = append(r.out, strings.Repeat("  ", depth)+line)
}

// text returns the lines, within MaxLines and MaxBytes.
func (r *renderer) text() string { return limit(r.out) }

// limit joins lines, as many as are allowed.
func limit(lines []string) string {
	const cut = "…"
	size := 0
	for i, line := range lines {
		if size += len(line) + 1; i == MaxLines || size > MaxBytes-len(cut) {
			return strings.Join(append(lines[:min(i, MaxLines-1):min(i, MaxLines-1)], cut), "\n")
		}
	}
	return strings.Join(lines, "\n")
}

// notes adds what keeps the tree from being that of the whole text.
func (r *renderer) notes(text []byte, read *reading, at int) {
	rest := []byte(nil)
	if read.damage >= 0 {
		rest = bytes.TrimSpace(text[min(read.damage, len(text)):])
	}
	slow := map[document.Format]int{document.FormatYAML: yamlBytes, document.FormatXML: xmlBytes}[read.Format]
	switch {
	case read.cut && slow > 0 && len(text) > slow:
		r.add(0, fmt.Sprintf("of the first %d MiB:", slow>>20))
	case read.cut:
		r.add(0, "cut after "+number(at+len(text))+" bytes")
	case read.damage >= 0 && string(rest) != "```":
		what := "damaged near byte "
		if read.Format == document.FormatJSON {
			what = "not JSON from byte "
		}
		r.add(0, what+number(at+read.damage))
	}
	switch {
	case errors.Is(read.Err, document.ErrDepth):
		r.add(0, "too deep to be read as a whole")
	case errors.Is(read.Err, document.ErrValues):
		r.add(0, "too many values to be read as a whole")
	}
}

// tree adds the lines of a document.
func (r *renderer) tree(root *node) {
	r.plan(root)
	label := r.describe(root)
	switch {
	case r.paths:
		label = "$: " + label
	case r.table && root.kinds[array] > 0:
		label = count(elements(root), "row")
	case r.documents && root.kinds[array] > 0:
		label = count(elements(root), "document")
	}
	r.add(0, label)
	r.children(root, "$", 1)
}

// plan decides which containers are expanded: level by level, as long as there are lines.
func (r *renderer) plan(root *node) {
	const partial = 6 // lines that are worth a part of the children
	r.expanded, r.hidden = map[*node][]child{}, map[*node]string{}
	left := MaxLines - len(r.out) - 1
	for queue := []*node{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		all, keys := r.childrenOf(n)
		need := len(all)
		if keys.more(need) != "" {
			need++
		}
		switch {
		case len(all) == 0:
			continue
		case need > left && left < partial:
			continue
		case need > left:
			all, need = all[:min(len(all), left-1)], left
		}
		left -= need
		r.expanded[n] = all
		if more := keys.more(len(all)); more != "" {
			r.hidden[n] = more
		}
		for _, c := range all {
			queue = append(queue, c.node)
		}
	}
}

// keyCount is a number of different keys.
type keyCount struct {
	n    int
	many bool // there are more
	noun string
}

// more describes the keys beyond those that are shown.
func (k keyCount) more(shown int) string {
	switch n := k.n - shown; {
	case n <= 0:
		return ""
	case k.many:
		return "… more than " + count(n, "more "+k.noun)
	default:
		return "… " + count(n, "more "+k.noun)
	}
}

// keysOf returns the number of keys of the objects of a node.
func keysOf(n *node) keyCount {
	if n.kinds[object] == 1 {
		return keyCount{n: n.widest, noun: "key"}
	}
	return keyCount{n: len(n.members) + len(n.otherKeys), many: n.many, noun: "key"}
}

// childrenOf returns the lines below that of a node, and the number of keys that they are
// of. Objects in an array have their keys directly below it.
func (r *renderer) childrenOf(n *node) (all []child, keys keyCount) {
	each := "[*]"
	if !r.paths {
		each = ""
	}
	owner, prefix := n, ""
	if n.value != nil {
		owner, prefix = n.value, each
	} else if n.kinds[object] == 0 {
		owner, prefix = n.elem, each
	}
	switch {
	case owner == nil:
		return nil, keyCount{}
	case prefix == each && owner != n && (owner.kinds[array] > 0 || owner.kinds[object] > 0 && owner.value != nil):
		if each == "" {
			each = "each"
		}
		return []child{{step: each, node: owner}}, keyCount{}
	}
	for _, m := range owner.members {
		all = append(all, child{step: prefix + r.step(m.name), node: m, of: owner.kinds[object]})
	}
	if n.kinds[object] > 0 && owner == n && n.elem != nil && len(n.elem.members) > 0 {
		all = append(all, child{step: "[*]", node: n.elem})
	}
	if len(owner.members) > 0 {
		keys = keysOf(owner)
	}
	if r.table {
		keys.noun = "column"
	}
	return all, keys
}

// children adds the lines below that of a node.
func (r *renderer) children(n *node, path string, depth int) {
	const longest = 160 // bytes of a path that is worth repeating
	for _, c := range r.expanded[n] {
		label, below := c.step, path+c.step
		if r.paths && len(r.expanded[c.node]) > 0 && len(below) <= longest {
			label = below
		}
		r.add(depth, label+": "+r.describe(c.node)+r.share(c))
		r.children(c.node, below, depth+1)
	}
	if more := r.hidden[n]; more != "" {
		r.add(depth, more)
	}
}

// share describes how many of the objects have a key.
func (r *renderer) share(c child) string {
	n := c.node
	text := ""
	if r.table {
		if empty := n.kinds[document.Null]; empty > 0 && n.values() > empty {
			text = ", " + number(empty) + " empty"
		}
	}
	if values := n.values(); c.of > 0 && values > n.in && (c.of > 1 || r.xml) {
		text += ", " + number(values) + " in all"
	} else if c.of > 0 && values > n.in {
		text += ", " + number(values) + " times"
	}
	if c.of > 1 && n.in < c.of && !r.full {
		text += ", in " + number(n.in) + " of " + number(c.of)
	}
	return text
}
