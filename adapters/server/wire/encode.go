package wire

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
)

// Encode returns the JSON of an answer or a request: lists and objects are never null, names
// are in order, "<" and "&" are written as they are, and a byte that is not UTF-8 becomes
// U+FFFD. Errors: what JSON has no form for, such as infinite numbers; their texts have no
// contents.
func Encode(v any) ([]byte, error) {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsonnumbers.Out())
	if err != nil {
		return nil, fmt.Errorf("wire: %T has no JSON form", v)
	}
	return data, nil
}
