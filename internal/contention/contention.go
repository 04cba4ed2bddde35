// Package contention makes changes that others may get in the way of.
package contention

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Attempts is how often a change is tried that others get in the way of.
const Attempts = 100

// Retry calls change until it fails with anything but a conflict, up to Attempts times.
// In between it waits; the error is ctx.Err() if the context ends then.
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

// Final makes of an error in change one that Retry returns as it was, even if it is a
// conflict of something else.
func Final(err error) error { return &final{err} }

type final struct{ err error }

func (e *final) Error() string { return e.err.Error() }

// pause waits a random while, the longer the more attempts there were: up to 51 ms.
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
