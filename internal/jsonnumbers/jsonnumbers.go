// Package jsonnumbers reads and writes untyped JSON without losing digits: numbers
// are json.Number of encoding/json.
package jsonnumbers

import (
	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The options cache state for each type, so they are created once.
var (
	in = json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, value *any) (err error) {
		*value, err = read(dec)
		return err
	}))
	out = json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, number stdjson.Number) error {
		return enc.WriteValue(jsontext.Value(number))
	}))
)

// In returns the option of json.Unmarshal that reads values of type any as nil, bool,
// string, json.Number, []any and map[string]any.
func In() json.Options { return in }

// Out returns the option of json.Marshal that writes numbers unchanged.
func Out() json.Options { return out }

// read reads the next value. The decoder limits its depth.
func read(dec *jsontext.Decoder) (any, error) {
	switch dec.PeekKind() {
	case '{':
		return readObject(dec)
	case '[':
		return readList(dec)
	case '0':
		number, err := dec.ReadValue()
		return stdjson.Number(number), err
	}
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		return token.String(), nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil
	}
}

func readObject(dec *jsontext.Decoder) (any, error) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String() // before the token is overwritten
		if object[key], err = read(dec); err != nil {
			return nil, err
		}
	}
	_, err := dec.ReadToken()
	return object, err
}

func readList(dec *jsontext.Decoder) (any, error) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	list := []any{}
	for dec.PeekKind() != ']' {
		value, err := read(dec)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := dec.ReadToken()
	return list, err
}
