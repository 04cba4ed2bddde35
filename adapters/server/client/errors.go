package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// What an *Error may be, for errors.Is, and what else a method may return.
var (
	// ErrNotFound says that there is no such session or memory, or no such route.
	ErrNotFound = errors.New("client: not found")
	// ErrUnauthorized says that the server wants a token, or another one.
	ErrUnauthorized = errors.New("client: unauthorized")
	// ErrForbidden says that the token is for other namespaces or users.
	ErrForbidden = errors.New("client: forbidden")
	// ErrStale says that a session is not the version that it had to be.
	ErrStale = errors.New("client: session has changed")
	// ErrInvalid says that a request is not as it should be, or too large (Status 413): see
	// Error.Fields.
	ErrInvalid = errors.New("client: invalid request")
	// ErrUnavailable says that the server cannot answer now, or not so many at a time: see
	// Error.RetryAfter.
	ErrUnavailable = errors.New("client: unavailable")
	// ErrAnswer says that an answer cannot be read, or is larger than MaxAnswerBytes.
	ErrAnswer = errors.New("client: unreadable answer")
)

// Error is an answer of a server that says no.
type Error struct {
	// Status is that of HTTP.
	Status int
	// Detail says what is wrong, in the server's words.
	Detail string
	// Fields say what is wrong where, of a request that did not pass validation.
	Fields []wire.FieldError
	// RetryAfter is how long the server asks to wait before the request is made again, an
	// hour at most. 0: it does not say.
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

// Is tells which of this package's errors it is.
func (e *Error) Is(target error) bool {
	switch e.Status {
	case http.StatusNotFound:
		return target == ErrNotFound
	case http.StatusUnauthorized:
		return target == ErrUnauthorized
	case http.StatusForbidden:
		return target == ErrForbidden
	case http.StatusPreconditionFailed:
		return target == ErrStale
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return target == ErrInvalid
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return target == ErrUnavailable
	default:
		return false
	}
}

// maxDetail is how much of an answer an Error tells.
const maxDetail = 1000

// refused makes an error of an answer, whoever gave it: a server of ours, or a proxy.
func refused(answer *http.Response, body []byte) *Error {
	e := &Error{Status: answer.StatusCode, RetryAfter: retryAfter(answer.Header.Get("Retry-After"))}
	var listed struct {
		Detail []wire.FieldError `json:"detail"`
	}
	var told struct {
		Detail string `json:"detail"`
	}
	if wire.Decode(body, &told) == nil {
		e.Detail = strings.ToValidUTF8(told.Detail[:min(len(told.Detail), maxDetail)], "")
	} else if wire.Decode(body, &listed) == nil {
		e.Fields = listed.Detail
	}
	return e
}
