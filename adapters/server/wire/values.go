package wire

import "time"

// Int is an integer, in requests also as a text ("1000") or with a fraction of zero.
type Int int64

// Float is a finite number, in requests also as a text.
type Float float64

// Bool is a boolean, in requests also as a text or number: "true", "false", "1", 0 and the
// like, in any case.
type Bool bool

// Flag is a Bool that is written as "t" or "f".
type Flag bool

// List is a list of texts; null counts as an empty one.
type List []string

// Time is a time to the microsecond, written as RFC 3339 in UTC. In requests it may have any
// offset or none, which means UTC, a space in place of the T, be a date alone, or a Unix time in
// seconds or, above 2e10, in milliseconds.
type Time struct{ time.Time }

// SearchOrBool is a search, or whether to search at all.
type SearchOrBool struct {
	Search *Search
	Bool   bool
}
