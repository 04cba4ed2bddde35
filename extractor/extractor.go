package extractor

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Input is what is known of a finished tool call.
type Input struct {
	// Tool is the tool's name, in any naming style.
	Tool string
	// Arguments is what the tool was called with: a Go value, JSON bytes or a string. May be nil.
	Arguments any
	// Result is what the tool returned: a Go value, bytes, a string in any of the
	// known formats, MCP content. May be nil.
	Result any
	// Failed is true where the call returned an error: its result then deletes nothing.
	Failed bool
}

// Extraction is what a call says about entities.
type Extraction struct {
	// Entities are those found in the result, best first.
	Entities []memory.Entity
	// Used are the ids among the arguments.
	Used []memory.Ref
	// Removed are the entities the call deleted, where it did and succeeded.
	Removed []memory.Ref
	// Action is what the call did, by the tool's name.
	Action Action
	// Failed is true where the result reports an error.
	Failed bool
	// Format is the format the result was read as: json, yaml, csv, text, …
	Format string
	// Reason says why nothing was found, or what was cut off; empty where everything was read.
	Reason string
}

// Action is what a tool call did to the entities of its result.
type Action string

// The actions.
const (
	ActionRead    Action = "read"
	ActionCreated Action = "created"
	ActionUpdated Action = "updated"
	ActionDeleted Action = "deleted"
)

// Extractor finds the entities of a tool call. Implementations must be safe for
// concurrent use, must not keep the input, and return entities that own their strings.
type Extractor interface {
	Extract(ctx context.Context, in Input) (Extraction, error)
}
