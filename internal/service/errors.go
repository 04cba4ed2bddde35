package service

import "github.com/go-workingmemory/workingmemory/adapters/server/wire"

// Kind says what an Error is of.
type Kind int

// The kinds of errors, with the status that HTTP has for them.
const (
	Internal    Kind = iota // 500: our fault
	Bad                     // 400: what is asked for makes no sense
	Invalid                 // 422: what was sent is not as it should be
	Forbidden               // 403: another tenant's
	NotFound                // 404
	Stale                   // 412: it is not what the caller has seen
	Conflict                // 409: too many write at once
	TooLarge                // 413
	Unavailable             // 503: a store does not answer
)

// Error is an error of a Service as it may be shown to a client.
type Error struct {
	Kind Kind
	// Detail says what is wrong, without contents.
	Detail string
	// Fields say where, for Invalid.
	Fields []wire.FieldError
	// Err is the cause, for logs; nil where there is none.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Detail == "" && len(e.Fields) > 0 {
		return e.Fields[0].Msg
	}
	return e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
