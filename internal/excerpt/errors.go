package excerpt

import (
	"errors"
	"strconv"
)

// ErrNotJSON is returned for a path in a text that is not JSON.
var ErrNotJSON = errors.New("excerpt: the text is not JSON: read it without a path, by offset or by query")

// RequestError describes what is wrong with a request, for its author. It holds nothing of
// the text that was to be read.
type RequestError struct {
	Field    string // path, offset, limit or query
	Position int    // of the error in a path, in bytes from 1; 0 for other fields
	Reason   string
}

// Error implements error.
func (e *RequestError) Error() string {
	text := "excerpt: " + e.Field + " " + e.Reason
	if e.Position > 0 {
		text += " at position " + strconv.Itoa(e.Position)
	}
	return text
}
