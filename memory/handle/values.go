package handle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is the depth to which values are read.
const maxDepth = 1000

// EncodeValue returns a value with Encode applied to all its texts, keys of objects included.
// The value is not modified: what changes is copied. Texts, JSON and values decoded from JSON
// keep their types. Another Go value that contains ids becomes what its JSON decodes to, with
// numbers as json.Number; one that JSON cannot encode stays as it is. A value deeper than 1,000,
// or with an object in which two keys would become one, is returned as it is.
func (t *Table) EncodeValue(value any) any {
	if t.Len() == 0 {
		return value
	}
	encoded, err := transform(value, 0, func(text string) (string, error) { return t.Encode(text), nil })
	if err != nil {
		return value
	}
	return encoded
}

// DecodeValue is the inverse of EncodeValue: it applies Decode to all texts.
func (t *Table) DecodeValue(value any) any {
	if t.Len() == 0 {
		return value
	}
	decoded, err := transform(value, 0, func(text string) (string, error) { return t.Decode(text), nil })
	if err != nil {
		return value
	}
	return decoded
}

// transform returns a copy of a value in which the texts are replaced.
func transform(value any, depth int, replace func(string) (string, error)) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("handle: value deeper than %d", maxDepth)
	}
	switch v := value.(type) {
	case nil, bool, int, int64, float64, json.Number:
		return value, nil
	case string:
		return replace(v)
	case []byte:
		return transformBytes(v, replace)
	case json.RawMessage:
		return transformBytes(v, replace)
	case jsontext.Value:
		return transformBytes(v, replace)
	case []string:
		return transformList(v, depth, replace)
	case []any:
		return transformList(v, depth, replace)
	case map[string]any:
		return transformMap(v, depth, replace)
	}
	return transformOther(value, depth, replace)
}

// transformBytes keeps a nil value, which stands for null.
func transformBytes[T ~[]byte](value T, replace func(string) (string, error)) (T, error) {
	text, err := replace(string(value))
	if value == nil {
		return nil, err
	}
	return T(text), err
}

func transformList[T any](list []T, depth int, replace func(string) (string, error)) ([]T, error) {
	if list == nil {
		return nil, nil
	}
	copied := make([]T, len(list))
	for i := range list {
		v, err := transform(any(list[i]), depth+1, replace)
		if err != nil {
			return nil, err
		}
		copied[i], _ = v.(T) // the same type, or nil
	}
	return copied, nil
}

func transformMap(object map[string]any, depth int, replace func(string) (string, error)) (map[string]any, error) {
	if object == nil {
		return nil, nil
	}
	copied := make(map[string]any, len(object))
	for key, value := range object {
		key, err := replace(key)
		if err != nil {
			return nil, err
		}
		if _, twice := copied[key]; twice {
			return nil, errors.New("handle: two keys would become one")
		}
		if copied[key], err = transform(value, depth+1, replace); err != nil {
			return nil, err
		}
	}
	return copied, nil
}

// transformOther replaces in the JSON of a Go value, and returns the value itself if nothing
// changes or it has no JSON.
func transformOther(value any, depth int, replace func(string) (string, error)) (any, error) {
	decoded, ok := plain(value)
	if !ok {
		return value, nil
	}
	changed := false
	noting := func(text string) (string, error) {
		replaced, err := replace(text)
		changed = changed || replaced != text
		return replaced, err
	}
	decoded, err := transform(decoded, depth+1, noting)
	if err != nil || !changed {
		return value, err
	}
	return decoded, nil
}

// plain returns what the JSON of a Go value decodes to, with all digits of its numbers, and false
// if it has none.
func plain(value any) (decoded any, ok bool) {
	defer func() {
		if recover() != nil { // of a MarshalJSON
			decoded, ok = nil, false
		}
	}()
	data, err := json.Marshal(value)
	if err != nil {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&decoded)
	return decoded, err == nil
}

// walk calls visit with the texts of a value.
func walk(value any, visit func(text string)) {
	_, _ = transform(value, 0, func(text string) (string, error) { visit(text); return text, nil })
}
