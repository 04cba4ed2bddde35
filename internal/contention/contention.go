// Package contention retries changes that conflict with concurrent ones.
package contention

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Attempts is the largest number of attempts at a change.
const Attempts = 100

// Retry calls change until it returns nil or an error other than conflict, at most
// Attempts times. It waits between attempts; if ctx ends then, the error wraps ctx.Err().
func Retry(ctx context.Context, conflict error, change func() error) error {
	for attempt := 0; ; attempt++ {
		err := change()
		if f, ok := errors.AsType[*final](err); ok {
			return f.err
		}
		if !errors.Is(err, conflict) || attempt == Attempts-1 {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return fmt.Errorf("%v: %w", conflict, err)
		}
	}
}

// Final marks an error of change that Retry returns unwrapped and without another
// attempt, even if it is a conflict.
func Final(err error) error { return &final{err} }

type final struct{ err error }

func (e *final) Error() string { return e.err.Error() }

// pause waits for a random duration, which doubles with each attempt up to 51 ms.
func pause(ctx context.Context, attempt int) error {
	timer := time.NewTimer(rand.N(100 * time.Microsecond << min(attempt, 9)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
