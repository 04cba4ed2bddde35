// Package interrupt ends the reading of a result soon after its context.
package interrupt

import "context"

// Event is the cost of the work done for one key, item, line or word, as the number of bytes
// that take about as long to read.
const Event = 64

// interval is the number of bytes read between two checks of the context.
const interval = 64 << 10

// Signal tells a reader when to stop. A nil Signal never does. It is not safe for
// concurrent use.
type Signal struct {
	ctx   context.Context
	left  int // bytes until the next check of the context
	ended bool
}

// New returns a signal that ends with a context.
func New(ctx context.Context) Signal { return Signal{ctx: ctx, left: interval} }

// After counts bytes that were read, or work that takes as long, and reports whether to
// stop. It checks the context every 64 KB.
func (s *Signal) After(bytes int) bool {
	if s == nil {
		return false
	}
	if s.left -= bytes; s.left < 0 {
		s.left = interval
		s.ended = s.ctx.Err() != nil || s.ended
	}
	return s.ended
}

// Err returns the error of the context if After has reported its end.
func (s *Signal) Err() error {
	if !s.ended {
		return nil
	}
	return s.ctx.Err()
}
