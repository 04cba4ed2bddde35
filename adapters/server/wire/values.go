package wire

import "time"

// Int is an integer. Requests may write it as a text ("1000") or with a fraction of zero.
type Int int64

// Float is a finite number. Requests may write it as a text.
type Float float64

// Bool is a boolean. Requests may write it as a text or number, such as "true", "No", "1" or 0.
type Bool bool

// Flag is a Bool that answers write as "t" or "f".
type Flag bool

// List is a list of texts. Requests may write an empty one as null.
type List []string

// Time is a time with microseconds. Answers write it as RFC 3339 in UTC. Requests may use any
// offset or none, which means UTC, a space instead of the T, a date without a time, or a Unix
// time in seconds or, above 2e10, in milliseconds.
type Time struct{ time.Time }

// SearchOrBool is a search, or a boolean that turns it on or off.
type SearchOrBool struct {
	Search *Search
	Bool   bool
}
