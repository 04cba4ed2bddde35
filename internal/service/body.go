package service

import (
	"errors"
	"io"
)

// ErrTooLong is returned for a body of more bytes than allowed.
var ErrTooLong = errors.New("service: body is too long")

// firstBytes is the size of the first buffer of a body.
const firstBytes = 4 << 10

// ReadBody reads a body of at most most bytes. Before its buffer grows, it asks reserve for the
// bytes of the old and the new one, and then for those of the new one alone. Errors: ErrTooLong,
// those of reserve, and those of the reader.
func ReadBody(in io.Reader, most int64, reserve func(bytes int64) error) ([]byte, error) {
	var body []byte
	for {
		if old := int64(cap(body)); int64(len(body)) == old {
			size := min(max(2*old, firstBytes), most+1) // one more, to detect a longer one
			if err := reserve(old + size); err != nil {
				return nil, err
			}
			grown := make([]byte, len(body), size)
			copy(grown, body)
			if body = grown; old > 0 {
				if err := reserve(size); err != nil {
					return nil, err
				}
			}
		}
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > most:
			return nil, ErrTooLong
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}
