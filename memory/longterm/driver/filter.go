package driver

import "time"

// RecordFilter describes which records a search may find. All conditions apply; nil ones let
// everything pass, and so does the zero value.
type RecordFilter struct {
	// These are conditions on the fields of those names, Strategy on
	// Record.ExtractionStrategy. Of a record in an index the Type is never empty.
	ID, Namespace, UserID, SessionID, Type, Strategy *TextCondition
	// Topics and Entities are conditions on lists.
	Topics, Entities *TextCondition
	// Times that are not known pass no condition but a Ne.
	CreatedAt, UpdatedAt, LastAccessed, EventDate *TimeCondition
	// Pinned, if not nil, is what Record.Pinned must be.
	Pinned *bool
}

// TextCondition is a condition on a field that is a text, or a list of texts. All that is set
// applies. A field that is a text counts as a list of it alone, an empty one too.
// Texts are compared byte for byte.
type TextCondition struct {
	// Eq must be in the list, Ne must not.
	Eq, Ne *string
	// Any, if not nil, has one at least that is in the list; All has none that is not.
	Any, All []string
	// None, if not nil, has none that is in the list.
	None []string
	// StartsWith, if not nil, is what a text of the list begins with.
	StartsWith *string
}

// TimeCondition is a condition on a time. All that is set applies. Times are compared in full
// microseconds.
type TimeCondition struct {
	// Eq is the time, Ne is not; it is later than Gt and earlier than Lt, and not
	// earlier than Gte nor later than Lte.
	Eq, Ne, Gt, Lt, Gte, Lte *time.Time
	// Between is a first and a last time, both of which pass.
	Between *[2]time.Time
}

// MaxConditions is how many values the Any, All and None of a RecordFilter may have together.
const MaxConditions = 1000
