package document

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Value reads a Go value as encoding/json writes it. Unlike there, a []byte and an error
// are text where decoded JSON can hold them, and an element that cannot be written is left
// out. Strings are not opened.
func Value(v any, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	e.left = e.lim.Values
	e.value(v)
	return e.result(FormatValue)
}

// value delivers the types of decoded JSON as they are and any other type by its encoding.
// The depth of its recursion is bounded by Limits.Depth.
func (e *emitter) value(v any) {
	switch v := v.(type) {
	case nil:
		e.scalar(Null, []byte("null"))
	case string:
		e.scalar(String, valid(view(v)))
	case bool:
		e.scalar(Bool, strconv.AppendBool(nil, v))
	case float64:
		if number := jsontext.Float(v); number.Kind() == '0' {
			e.scalar(Number, view(number.String()))
		} else { // NaN or infinite
			e.scalar(Null, []byte("null"))
		}
	case int:
		e.scalar(Number, strconv.AppendInt(nil, int64(v), 10))
	case json.Number:
		e.number(view(string(v)))
	case json.RawMessage:
		e.json(v)
	case []byte:
		e.scalar(String, valid(v))
	case []any:
		e.list(v)
	case map[string]any:
		e.members(v)
	default:
		e.encoded(v)
	}
}

// number delivers a number, or a string if JSON does not have such a number.
func (e *emitter) number(text []byte) {
	kind := String
	if ok, _ := isNumber(text); ok {
		kind = Number
	}
	e.scalar(kind, valid(text))
}

func (e *emitter) list(items []any) {
	if !e.array() {
		return
	}
	for _, item := range items {
		decision := e.item()
		if decision == Stop {
			break
		}
		if decision == Take {
			e.value(item)
		}
	}
	e.end()
}

func (e *emitter) members(m map[string]any) {
	if !e.object() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		decision := e.key(valid(view(name)))
		if decision == Stop {
			break
		}
		if decision == Take {
			e.value(m[name])
		}
	}
	e.end()
}

// encoded delivers what encoding/json writes for a value, or the text of an error.
func (e *emitter) encoded(v any) {
	text, isError, err := encode(v)
	switch {
	case err != nil:
		e.recordError(err)
	case isError:
		e.scalar(String, valid(text))
	default:
		e.json(text)
	}
}

// json delivers embedded JSON.
func (e *emitter) json(text []byte) {
	depth := e.depth
	r := newJSONReader(e, text)
	defer r.close()
	if err := r.value(); err != nil {
		e.recordError(err)
		e.endTo(depth)
	}
}

// encode returns what encoding/json writes for a value, or the text of an error. Both call
// foreign code, which may panic.
func encode(v any) (text []byte, isError bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic", ErrMarshal)
		}
	}()
	switch v := v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
	case error:
		return []byte(v.Error()), true, nil
	}
	if text, err = json.Marshal(v); err != nil {
		return nil, false, ErrMarshal // the error may quote the value
	}
	return text, false, nil
}
