package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// yamlBytes is the number of bytes of a YAML document that are read. YAML is the only format whose
// tree is built, which allocates up to 180 bytes per byte.
const yamlBytes = 1 << 20

// YAML reads a YAML document, or several as one array. Aliases become null, because small
// documents with them can have very many values. Scalars keep their literal text. A value that
// begins with a number sign ("order: #W1", in YAML a comment) is a string. A damaged
// document delivers no events.
func YAML(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	docs, err := parseYAML(e.input(text, yamlBytes), e.interrupted)
	return e.yaml(docs, err)
}

// yamlOrLines reads YAML, to the last line within its bound, or lines if the text is not
// YAML.
func yamlOrLines(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	head := e.input(text, yamlBytes)
	if e.clipped {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	docs, err := parseYAML(head, e.interrupted)
	switch {
	case len(docs) > 0 && len(docs[0].Content) > 0 && docs[0].Content[0].Kind != yaml.ScalarNode: // any prose is a scalar
		return e.yaml(docs, err)
	case surveyLines(text).isKeyValue():
		return KeyValue(text, vis, lim)
	default:
		return Text(text, vis, lim)
	}
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
		for _, item := range n.Content {
			w.separate()
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

// quotePlain quotes plain values that tools print although YAML drops or rejects
// them: a word after a number sign, which would be a comment ("order: #W1"), a colon
// and space within a value ("title: Re: offer"), a reserved first character ("user:
// @ann").
func quotePlain(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/16)
	block := noBlock
	for line := range bytes.Lines(text) {
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		body := bytes.TrimRight(line[indent:], " \t\r\n")
		item := bytes.TrimLeft(body, "- ")
		_, value, _ := bytes.Cut(item, []byte(": "))
		isReserved := startsWith(item, "#@`%*") || startsWith(bytes.TrimLeft(value, " "), "#@`%*")
		hasColon := bytes.Contains(value, []byte(": ")) || bytes.HasSuffix(value, []byte(":"))
		if block.holds(line) || !isReserved && !hasColon { // the expressions take time
			out = append(out, line...)
			continue
		}
		for _, form := range dropped {
			if m := form.FindSubmatch(body); m != nil {
				quoted := bytes.ReplaceAll(m[2], []byte("'"), []byte("''"))
				line = slices.Concat(line[:indent], m[1], []byte("'"), quoted, []byte("'\n"))
				break
			}
		}
		out = append(out, line...)
	}
	return out
}

// blockScalar is the indent of the key, or item, of an open block scalar of YAML, or noBlock.
type blockScalar int

const noBlock blockScalar = -1

// holds reports whether the next line is in a block scalar: below "body: |" or "- >-", and indented.
func (b *blockScalar) holds(line []byte) bool {
	body := bytes.TrimSpace(line)
	indent := blockScalar(len(line) - len(bytes.TrimLeft(line, " ")))
	if len(body) > 0 && indent <= *b {
		*b = noBlock
	}
	if *b > noBlock {
		return true
	}
	head := bytes.TrimRight(body, "+-123456789")
	key := bytes.TrimRight(head, "|>")
	if len(key)+1 == len(head) && (bytes.HasSuffix(key, []byte(": ")) || string(key) == "- ") {
		*b = indent
	}
	return false
}

// dropped are the forms of lines with a value that YAML drops or rejects: in a list or behind a key with a
// reserved first character, and behind a key with a colon before any comment.
var dropped = []*regexp.Regexp{
	regexp.MustCompile("^((?:- +)+|" + yamlKey + ")(#[\\w[:^ascii:]].*|[@`%].+|\\*\\*.*)$"),
	regexp.MustCompile("^(" + yamlKey + ")((?:[^\"'{\\[#&*!@`%](?:[^ ]| +[^ #])*)?:(?: .*)?)$"),
}

// yamlKey matches a plain key.
const yamlKey = "(?:- +)*[^\"'{\\[#&*!|>%@` ](?:[^:]|:[^ ])*: +"
