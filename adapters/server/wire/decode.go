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
)

// Decode reads the JSON of a request or an answer into what v points to. Fields that are not
// known are passed over, null is as good as a field that is missing, names are what they are
// in every letter, and no object may have a name twice. Numbers in what has no type are
// json.Number of encoding/json.
//
// The error is an *Invalid: with up to MaxErrors places where something is missing or has
// the wrong type, or the one where the JSON breaks off. What could become far larger in
// memory than data is, is refused before it does.
func Decode(data []byte, v any) error { return new(Decoder).Decode(data, v, nil) }

// Decoder is Decode for whoever reads many bodies: it remembers what types look like. The zero
// value is ready. It is safe for concurrent use.
type Decoder struct {
	shapes sync.Map // of shapeKey to *shape
}

// Decode is as the function Decode. Before anything is made of data, room is told how many
// bytes that will be, about and at most; its error refuses them, and is returned as it is. nil
// refuses nothing.
func (d *Decoder) Decode(data []byte, v any, room func(bytes int64) error) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &Invalid{Fields: []FieldError{Field("missing", "Field required", nil, "body")}}
	}
	weight, deep := weigh(data)
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
	in := inspector{dec: jsontext.NewDecoder(bytes.NewBuffer(data)), shape: d.shape, root: reflect.TypeOf(v).Elem()}
	if err := in.body(); err != nil {
		return err
	}
	// The inspector has seen to names and to what can be read as what.
	err := json.Unmarshal(data, v, jsontext.AllowDuplicateNames(true), jsonnumbers.In())
	if err != nil {
		return &Invalid{Fields: []FieldError{valueError("it cannot be read", nil, "body")}}
	}
	return nil
}

// shapeKey is a struct that stands in a body of type root.
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

// broken is the error of a body that is no JSON.
func broken(why string, offset int64) *Invalid {
	return &Invalid{Fields: []FieldError{Field("json_invalid", "JSON decode error: "+why, nil, "body", offset)}}
}

// syntax says in plain words, without contents, why a body is no JSON.
func syntax(err error, offset int64) *Invalid {
	if at, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = at.ByteOffset
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return broken("an object has a name twice", offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return broken("it ends too early", offset)
	default:
		return broken("it is malformed here, or not UTF-8", offset)
	}
}
