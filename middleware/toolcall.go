package middleware

import "time"

// ToolCall is a call of a tool. Result, Err, Start and Duration are set once it has
// finished.
type ToolCall struct {
	// ID is the model's id of the call. It may be empty.
	ID string
	// Name is the tool's name.
	Name string
	// Source is the MCP server or namespace of the tool. If empty, it is taken from the
	// tool's name: see extractor.Input.
	Source string
	// Arguments are the tool's arguments: a Go value, JSON bytes or a string.
	Arguments any
	// Result is the tool's result, in any form that extractor.Input accepts.
	Result any
	// Err is the error that the tool returned. The result of a failed call is not read,
	// and the call deletes nothing, but the ids among its arguments count as used.
	Err error
	// Start is the time of the call; zero if unknown.
	Start time.Time
	// Duration is how long the call took.
	Duration time.Duration
}
