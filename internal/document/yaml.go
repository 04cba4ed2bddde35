package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
)

// yamlBytes is how much of a YAML document is read. YAML is the only format whose
// tree is built, which allocates up to 180 bytes per byte.
const yamlBytes = 1 << 20

// YAML reads a YAML document, or several as one array. Aliases are null, because small
// documents with them can have very many values. Scalars keep their literal text. A value that
// begins with a number sign ("order: #W1", in YAML a comment) is a string. A damaged
// document delivers no events.
func YAML(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	docs, err := parseYAML(e.input(text, yamlBytes), e.interrupted)
	return e.yaml(docs, err)
}

// yaml delivers parsed documents.
func (e *emitter) yaml(docs []*yaml.Node, err error) Result {
	var w jsonWriter
	if len(docs) == 1 {
		w.node(docs[0])
	} else if len(docs) > 1 {
		w.node(&yaml.Node{Kind: yaml.SequenceNode, Content: docs})
	}
	return e.rewritten(FormatYAML, w.out, err)
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
	lines := bytes.SplitAfterN(text, []byte("\n"), max(line, 1))
	return &SyntaxError{Format: FormatYAML, Offset: int64(len(text) - len(lines[len(lines)-1]))}
}

// node writes a node and its content. Keys that are not scalars are left out. The depth of the
// recursion is bounded by the library's: 10,000.
func (w *jsonWriter) node(n *yaml.Node) {
	const marked = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	kind := String // of a scalar
	if n.Style&marked == 0 {
		kind = plainKind(view(n.Value))
	}
	switch {
	case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
		w.node(n.Content[0])
	case n.Kind == yaml.SequenceNode:
		w.out = append(w.out, '[')
		for i, item := range n.Content {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.node(item)
		}
		w.out = append(w.out, ']')
	case n.Kind == yaml.MappingNode:
		w.out = append(w.out, '{')
		for pair := range slices.Chunk(n.Content, 2) {
			if key := pair[0]; key.Kind == yaml.ScalarNode {
				w.key(key.Value)
				w.node(pair[1])
			}
		}
		w.out = append(w.out, '}')
	case n.Kind == yaml.AliasNode, kind == Null:
		w.out = append(w.out, "null"...)
	case kind == String:
		w.quote(view(n.Value))
	default:
		w.out = append(w.out, n.Value...)
	}
}
