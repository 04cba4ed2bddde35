package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// Errors for errors.Is. Apart from ErrAnswer, they match an *Error by its status.
var (
	// ErrNotFound matches status 404: there is no such session, memory or route.
	ErrNotFound = errors.New("client: not found")
	// ErrUnauthorized matches status 401: the token is missing or invalid.
	ErrUnauthorized = errors.New("client: unauthorized")
	// ErrForbidden matches status 403: the token is for other namespaces or users.
	ErrForbidden = errors.New("client: forbidden")
	// ErrStale matches status 412: the session does not have the required version.
	ErrStale = errors.New("client: session has changed")
	// ErrInvalid matches statuses 400, 413 and 422: the request is invalid or too large. See
	// Error.Fields.
	ErrInvalid = errors.New("client: invalid request")
	// ErrUnknownHandle matches status 422 if arguments have a handle that the session never gave
	// out: the tool must not be called. The Msg of Error.Fields[0] is for the model.
	ErrUnknownHandle = errors.New("client: unknown handle")
	// ErrDropped matches status 410: the stored result was dropped for newer ones.
	ErrDropped = errors.New("client: result was dropped")
	// ErrUnavailable matches statuses 429 and 503: the server cannot answer now, or limits
	// the rate. See Error.RetryAfter.
	ErrUnavailable = errors.New("client: unavailable")
	// ErrAnswer is returned for an answer that is malformed or larger than MaxAnswerBytes.
	ErrAnswer = errors.New("client: unreadable answer")
)

// Error is a refusal by a server.
type Error struct {
	// Status is the HTTP status code.
	Status int
	// Detail is the server's explanation.
	Detail string
	// Fields lists the mistakes in a request that failed validation.
	Fields []wire.FieldError
	// RetryAfter is how long the server asks to wait before a retry, at most an hour. Zero
	// means that it does not ask.
	RetryAfter time.Duration
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("client: status %d", e.Status)
	switch {
	case e.Detail != "":
		return text + ": " + e.Detail
	case len(e.Fields) > 0:
		return text + ": " + (&wire.Invalid{Fields: e.Fields}).Error()
	default:
		return text + ": " + http.StatusText(e.Status)
	}
}

// Is reports whether target is the error of this package for e.Status.
func (e *Error) Is(target error) bool {
	switch e.Status {
	case http.StatusNotFound:
		return target == ErrNotFound
	case http.StatusUnauthorized:
		return target == ErrUnauthorized
	case http.StatusForbidden:
		return target == ErrForbidden
	case http.StatusGone:
		return target == ErrDropped
	case http.StatusPreconditionFailed:
		return target == ErrStale
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return target == ErrInvalid || target == ErrUnknownHandle && len(e.Fields) > 0 && e.Fields[0].Type == wire.UnknownHandle
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return target == ErrUnavailable
	default:
		return false
	}
}

// maxDetail limits Error.Detail, in bytes.
const maxDetail = 1000

// newError returns the error for an answer, which may come from a proxy.
func newError(answer *http.Response, body []byte) *Error {
	e := &Error{Status: answer.StatusCode, RetryAfter: parseRetryAfter(answer.Header.Get("Retry-After"))}
	var listed struct {
		Detail []wire.FieldError `json:"detail"`
	}
	var plain struct {
		Detail string `json:"detail"`
	}
	if wire.Decode(body, &plain) == nil {
		e.Detail = strings.ToValidUTF8(plain.Detail[:min(len(plain.Detail), maxDetail)], "")
	} else if wire.Decode(body, &listed) == nil {
		e.Fields = listed.Detail
	}
	return e
}
