package endpoint

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// discreet is a model whose errors contain nothing from the endpoint, so that they can be
// logged: an endpoint may answer with a part of the prompt, or with the key.
type discreet struct {
	model llms.Model
	done  func(ctx context.Context, kind string, start time.Time, err error) error
}

// GenerateContent implements llms.Model.
func (d *discreet) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	start := time.Now()
	answer, err := d.model.GenerateContent(ctx, messages, options...)
	return answer, d.done(ctx, Chat, start, err)
}

// Call implements llms.Model.
func (d *discreet) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, d, prompt, options...)
}

// quietError is an error without the endpoint's text. It wraps the cause for errors.Is.
type quietError struct {
	words string
	err   error
}

func (e *quietError) Error() string { return e.words }

func (e *quietError) Unwrap() error { return e.err }

// status matches the client's errors for an answer with an error status.
var status = regexp.MustCompile(`status code: ([1-5][0-9][0-9])\b`)

// done reports a finished call to OnCall, and returns its error without the endpoint's text.
func (c Config) done(ctx context.Context, kind string, start time.Time, err error) error {
	if c.OnCall != nil {
		c.OnCall(kind, time.Since(start), err)
	}
	return c.quiet(ctx, err)
}

// quiet returns an error without the endpoint's text, and logs it: callers of models log only
// the types of errors, whose texts are not trusted.
func (c Config) quiet(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // the client does not always wrap it
		return ctx.Err()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	words := fmt.Sprintf("the endpoint cannot be used (%T)", cause(err))
	if found := status.FindStringSubmatch(err.Error()); found != nil {
		words = "the endpoint answered with status " + found[1]
	} else if long, ok := errors.AsType[tooLongError](err); ok {
		words = long.Error()
	}
	c.Logger.WarnContext(ctx, "models: a call failed", "error", words)
	return &quietError{words: words, err: err}
}

// cause returns the innermost error, whose type is the most specific.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
