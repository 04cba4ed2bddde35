package service

// Kind is the kind of an Error.
type Kind int

// The kinds of errors.
const (
	Internal    Kind = iota // the service or a session is broken
	Bad                     // what is asked for makes no sense
	Invalid                 // a value is not as it should be: see Error.Fields
	Forbidden               // it is another tenant's
	NotFound                // it is not there, or the tenant may not see it
	Stale                   // the session is not in a version that the caller expects
	Conflict                // too many write at once
	TooLarge                // it is larger than what is kept
	Unavailable             // a store does not answer
)

// Error is an error of a Service as it may be shown to a client.
type Error struct {
	Kind Kind
	// Detail says what is wrong, without contents.
	Detail string
	// Fields are the mistakes of an Invalid, up to 100.
	Fields []Field
	// Err is the cause, for logs; nil where there is none.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Detail == "" && len(e.Fields) > 0 {
		return e.Fields[0].Message
	}
	return e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Field is a mistake in a value that a caller gave.
type Field struct {
	// Path leads to the value by names and indexes, such as messages, 3, role. It is empty for
	// a mistake of the whole.
	Path    []string
	Problem Problem
	Message string
	// Value is the value; nil where the path and the message say it all.
	Value any
}

// Problem is what is wrong with a value.
type Problem int

// The problems of values.
const (
	Unfit     Problem = iota // see Field.Message
	TooShort                 // a text
	TooLong                  // a text
	NotUTF8                  // a text
	NotListed                // none of the values that there are
	TooSmall                 // a number
	TooBig                   // a number
	TooMany                  // values of a list
)
