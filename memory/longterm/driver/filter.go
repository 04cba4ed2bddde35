package driver

import "time"

// RecordFilter selects records. All conditions apply; nil conditions pass every record, and so
// does the zero value.
type RecordFilter struct {
	// These apply to the fields of the same names, Strategy to Record.ExtractionStrategy. The
	// Type of a record in an index is never empty.
	ID, Namespace, UserID, SessionID, Type, Strategy *TextCondition
	// Topics and Entities apply to lists.
	Topics, Entities *TextCondition
	// An unset time of a record only passes a Ne.
	CreatedAt, UpdatedAt, LastAccessed, EventDate *TimeCondition
	// Pinned, if not nil, is the required Record.Pinned.
	Pinned *bool
}

// TextCondition is a condition on a text or a list of texts. All fields that are set apply. A
// single text, even an empty one, counts as a list of one. Texts are compared byte by byte.
type TextCondition struct {
	// Eq must be in the list, Ne must not.
	Eq, Ne *string
	// Any, if not nil, has at least one text of the list; all of All are in the list.
	Any, All []string
	// None, if not nil, has no text of the list.
	None []string
	// StartsWith, if not nil, is a prefix of at least one text of the list.
	StartsWith *string
}

// TimeCondition is a condition on a time. All fields that are set apply. Times are compared in
// whole microseconds.
type TimeCondition struct {
	// Eq, Ne, Gt, Lt, Gte and Lte compare the record's time to a value: equal, not equal,
	// later, earlier, not earlier, not later.
	Eq, Ne, Gt, Lt, Gte, Lte *time.Time
	// Between is an inclusive range.
	Between *[2]time.Time
}

// MaxConditions is the largest number of values in all Any, All and None of a RecordFilter.
const MaxConditions = 1000
