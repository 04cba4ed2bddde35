package wire

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
)

// Encode returns the JSON of an answer or a request. Lists and objects are never null, names
// are sorted in maps, "<" and "&" are not escaped, and invalid UTF-8 becomes U+FFFD. It returns
// an error, without contents, for a value that JSON cannot represent, such as an infinite
// number.
func Encode(v any) ([]byte, error) {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsonnumbers.Out())
	if err != nil {
		return nil, fmt.Errorf("wire: %T has no JSON form", v)
	}
	return data, nil
}
