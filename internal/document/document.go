package document

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
)

// Kind is the kind of a scalar.
type Kind uint8

// The kinds.
const (
	// Null is JSON's null, Python's None, YAML's ~, or an empty cell. Its text is null or
	// that of the document.
	Null Kind = iota
	// Bool has the text true or false.
	Bool
	// Number has the text of the document, unchanged: "9007199254740993", "1e400". In
	// formats that do not mark strings (YAML, tables, key: value) only plain decimals
	// are numbers; 007, 1e5 and 1_000 are strings there, because they may be ids.
	Number
	// String has the text without quotes and escapes. It is valid UTF-8: invalid
	// bytes are replaced by U+FFFD.
	String
)

// Decision is a visitor's answer to an upcoming value.
type Decision uint8

// The decisions.
const (
	// Take delivers the value.
	Take Decision = iota
	// Skip ignores the value. It is not delivered and, where the format allows it,
	// not decoded.
	Skip
	// Stop ignores the value and all that follow in the same array or object; in the
	// outermost one, reading ends. The container still gets its End.
	Stop
)

// Visitor receives the events of a document in document order. Byte slices are valid
// during the call only and must not be modified. Each value is preceded by Key in an
// object and by Item in an array. If the answer is Take, the value follows: Scalar,
// or Object or Array, the content and End.
//
// A value that exceeds a limit, or that damaged input cuts off before its first
// event, does not follow: after Take the next event may be the container's Key, Item
// or End. A document has at most one outermost value.
type Visitor interface {
	Object()
	Array()
	Key(name []byte) Decision
	Item() Decision
	End()
	Scalar(kind Kind, text []byte)
}

// An Interrupter is a Visitor that can end the reading where there are no events: among
// lines without keys, or while YAML is parsed, which is delivered only as a whole. It must
// then answer Stop to all events that follow.
type Interrupter interface {
	Visitor
	// Interrupted reports whether to end, after so many more bytes were read.
	Interrupted(bytes int) bool
}

// never is used where nothing can interrupt the reading.
func never(int) bool { return false }

// Format is a format of documents.
type Format string

// The formats.
const (
	FormatJSON     Format = "json"
	FormatNDJSON   Format = "ndjson" // several JSON values, delivered as one array
	FormatYAML     Format = "yaml"
	FormatCSV      Format = "csv" // separated by commas or semicolons
	FormatTSV      Format = "tsv"
	FormatMarkdown Format = "markdown" // Markdown tables
	FormatTable    Format = "table"    // tables as command lines print them
	FormatPython   Format = "python"   // Python literals and lenient JSON
	FormatXML      Format = "xml"
	FormatKeyValue Format = "keyvalue" // lines of "key: value"
	FormatValue    Format = "value"    // a Go value
	FormatText     Format = "text"     // anything else: one scalar of kind String
	FormatEmpty    Format = "empty"    // only white space: no events
)

// Limits bound the work on one document. A zero field means its default.
type Limits struct {
	// Depth is the number of containers that may be open at once. 0 means 64; the
	// maximum is 10,000. Deeper containers are skipped and reported as [ErrDepth];
	// the values beside them are read. Within a skipped JSON container another 10,000
	// levels are followed. Python and XML are read up to the first container deeper
	// than 1,000.
	Depth int
	// Bytes is the number of bytes of a text that are read. 0 means 64 MiB. A longer text is cut there
	// and reported as [ErrTruncated]. YAML and XML, which are slow to read, have
	// lower bounds of their own: 1 MiB and 16 MiB.
	Bytes int
	// Scalar is the length in bytes of the longest key or scalar. 0 means 64 KiB.
	// Longer ones are left out and reported as [ErrScalar]. The limit does not apply
	// to a document that is plain text.
	Scalar int
	// Nested is the number of times that a text around a document is opened: a JSON string that
	// holds JSON, a Markdown fence. 0 means 3, less than 0 means never.
	Nested int
	// Plain reads JSON objects that only name the type of a value, {"S": "a"}, as
	// objects instead of as the value.
	Plain bool
}

// withDefaults returns l with every field set.
func (l Limits) withDefaults() Limits {
	l.Depth = min(cmp.Or(l.Depth, 64), jsonDepth)
	l.Bytes = cmp.Or(l.Bytes, 64<<20)
	l.Scalar = cmp.Or(l.Scalar, 64<<10)
	l.Nested = cmp.Or(l.Nested, 3)
	return l
}

