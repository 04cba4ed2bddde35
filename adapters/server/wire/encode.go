package wire

import (
	"bytes"
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
	pieces, err := EncodePieces(v)
	switch {
	case err != nil:
		return nil, err
	case len(pieces) == 1:
		return pieces[0], nil
	}
	return bytes.Join(pieces, nil), nil
}

// EncodePieces is Encode in pieces: a large value is not copied again and again as it grows.
func EncodePieces(v any) (Pieces, error) {
	var p Pieces
	err := json.MarshalWrite(&p, v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsonnumbers.Out())
	if err != nil {
		return nil, fmt.Errorf("wire: %T has no JSON form", v)
	}
	return p, nil
}

// Pieces are the parts of a text.
type Pieces [][]byte

// Write implements io.Writer. It adds a copy of data.
func (p *Pieces) Write(data []byte) (int, error) {
	*p = append(*p, bytes.Clone(data))
	return len(data), nil
}

// Size is the length of the text in bytes.
func (p Pieces) Size() (sum int64) {
	for _, piece := range p {
		sum += int64(len(piece))
	}
	return sum
}
