package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"go.yaml.in/yaml/v3"
)

// yamlBytes is how much of a YAML document is read. YAML is the only format whose
// tree is built, which allocates up to 180 bytes per byte.
const yamlBytes = 1 << 20

// YAML reads a YAML document, or several as one array. Aliases and merge keys are
// resolved, within Limits.Values. Scalars keep their literal text. A value that
// begins with a number sign ("order: #W1", in YAML a comment) is a string. A damaged
// document delivers no events.
func YAML(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	text = e.input(text, yamlBytes)
	docs, err := parseYAML(text, e.interrupted)
	return e.yaml(len(text), docs, err)
}

// freeValues is the number of values that aliases may add to a YAML document besides one
// for each byte.
const freeValues = 1 << 10

// yaml delivers the parsed documents of a text of some bytes.
func (e *emitter) yaml(size int, docs []*yaml.Node, err error) Result {
	e.left = min(e.lim.Values, freeValues+size)
	y := &yamlReader{emitter: e}
	switch {
	case len(docs) == 1:
		y.node(docs[0])
	case len(docs) > 1:
		y.sequence(docs)
	}
	if err != nil {
		e.recordError(err)
	}
	return e.result(FormatYAML)
}

// parseYAML returns the documents of a text up to the first damaged one, or until
// interrupted reports true after so many more bytes.
func parseYAML(text []byte, interrupted func(bytes int) bool) (docs []*yaml.Node, err error) {
	text = quotePlain(valid(text))
	defer func() {
		if r := recover(); r != nil { // the library panics on some damaged input
			err = &SyntaxError{Format: FormatYAML}
		}
	}()
	dec := yaml.NewDecoder(&interruptedReader{bytes.NewReader(text), interrupted})
	for {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return docs, nil
		case err != nil:
			return docs, yamlError(text, err)
		}
		docs = append(docs, &doc)
	}
}

// interruptedReader is a reader that fails once it is interrupted.
type interruptedReader struct {
	io.Reader
	interrupted func(bytes int) bool
}

func (r *interruptedReader) Read(p []byte) (n int, err error) {
	if n, err = r.Reader.Read(p); err == nil && r.interrupted(n) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// isCollection reports whether a document is a mapping or sequence. Any prose is a
// scalar.
func isCollection(doc *yaml.Node) bool {
	return len(doc.Content) > 0 && doc.Content[0].Kind != yaml.ScalarNode
}

// yamlError replaces an error of the library, which may quote the document, by one
// that does not. The library reports only the line.
func yamlError(text []byte, err error) error {
	var line int
	_, _ = fmt.Sscanf(err.Error(), "yaml: line %d:", &line) // 0 without a line
	offset := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(text[offset:], '\n')
		if n < 0 {
			break
		}
		offset += n + 1
	}
	return &SyntaxError{Format: FormatYAML, Offset: int64(offset)}
}

// yamlReader converts nodes into events. The depth of its recursion is bounded by
// Limits.Depth, the number of calls by Limits.Values.
type yamlReader struct{ *emitter }

func (y yamlReader) node(n *yaml.Node) {
	switch n.Kind {
	case yaml.DocumentNode:
		for _, content := range n.Content {
			y.node(content)
		}
	case yaml.AliasNode:
		y.node(n.Alias)
	case yaml.SequenceNode:
		y.sequence(n.Content)
	case yaml.MappingNode:
		if y.object() {
			y.mapping(n, nil, 0)
			y.end()
		}
	case yaml.ScalarNode:
		const marked = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
		if text := view(n.Value); n.Style&marked != 0 {
			y.scalar(String, text)
		} else {
			y.plain(text)
		}
	}
}

func (y yamlReader) sequence(nodes []*yaml.Node) {
	if !y.array() {
		return
	}
	for _, n := range nodes {
		decision := y.item()
		if decision == Stop {
			break
		}
		if decision == Take {
			y.node(n)
		}
	}
	y.end()
}

// mapping delivers the keys of a mapping, or of a sequence of mappings, that were not seen
// yet, its own before those it merges. It reports whether the visitor wants more.
func (y yamlReader) mapping(n *yaml.Node, seen map[string]bool, depth int) bool {
	if depth > y.lim.Depth {
		y.recordError(ErrDepth)
		return true
	}
	if depth > 0 && !y.spend() { // merging costs work even if it delivers nothing
		return false
	}
	var merged []*yaml.Node
	switch n.Kind {
	case yaml.AliasNode:
		merged = []*yaml.Node{n.Alias}
	case yaml.SequenceNode:
		merged = n.Content
	case yaml.MappingNode:
		for key, value := range pairs(n) {
			switch {
			case key.Tag == "!!merge":
				merged = append(merged, value)
			case seen[key.Value]:
				if !y.spend() {
					return false
				}
			case !y.pair(key, value):
				return false
			}
		}
		if len(merged) > 0 && seen == nil {
			seen = map[string]bool{}
		}
		for key := range pairs(n) {
			if seen != nil {
				seen[key.Value] = true
			}
		}
	}
	for _, value := range merged {
		if !y.mapping(value, seen, depth+1) {
			return false
		}
	}
	return true
}

// pair delivers a key and its value, and reports whether the visitor wants more. Keys
// that are not scalars are ignored.
func (y yamlReader) pair(key, value *yaml.Node) bool {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode {
		return true
	}
	decision := y.key(view(key.Value))
	if decision == Take {
		y.node(value)
	}
	return decision != Stop
}

// pairs yields the keys and values of a mapping.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}
