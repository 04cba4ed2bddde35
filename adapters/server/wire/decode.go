package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
	"github.com/go-workingmemory/workingmemory/internal/jsonweight"
)

// MaxDepth is the maximum nesting of lists and objects in a body.
const MaxDepth = 1000

// Apart from its texts, a decoded body may take freeBytes plus bodyFactor times its length. Real
// bodies take far less; only a list of many tiny objects or numbers, meant to exhaust the
// memory, takes more.
const (
	bodyFactor = 12
	freeBytes  = 16 << 20
)

// Decode parses the JSON of a request or an answer and stores the result in the value pointed
// to by v. Unknown fields are ignored, null means the same as a missing field, names are
// case-sensitive, and duplicate names are an error. Numbers in untyped values become
// json.Number of encoding/json.
//
// The error is an *Invalid: up to MaxErrors missing or mistyped values, or the place of the
// syntax error. Decode refuses data that would take far more memory than its length before it
// allocates the memory.
func Decode(data []byte, v any) error { return new(Decoder).Decode(data, v, nil) }

// Decoder is Decode with a cache of types, for many bodies. The zero value is ready to use. A
// Decoder is safe for concurrent use.
type Decoder struct {
	// Strict makes unknown fields a mistake.
	Strict bool

	shapes sync.Map // of shapeKey to *shape
}

// Decode is like the function Decode. Before it allocates the result, it calls room with an
// estimate of the maximum number of bytes; if room returns an error, Decode returns it. room
// may be nil.
func (d *Decoder) Decode(data []byte, v any, room func(bytes int64) error) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &Invalid{Fields: []FieldError{Field("missing", "Field required", nil, "body")}}
	}
	weight, deep := jsonweight.Of(data, MaxDepth)
	switch {
	case deep >= 0:
		return broken("nesting is deeper than 1000", int64(deep))
	case weight > freeBytes+(1+bodyFactor)*int64(len(data)):
		return &Invalid{Fields: []FieldError{Field("too_complex", "Input has too many small values for its size", nil, "body")}}
	}
	if room != nil {
		if err := room(weight); err != nil {
			return err
		}
	}
	in := inspector{dec: jsontext.NewDecoder(bytes.NewBuffer(data)), shape: d.shape, strict: d.Strict, root: reflect.TypeOf(v).Elem()}
	if err := in.body(); err != nil {
		return err
	}
	// The inspector has checked names and types.
	err := json.Unmarshal(data, v, jsontext.AllowDuplicateNames(true), jsonnumbers.In())
	if err != nil {
		return &Invalid{Fields: []FieldError{valueError("cannot be decoded", nil, "body")}}
	}
	return nil
}

// shapeKey is the type of a struct within a body of type root.
type shapeKey struct{ of, root reflect.Type }

func (d *Decoder) shape(of, root reflect.Type) *shape {
	key := shapeKey{of, root}
	if known, ok := d.shapes.Load(key); ok {
		return known.(*shape)
	}
	s := shapeOf(of, root)
	d.shapes.Store(key, s)
	return s
}

// broken is the error of a body that is not JSON.
func broken(why string, offset int64) *Invalid {
	return &Invalid{Fields: []FieldError{Field("json_invalid", "JSON decode error: "+why, nil, "body", offset)}}
}

// syntax converts a syntax error to one without contents.
func syntax(err error, offset int64) *Invalid {
	if at, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = at.ByteOffset
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return broken("duplicate object member name", offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return broken("unexpected end of input", offset)
	default:
		return broken("invalid syntax or invalid UTF-8", offset)
	}
}
