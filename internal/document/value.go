package document

import (
	"encoding"
	"encoding/json"
	"maps"
	"slices"
)

// maxValues is the number of values that are delivered from []any and map[string]any, whose shared
// parts can make a small value very large.
const maxValues = 1 << 20

// Value reads a Go value as encoding/json writes it. Unlike there, a []byte and an error
// are text where decoded JSON can hold them, and an element that cannot be written is left
// out. Strings are not opened. After 1,048,576 values of []any and map[string]any reading stops with
// [ErrValues].
func Value(v any, vis Visitor, lim Limits) Result {
	r := valueReader{newEmitter(vis, lim), maxValues}
	r.value(v)
	return r.result(FormatValue)
}

// valueReader converts Go values into events.
type valueReader struct {
	*emitter
	left int // values that may still be delivered
}

// value delivers the containers of decoded JSON, and other values by their encoding. The
// depth of its recursion is bounded by Limits.Depth.
func (r *valueReader) value(v any) {
	switch v := v.(type) {
	case string:
		r.scalar(String, valid(view(v)))
	case []byte:
		r.scalar(String, valid(v))
	case []any:
		if r.array() {
			for _, item := range v {
				if !r.element(r.item(), item) {
					break
				}
			}
			r.end()
		}
	case map[string]any:
		if r.object() {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if !r.element(r.key(valid(view(name))), v[name]) {
					break
				}
			}
			r.end()
		}
	default:
		r.encoded(v)
	}
}

// element delivers a value if the visitor takes it, and reports whether it wants more.
func (r *valueReader) element(d Decision, v any) bool {
	switch {
	case d == Take && r.left == 0:
		r.recordError(ErrValues)
		return false
	case d == Take:
		r.left--
		r.value(v)
	}
	return d != Stop
}

// encoded delivers what encoding/json writes for a value, or the text of an error.
func (r *valueReader) encoded(v any) {
	depth := r.depth
	text, isError, err := encode(v)
	switch {
	case err == nil && isError:
		r.scalar(String, valid(text))
	case err == nil:
		err = newJSONReader(r.emitter, text).value(content{})
	}
	if err != nil {
		r.recordError(err)
		r.endTo(depth)
	}
}

// encode returns what encoding/json writes for a value, or the text of an error. Both call
// foreign code, which may panic.
func encode(v any) (text []byte, isError bool, err error) {
	defer func() {
		if recover() != nil {
			err = ErrMarshal
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
