package promote

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// wants calls LongTerm.Wants. It returns an error if that panics.
func (j *Job) wants(strategy *driver.StrategyConfig) (driver.Wants, error) {
	return j.askWants(strategy, false)
}

// WantsAny returns what any session may want, nothing without a LongTerm. A panic is logged
// and does not stop a write.
func (j *Job) WantsAny() driver.Wants {
	if j == nil {
		return driver.Wants{}
	}
	wants, err := j.askWants(nil, true)
	if err != nil {
		j.Logger.Warn("session: long-term memory failed", "error", callee.Loggable(err))
	}
	return wants
}

func (j *Job) askWants(strategy *driver.StrategyConfig, any bool) (wants driver.Wants, err error) {
	err = callee.RecoverPanic(func() error {
		wants = j.LongTerm.Wants(strategy, any)
		return nil
	})
	if err != nil {
		return driver.Wants{}, fmt.Errorf("session: asking long-term memory what to promote: %w", err)
	}
	return wants, nil
}

// call limits a call of the LongTerm to the duration of a lease, after which another worker
// may repeat it. It returns a panic as an error.
func (j *Job) call(ctx context.Context, doing string, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, j.Lease)
	defer cancel()
	if err := callee.RecoverPanic(func() error { return f(ctx) }); err != nil {
		return &longTermError{doing, err}
	}
	return nil
}

// longTermError is an error of a LongTerm.
type longTermError struct {
	doing string
	err   error
}

func (e *longTermError) Error() string { return "session: " + e.doing + ": " + e.err.Error() }

func (e *longTermError) Unwrap() error { return e.err }

// isOurs reports whether err is target and concerns the session itself: a LongTerm that uses
// other sessions may return the same errors.
func isOurs(err, target error) bool {
	_, theirs := errors.AsType[*longTermError](err)
	return !theirs && errors.Is(err, target)
}
