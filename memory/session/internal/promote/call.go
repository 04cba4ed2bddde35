package promote

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// wants is LongTerm.Wants. The error is that it panicked.
func (j *Job) wants(strategy *driver.StrategyConfig) (driver.Wants, error) {
	return j.askWants(strategy, false)
}

// WantsAny is what is wanted for some sessions; nothing where there is no LongTerm.
// One that panics is to be seen in the background, and stops no write.
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
	err = callee.Survive(func() error {
		wants = j.LongTerm.Wants(strategy, any)
		return nil
	})
	if err != nil {
		return driver.Wants{}, fmt.Errorf("session: asking what long-term memory wants: %w", err)
	}
	return wants, nil
}

// call gives a call of the LongTerm no more time than a lease has: what takes longer
// may be done by another meanwhile. What it panics with is an error.
func (j *Job) call(ctx context.Context, doing string, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, j.Lease)
	defer cancel()
	if err := callee.Survive(func() error { return f(ctx) }); err != nil {
		return &longTermError{doing, err}
	}
	return nil
}

// longTermError is what a LongTerm failed with.
type longTermError struct {
	doing string
	err   error
}

func (e *longTermError) Error() string { return "session: " + e.doing + ": " + e.err.Error() }

func (e *longTermError) Unwrap() error { return e.err }

// isOurs reports whether an error says of the session itself what target does. A
// LongTerm may fail with the same: it may use other sessions.
func isOurs(err, target error) bool {
	_, theirs := errors.AsType[*longTermError](err)
	return !theirs && errors.Is(err, target)
}
