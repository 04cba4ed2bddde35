package document

import (
	"bytes"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON reads one JSON value. Duplicate keys are delivered as they come. Text after
// the value is reported as a [*SyntaxError] at its offset.
func JSON(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	r := newJSONReader(e, e.input(text, math.MaxInt))
	if err := r.value(content{}); err != nil {
		e.recordError(err)
	} else if !e.stopped && len(bytes.TrimLeft(r.text[r.pos:], jsonSpace)) > 0 {
		e.recordError(&SyntaxError{Format: FormatJSON, Offset: int64(r.pos)})
		e.rest = r.text[r.pos:]
	}
	return e.result(FormatJSON)
}

// NDJSON reads a sequence of JSON values, on separate lines or not, as one array.
// After a damaged value, reading resumes at the next line that begins a value.
func NDJSON(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	r := newJSONReader(e, e.input(text, math.MaxInt))
	e.array()
	for r.more() {
		ended, err := r.member(e.item(), 0, content{})
		if ended {
			break
		}
		if err != nil {
			e.recordError(err)
			e.endTo(1)
			r.resync()
		}
	}
	return e.result(FormatNDJSON)
}

// jsonWriter holds a document of another format, rewritten as JSON.
type jsonWriter struct{ out []byte }

// rewriteDepth is the maximum depth of a document that is rewritten: more
// than real documents have, and little enough for the stack.
const rewriteDepth = 1000

// quote writes a string. Invalid UTF-8 is replaced.
func (w *jsonWriter) quote(text []byte) { w.out, _ = jsontext.AppendQuote(w.out, text) }

// extend writes a text within the quotes of a string.
func (w *jsonWriter) extend(text []byte) {
	at := len(w.out)
	w.quote(text)
	w.out = append(w.out[:at], w.out[at+1:len(w.out)-1]...)
}

// separate begins a value of an array or an object.
func (w *jsonWriter) separate() {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
}

// key begins a member of an object.
func (w *jsonWriter) key(name string) {
	w.separate()
	w.quote(view(name))
	w.out = append(w.out, ':')
}

// rewritten reads a document that was rewritten as JSON, up to an error in it.
func (e *emitter) rewritten(f Format, text []byte, err error) Result {
	r := newJSONReader(e, text)
	if readErr := r.value(content{}); err == nil {
		err = readErr
	}
	if err != nil && !e.stopped {
		e.recordError(err)
	}
	return e.result(f)
}

// jsonReader converts JSON into events.
type jsonReader struct {
	*emitter
	jsonLexer
	outer int // open containers around the text
}

func newJSONReader(e *emitter, text []byte) *jsonReader {
	return &jsonReader{emitter: e, outer: e.depth, jsonLexer: jsonLexer{text: text}}
}

// more reports whether anything but white space and commas is left.
func (r *jsonReader) more() bool {
	for r.peek() == ',' {
		r.pos++
	}
	return r.pos < len(r.text)
}

// resync resumes after damage in a stream: at the next line that begins a value.
func (r *jsonReader) resync() {
	from := r.pos
	for r.pos < len(r.text) && (r.text[r.pos] != '{' && r.text[r.pos] != '[' || !startsLine(r.text, r.pos)) {
		r.pos = lineEnd(r.text, r.pos)
		r.peek()
	}
	if startsLine(r.text, from) {
		r.rest = append(r.rest, r.text[from:r.pos]...)
	}
}

// startsLine reports whether only white space precedes i on its line.
func startsLine(text []byte, i int) bool {
	before := bytes.TrimRight(text[:i], " \t")
	return len(before) == 0 || before[len(before)-1] == '\n'
}

// value reads the next value with its content.
func (r *jsonReader) value(of content) error {
	c := r.peek()
	if c == '{' || c == '[' {
		return r.container(of)
	}
	raw, plain, err := r.token(c)
	switch {
	case err != nil:
		return err
	case c == '"':
		r.scalar(String, r.unquote(raw, plain))
	case c == 'n':
		r.scalar(Null, raw)
	case c == 't', c == 'f':
		r.scalar(Bool, raw)
	case r.depth > r.outer && r.pos == len(r.text):
		return ErrTruncated // more digits may follow
	default:
		r.scalar(Number, raw)
	}
	return nil
}

// container reads an object or an array. The lists in a list of rows are rows: they are delivered as
// objects with the names of the columns as keys.
func (r *jsonReader) container(of content) error {
	start, end := r.pos, r.text[r.pos]+2 // in ASCII, the closing bracket
	isObject := end == '}'
	r.pos++
	literal, plain, more, err := r.next(end, true)
	switch {
	case isObject && more && r.typed(literal):
		return nil
	case (isObject || of.isRow) && !r.object(), !isObject && !of.isRow && !r.array():
		r.pos = start
		return r.skip(0)
	}
	var columns []string
	for i := 0; err == nil && more; i++ {
		decision, inner := Skip, content{} // a value without a column
		switch {
		case isObject:
			name := r.unquote(literal, plain)
			switch {
			case r.lim.Plain || !plain:
			case columns != nil && isAny(name, rowKeys...):
				inner.columns = columns
			case columns == nil && isAny(name, columnKeys...):
				columns = r.columnNames()
			}
			decision = r.key(name)
		case !of.isRow:
			decision, inner = r.item(), content{columns: of.columns, isRow: of.columns != nil}
		case i < len(of.columns):
			decision = r.key(view(of.columns[i]))
		}
		ended, failure := r.member(decision, end, inner)
		if ended || failure != nil {
			return failure
		}
		literal, plain, more, err = r.next(end, false)
	}
	return r.closed(err)
}

// member reads or skips a value of the open container, or its rest up to the byte that
// closes it. Nothing is read after the visitor stopped the outermost container. It reports
// whether the container ended.
func (r *jsonReader) member(d Decision, end byte, of content) (ended bool, err error) {
	switch {
	case d == Take:
		return false, r.value(of)
	case d == Skip:
		return false, r.skip(0)
	case r.depth > r.outer+1:
		if err = r.skip(0); err == nil {
			err = r.skipRest(end, false, 1)
		}
	}
	return true, r.closed(err)
}

// closed ends the open container, unless reading it failed.
func (r *jsonReader) closed(err error) error {
	if err == nil {
		r.end()
	}
	return err
}