// Result reports how a document was read.
type Result struct {
	// Format is the format that the document was read as.
	Format Format
	// Err is nil if everything that the visitor wanted was read. Otherwise it wraps
	// one or more of [*SyntaxError], [ErrTruncated], [ErrDepth], [ErrScalar],
	// [ErrValues] and [ErrMarshal]. The delivered events are correct in
	// any case.
	Err error
	// Rest is the text behind a complete value of JSON, and between damaged ones.
	Rest []byte
}

// Errors in Result.Err.
var (
	ErrTruncated = errors.New("document: ends early")
	ErrDepth     = errors.New("document: nested too deep")
	ErrScalar    = errors.New("document: key or scalar too long")
	ErrValues    = errors.New("document: too many values")
	ErrMarshal   = errors.New("document: marshaler of a Go value failed")
)

// A SyntaxError is returned for a text that violates its format. It does not quote
// the text, which may be secret.
type SyntaxError struct {
	Format Format
	// Offset is the position of the error in bytes, exact or shortly after; for YAML,
	// it is the start of the line.
	Offset int64
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("document: %s: syntax error near byte %d", e.Format, e.Offset)
}

// Is reports whether target is of the same kind.
func (e *SyntaxError) Is(target error) bool {
	_, ok := target.(*SyntaxError)
	return ok
}

const byteOrderMark = "\ufeff"

// emitter passes events to a visitor and enforces the rules of every decoder:
// balance, depth and length of scalars.
type emitter struct {
	vis   Visitor
	lim   Limits
	depth int // open containers
	err   error

	rest    []byte // see Result
	clipped bool   // the text was cut at a limit
	stopped bool   // the visitor stopped the outermost container
}

// newEmitter returns an emitter for one document. lim needs no defaults yet.
func newEmitter(vis Visitor, lim Limits) *emitter {
	return &emitter{vis: vis, lim: lim.withDefaults()}
}

// interrupted reports whether the visitor ends the reading, after so many bytes without an
// event.
func (e *emitter) interrupted(bytes int) bool {
	until, ok := e.vis.(Interrupter)
	return ok && until.Interrupted(bytes)
}

// input returns the part of a text that is read: without byte order mark, at most
// Limits.Bytes and at most bound.
func (e *emitter) input(text []byte, bound int) []byte {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if bound = min(bound, e.lim.Bytes); len(text) > bound {
		e.clipped = true
		return text[:bound]
	}
	return text
}

// result closes all open containers and returns the result of reading.
func (e *emitter) result(f Format) Result {
	e.endTo(0)
	if e.clipped && !e.stopped {
		e.recordError(ErrTruncated)
	}
	return Result{Format: f, Err: e.err, Rest: e.rest}
}

// recordError records an error. The first of each kind is kept.
func (e *emitter) recordError(err error) {
	if !errors.Is(e.err, err) {
		e.err = errors.Join(e.err, err)
	}
}

// object opens an object. It reports false if the object is too deep and must be
// skipped.
func (e *emitter) object() bool { return e.enter(e.vis.Object) }

// array opens an array. It reports false if the array is too deep and must be
// skipped.
func (e *emitter) array() bool { return e.enter(e.vis.Array) }

func (e *emitter) enter(open func()) bool {
	if e.depth >= e.lim.Depth {
		e.recordError(ErrDepth)
		return false
	}
	e.depth++
	open()
	return true
}

func (e *emitter) end() {
	e.depth--
	e.vis.End()
}

func (e *emitter) endTo(depth int) {
	for e.depth > depth {
		e.end()
	}
}

func (e *emitter) key(name []byte) Decision {
	if len(name) > e.lim.Scalar {
		e.recordError(ErrScalar)
		return Skip
	}
	return e.applyDecision(e.vis.Key(name))
}

func (e *emitter) item() Decision {
	return e.applyDecision(e.vis.Item())
}

func (e *emitter) applyDecision(d Decision) Decision {
	e.stopped = e.stopped || d == Stop && e.depth == 1
	return d
}

func (e *emitter) scalar(kind Kind, text []byte) {
	if len(text) > e.lim.Scalar {
		e.recordError(ErrScalar)
		return
	}
	e.vis.Scalar(kind, text)
}
