package document

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonSpace is what JSON takes for white space.
const jsonSpace = " \t\r\n"

// jsonDepth is where jsontext refuses to go deeper, even to skip.
const jsonDepth = 10_000

// JSON reads one JSON value. Duplicate keys are delivered as they come. What
// follows the value is reported as a [*SyntaxError] at its place.
func JSON(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	r := newJSONReader(e, e.input(text, math.MaxInt))
	defer r.close()
	if err := r.value(); err != nil {
		e.note(r.explain(err))
	} else if !e.stopped && r.more() {
		e.note(&SyntaxError{Format: FormatJSON, Offset: r.offset()})
	}
	return e.result(FormatJSON)
}

// NDJSON reads JSON values that follow each other, on lines of their own or
// not, as one array. A damaged value is left where it breaks, and reading goes
// on at the next line that starts one.
func NDJSON(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	r := newJSONReader(e, e.input(text, math.MaxInt))
	defer r.close()
	r.inStream = true
	e.array()
	for r.more() {
		start := r.offset()
		decision := e.item()
		if decision == Stop {
			break
		}
		var err error
		if decision == Take {
			err = r.value()
		} else {
			_, err = r.dec.ReadValue()
		}
		if err != nil {
			err = r.explain(err)
			e.note(err)
			e.endTo(1)
			r.resync(start, err)
		}
	}
	return e.result(FormatNDJSON)
}

// jsonReader turns the tokens of a jsontext.Decoder into events.
type jsonReader struct {
	*emitter
	dec      *jsontext.Decoder
	opts     []jsontext.Options
	src      bytes.Buffer
	text     []byte
	base     int    // where in text the decoder started
	unquoted []byte // scratch for strings with escapes
	inStream bool   // other values follow the outermost one
}

// jsonReaders keeps decoders with their stacks. A visitor that opens a string
// inside a document takes a second one.
var jsonReaders = sync.Pool{New: func() any {
	return &jsonReader{
		dec:  new(jsontext.Decoder),
		opts: []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)},
	}
}}

func newJSONReader(e *emitter, text []byte) *jsonReader {
	r := jsonReaders.Get().(*jsonReader)
	r.emitter, r.text, r.inStream = e, text, false
	r.start(0)
	return r
}

// close lets go of the document and gives the decoder back.
func (r *jsonReader) close() {
	const keep = 64 << 10
	r.emitter, r.text = nil, nil
	r.start(0)
	if cap(r.unquoted) > keep {
		r.unquoted = nil
	}
	jsonReaders.Put(r)
}

// start begins to read at an offset. From a bytes.Buffer the decoder reads
// without copying; it never writes to one.
func (r *jsonReader) start(offset int) {
	r.base = offset
	r.src = *bytes.NewBuffer(r.text[offset:])
	r.dec.Reset(&r.src, r.opts...)
}

// offset is where reading stands.
func (r *jsonReader) offset() int64 { return int64(r.base) + r.dec.InputOffset() }

// more reports whether anything is left but white space and, in a stream, commas.
func (r *jsonReader) more() bool {
	rest := bytes.TrimLeft(r.text[r.offset():], jsonSpace)
	if r.inStream && len(rest) > 0 && rest[0] == ',' {
		rest = bytes.TrimLeft(rest, jsonSpace+",")
		r.start(len(r.text) - len(rest))
	}
	return len(rest) > 0
}

// resync goes on after damage in a stream: at the place itself if it begins a
// line, or at the next line that begins a value.
func (r *jsonReader) resync(start int64, err error) {
	at := len(r.text)
	if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
		at = int(max(start, min(syntax.Offset, int64(at))))
		if begin := bytes.TrimLeft(r.text[start:], jsonSpace); at <= len(r.text)-len(begin) || !startsLine(r.text, at) {
			at = nextLine(r.text, at)
		}
	}
	for at < len(r.text) && !bytes.ContainsAny(r.text[at:at+1], "{[") {
		at = nextLine(r.text, at)
	}
	r.start(at)
}

// startsLine reports whether only white space stands before i on its line.
func startsLine(text []byte, i int) bool {
	before := bytes.TrimRight(text[:i], " \t")
	return len(before) == 0 || before[len(before)-1] == '\n'
}

