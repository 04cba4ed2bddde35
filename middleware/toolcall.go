package middleware

import "time"

// ToolCall is a call of a tool: finished where it is recorded; before that, what it
// returned is not set.
type ToolCall struct {
	// ID is the model's id of the call; empty where it has none.
	ID string
	// Name is the tool's name.
	Name string
	// Arguments is what the tool was called with: a Go value, JSON bytes or a string.
	Arguments any
	// Result is what it returned, in any form extractor.Input takes.
	Result any
	// Err is the error it returned. A failed call's result is not read, and
	// nothing is deleted by it; the ids among its arguments count as used.
	Err error
	// Start is when it was called; zero if unknown.
	Start time.Time
	// Duration is how long it took.
	Duration time.Duration
}
