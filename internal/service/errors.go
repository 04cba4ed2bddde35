package service

// Kind is the kind of an Error.
type Kind int

// The kinds of errors.
const (
	Internal    Kind = iota // the service or a session is broken
	Bad                     // the request makes no sense
	Invalid                 // a value is invalid: see Error.Fields
	Forbidden               // the request writes to another tenant
	NotFound                // the object does not exist, or the tenant may not see it
	Gone                    // the object did exist, and was dropped
	Stale                   // the session is not in an expected version
	Conflict                // too many concurrent writes
	TooLarge                // the object is larger than the store accepts
	Unavailable             // a store does not answer
)

// Error is an error of a Service that is safe to show to a client.
type Error struct {
	Kind Kind
	// Detail describes the error. It never has contents.
	Detail string
	// Fields are the mistakes of an Invalid, at most 100.
	Fields []Field
	// Err is the cause, for logs. It may be nil.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Detail == "" && len(e.Fields) > 0 {
		return e.Fields[0].Message
	}
	return e.Detail
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Field is a mistake in a value of a call.
type Field struct {
	// Path leads to the value by names and indexes, such as messages, 3, role. An empty path
	// means the call as a whole.
	Path    []string
	Problem Problem
	Message string
	// Value is the value, or nil if Path and Message suffice.
	Value any
}

// Problem classifies the mistake in a value.
type Problem int

// The problems of values.
const (
	Unfit         Problem = iota // see Field.Message
	TooShort                     // a text
	TooLong                      // a text
	NotUTF8                      // a text
	NotListed                    // not one of the allowed values
	TooSmall                     // a number
	TooBig                       // a number
	TooMany                      // values of a list
	UnknownHandle                // Message is for the model, and Value is the handle
)
