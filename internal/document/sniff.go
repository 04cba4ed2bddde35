package document

import (
	"bytes"
	"errors"
	"math"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// sniffBytes is the number of bytes of a text that are examined to detect its format.
const sniffBytes = 64 << 10

// finding is a document within a text.
type finding struct {
	format Format
	body   []byte
	rows   func(text []byte) rows // of a table
}

// read reads the document. A table is an array of objects.
func (f finding) read(vis Visitor, lim Limits) Result {
	if f.rows == nil {
		return readers[f.format](f.body, vis, lim)
	}
	t := table{emitter: newEmitter(vis, lim)}
	for cells, kind := range f.rows(t.input(f.body, math.MaxInt)) {
		if kind == header {
			t.begin(cells)
		} else if !t.row(cells) {
			break
		}
	}
	return t.result(f.format)
}

// Sniff returns the format in which [ReadText] reads a text. YAML is recognized by its
// appearance; if it does not parse, it is read as lines or text.
func Sniff(text []byte) Format {
	lim := Limits{}.withDefaults()
	return sniff(text[:min(len(text), lim.Bytes)], lim.Nested).format
}

// sniff finds the document in a text that is a document as a whole. The checks are ordered by certainty: from the
// first characters of JSON and XML to formats that resemble prose. Texts that wrap a document
// are opened nested times.
func sniff(text []byte, nested int) finding {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	body := bytes.TrimLeft(text, " \t\r\n\v\f")
	if len(body) == 0 {
		return finding{format: FormatEmpty}
	}
	f := finding{body: body}
	switch c := body[0]; {
	case c == '{', c == '[', c == '(':
		f.format = bracketed(body)
	case c != '<':
		if scalar, ok := scalarDocument(body, nested); ok {
			f = scalar
		} else if isCall(body) {
			f.format = FormatPython
		}
	case isHTMLTable(body):
		f.format, f.rows = FormatTable, htmlRows
	case IsHTML(body):
		f.format = FormatText
	case isXML(body):
		f.format = FormatXML
	}
	if f.format != "" {
		return f
	}
	for range parts(body, nested, min(len(body), sniffBytes), false) { // a document with lines of its own
		return finding{format: FormatText, body: body}
	}
	margin := bytes.LastIndexByte(text[:len(text)-len(body)], '\n') + 1 // from which columns count
	if f, ok := lined(text[margin:]); ok {
		return f
	}
	return finding{format: FormatText, body: body}
}

// history matches the lines of git log --oneline, which begin with abbreviated digests followed by
// a sentence, even if it has a colon.
var history = regexp.MustCompile(`^[0-9a-f]{7,} .*\n[0-9a-f]{7,} `)

// lined detects the formats that consist of lines.
func lined(text []byte) (finding, bool) {
	if history.Match(text) {
		return finding{}, false
	}
	if f, ok := tableOf(text); ok {
		return f, true
	}
	title, rest, _ := bytes.Cut(text, []byte("\n"))
	isTitle := bytes.HasSuffix(bytes.TrimSpace(title), []byte(":")) || len(bytes.TrimSpace(firstLine(rest))) == 0
	if isTitle { // "Results:", or a line of its own
		if f, ok := tableOf(bytes.TrimLeft(rest, "\r\n")); ok {
			return f, true
		}
	}
	survey := surveyLines(text)
	if survey.isYAML() {
		return finding{format: FormatYAML, body: text}, true
	}
	return finding{format: FormatKeyValue, body: text}, survey.isKeyValue()
}

// quotedKey matches a key of JSON.
var quotedKey = regexp.MustCompile(`" ?:`)

// bracketed detects the format of a text that begins with a bracket: JSON unless its
// first tokens indicate another format, or none.
func bracketed(text []byte) Format {
	const bound = 512
	head := text[:min(len(text), bound)]
	end, err := jsonEnd(head)
	switch {
	case text[0] == '(' || errors.Is(err, &SyntaxError{}):
		isWrapped := end < len(head) && head[end] < ' ' // a line break in a string
		if isPython(text, !isWrapped) {                 // else cut off, and a remark behind it
			return FormatPython
		}
		if text[0] == '{' && bytes.Contains(firstLine(text), []byte(": ")) {
			if docs, err := parseYAML(text[:min(len(text), sniffBytes)], never); err == nil && len(docs) > 0 {
				return FormatYAML
			}
		}
		if !quotedKey.Match(head[:end]) {
			return ""
		}
	case err == nil && isFootnote(head, end):
		return ""
	case err == nil && opensJSON(bytes.TrimLeft(head[end:], jsonSpace+",")) || several(text):
		return FormatNDJSON
	}
	return FormatJSON
}

func opensJSON(text []byte) bool { return startsWith(text, "{[") }

// isFootnote reports whether JSON that ends at an offset is less than a document, and text follows: [1] See …
func isFootnote(text []byte, end int) bool {
	next := bytes.TrimLeft(text[end:], jsonSpace+",")
	return len(next) > 0 && !opensJSON(next) && !bytes.ContainsAny(text[:end], `"{`)
}

// several reports whether a value at the end of a line is followed by another. Within
// a value, only a comma or a bracket can follow a closing bracket.
func several(text []byte) bool {
	closed := false
	for line := range bytes.Lines(text[:min(len(text), sniffBytes)]) {
		if closed && opensJSON(line) {
			return true
		}
		if line = bytes.TrimRight(line, jsonSpace); len(line) > 0 {
			last := line[len(line)-1]
			closed = last == '}' || last == ']'
		}
	}
	return false
}

// scalarDocument detects a document that is a number, a JSON word or a JSON string,
// and opens the string if it holds a document.
func scalarDocument(text []byte, nested int) (finding, bool) {
	whole := bytes.TrimRight(text, jsonSpace)
	_, exponent := isNumber(whole)
	if n, err := jsonEnd(whole); err != nil || n < len(whole) || exponent { // 1e5 may be an id
		return finding{}, false
	}
	if whole[0] == '"' && nested > 0 {
		inner, _ := jsontext.AppendUnquote(nil, whole)
		if f := sniff(inner, nested-1); f.format != FormatText && f.format != FormatEmpty {
			return f, true
		}
	}
	return finding{format: FormatJSON, body: whole}, true
}

// jsonEnd returns the end of the JSON value at the start of a text.
func jsonEnd(text []byte) (int, error) {
	l := jsonLexer{text: text}
	err := l.skip(0)
	return l.pos, err
}

// isPython reports whether the beginning of a text parses as a Python literal, which may be
// cut off.
func isPython(text []byte, cut bool) bool {
	cut = cut || len(text) > sniffBytes
	text = text[:min(len(text), sniffBytes)]
	p := pythonReader{text: text}
	err := p.document()
	var syntax *SyntaxError
	if text[0] == '(' && (err != nil || bytes.IndexByte(text, ',') < 0) {
		return false // an aside in parentheses
	}
	return !errors.As(err, &syntax) && (cut || err == nil)
}

// The beginnings of a field of a Python object, and of a call with fields or a container.
var (
	pythonField = regexp.MustCompile(`^[\w[:^ascii:]]*=`)
	pythonCall  = regexp.MustCompile(`^[^(]{1,63}\(\s*(?:[{\[]|[\w[:^ascii:]]*=)`)
)

// isCall reports whether a text is exactly one Python call with named arguments or a container, or
// consists of the fields of a Python object, "meta=None content=[…]", one of them with values of its
// own.
func isCall(text []byte) bool {
	head := text[:min(len(text), sniffBytes)]
	isObject := pythonField.Match(head) && bytes.ContainsAny(head, "[({")
	isCall := pythonCall.Match(head) && bytes.HasSuffix(bytes.TrimRight(text, jsonSpace), []byte(")"))
	return (isObject || isCall) && isPython(text, true)
}

// firstLine returns the first line of a text without its line break.
func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}