// nextLine is where the text of the next line begins.
func nextLine(text []byte, i int) int {
	n := bytes.IndexByte(text[i:], '\n')
	if n < 0 {
		return len(text)
	}
	return len(text) - len(bytes.TrimLeft(text[i+n:], jsonSpace))
}

// value reads one value with all it contains, or until the visitor stops at
// its outermost container.
func (r *jsonReader) value() error {
	outer := r.depth
	for found := true; found; {
		err := r.read()
		if err == nil {
			found, err = r.seek(outer)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read delivers a scalar or opens a container.
func (r *jsonReader) read() error {
	switch kind := r.dec.PeekKind(); {
	case kind == '{' && r.object(), kind == '[' && r.array():
		_, err := r.dec.ReadToken()
		return err
	default:
		raw, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		return r.deliver(kind, raw)
	}
}

// deliver hands out a scalar. Containers that come here were too deep.
func (r *jsonReader) deliver(kind jsontext.Kind, raw []byte) error {
	switch kind {
	case 'n':
		r.scalar(Null, raw)
	case 't', 'f':
		r.scalar(Bool, raw)
	case '0':
		if r.dec.StackDepth() > 0 && r.offset() == int64(len(r.text)) {
			return io.ErrUnexpectedEOF // more digits may have followed
		}
		r.scalar(Number, raw)
	case '"':
		if text, ok := r.unquote(raw); ok {
			r.scalar(String, text)
		}
	}
	return nil
}

// seek goes to the next value that the visitor takes, within the containers
// opened since outer. False means that there is none.
func (r *jsonReader) seek(outer int) (found bool, err error) {
	for r.depth > outer {
		var decision Decision
		switch kind := r.dec.PeekKind(); kind {
		case '}', ']':
			if _, err := r.dec.ReadToken(); err != nil {
				return false, err
			}
			r.end()
			continue
		default:
			if decision, err = r.ask(kind); err != nil {
				return false, err
			}
		}
		switch {
		case decision == Take:
			return true, nil
		case decision == Skip:
			// Not SkipValue: it goes token by token, where ReadValue checks the
			// grammar only. Neither copies.
			_, err = r.dec.ReadValue()
		case r.depth == outer+1 && !r.inStream:
			r.end()
		default:
			err = r.leave()
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// ask asks the visitor about the value that comes next in the open container.
func (r *jsonReader) ask(kind jsontext.Kind) (Decision, error) {
	if kind == jsontext.KindInvalid {
		_, err := r.dec.ReadToken() // gives the error that PeekKind met
		return Stop, err
	}
	if container, _ := r.dec.StackIndex(r.dec.StackDepth()); container == '[' {
		return r.item(), nil
	}
	raw, err := r.dec.ReadValue()
	if err != nil {
		return Stop, err
	}
	name, ok := r.unquote(raw)
	if !ok {
		return Skip, nil
	}
	return r.key(name), nil
}

// leave passes over the rest of the open container and closes it.
func (r *jsonReader) leave() error {
	for {
		switch r.dec.PeekKind() {
		case '}', ']':
			_, err := r.dec.ReadToken()
			if err == nil {
				r.end()
			}
			return err
		default:
			if _, err := r.dec.ReadValue(); err != nil {
				return err
			}
		}
	}
}

// unquote gives the text of a string literal, or false if it is too long.
func (r *jsonReader) unquote(raw []byte) ([]byte, bool) {
	const longestEscape = len(`\u0000`)
	text := raw[1 : len(raw)-1]
	if len(text) > longestEscape*r.lim.Scalar {
		r.note(ErrScalar)
		return nil, false
	}
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return text, true
	}
	// The error is about invalid UTF-8, which is replaced.
	r.unquoted, _ = jsontext.AppendUnquote(r.unquoted[:0], raw)
	return r.unquoted, true
}

// explain turns an error of jsontext, which quotes the document, into one that does not.
func (r *jsonReader) explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), !errors.As(err, &syntax):
		return ErrTruncated
	case strings.Count(string(syntax.JSONPointer), "/") >= jsonDepth:
		return ErrDepth
	default:
		return &SyntaxError{Format: FormatJSON, Offset: int64(r.base) + syntax.ByteOffset}
	}
}
