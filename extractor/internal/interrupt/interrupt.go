// Package interrupt ends the reading of a result soon after its context.
package interrupt

import "context"

const (
	// Interval is the number of bytes read between two questions to the context.
	Interval = 64 << 10
	// Event is the number of bytes that take about as long to read as what is done once for
	// each key, item, line or word.
	Event = 64
)

// Signal tells a reader when to stop. A nil Signal never does. It is not safe for
// concurrent use.
type Signal struct {
	ctx   context.Context
	left  int // bytes until the context is asked again
	ended bool
}

// New returns a signal that ends with a context.
func New(ctx context.Context) Signal { return Signal{ctx: ctx, left: Interval} }

// After counts bytes that were read, or work that takes as long, and reports whether to
// stop. It asks the context once for each Interval, also when it has ended, so that a
// context can tell how much work follows.
func (s *Signal) After(bytes int) bool {
	if s == nil {
		return false
	}
	if s.left -= bytes; s.left < 0 {
		s.left = Interval
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
