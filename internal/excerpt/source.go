package excerpt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	// chunkBytes is how much is read at a time: the size of a stored chunk.
	chunkBytes = 256 << 10
	// peekBytes is the most that may be left in the buffer when the next chunk is read.
	peekBytes = 8 << 10
)

// source reads a text in order, each chunk with one call.
type source struct {
	ctx      context.Context
	r        io.ReaderAt
	at, size int64
}

// newSource returns a reader of a text, whose buffer has room for a chunk at any time.
func newSource(ctx context.Context, r io.ReaderAt, size int64) *bufio.Reader {
	room := min(max(size, 0), chunkBytes) + peekBytes
	return bufio.NewReaderSize(&source{ctx: ctx, r: r, size: size}, int(room))
}

// Read implements io.Reader. The only error that is not wrapped is io.EOF at the end.
func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, readFailed(err)
	}
	if s.at >= s.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), chunkBytes-s.at%chunkBytes, s.size-s.at)]
	n, err := s.r.ReadAt(p, s.at)
	n = min(max(n, 0), len(p))
	s.at += int64(n)
	switch {
	case n == len(p):
		return n, nil
	case err == nil:
		err = io.ErrNoProgress
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return n, readFailed(err)
}

func readFailed(err error) error { return fmt.Errorf("excerpt: reading the text: %w", err) }

// window returns the bytes that are buffered, at least a rune unless the text ends.
func window(r *bufio.Reader) ([]byte, error) {
	const least = 4
	if r.Buffered() < least {
		if _, err := r.Peek(least); err != nil && r.Buffered() == 0 {
			return nil, err
		}
	}
	return r.Peek(r.Buffered())
}
