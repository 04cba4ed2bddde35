package extractor

import (
	"context"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Input describes a finished tool call.
type Input struct {
	// Tool is the tool's name, in any naming style.
	Tool string
	// Source is the MCP server or namespace of the tool. If empty, it is taken from the
	// tool's name: github of mcp__github__get_issue, cms of cms_getPage.
	Source string
	// Arguments are the call's arguments: a Go value, JSON bytes or a string. May be
	// nil.
	Arguments any
	// Result is the call's result: a Go value, bytes, MCP content, or a string in any
	// supported format. May be nil.
	Result any
	// Failed is set if the call returned an error. Such a call deletes nothing.
	Failed bool
}

// Extraction is the result of Extract.
type Extraction struct {
	// Entities are the entities found in the result, best first.
	Entities []memory.Entity
	// Used are the ids found in the arguments.
	Used []memory.Ref
	// Changed are those of Used that the call changed. It is empty if the call failed.
	Changed []memory.Ref
	// Removed are the entities that the call deleted. It is empty if the call failed.
	Removed []memory.Ref
	// Action is the effect of the call according to the tool's name.
	Action Action
	// Failed is set if the result reports an error.
	Failed bool
	// Format is the detected format of the result: json, yaml, csv, text, …
	Format string
	// Reason explains why no entity was found, or what was cut off. It is empty if
	// the result was read completely.
	Reason string
}

// Action is the effect of a tool call on the entities of its result.
type Action string

// The actions.
const (
	ActionRead    Action = "read"
	ActionCreated Action = "created"
	ActionUpdated Action = "updated"
	ActionDeleted Action = "deleted"
)

// actions maps the effect of a tool's name to an action.
var actions = [...]Action{naming.EffectRead: ActionRead, naming.EffectUpdated: ActionUpdated, naming.EffectCreated: ActionCreated, naming.EffectDeleted: ActionDeleted}

// Extractor finds the entities of a tool call. Implementations must be safe for
// concurrent use, must not retain the input, and must return entities that own their
// strings. They should return soon after ctx ends, with an error that wraps that of ctx.
type Extractor interface {
	Extract(ctx context.Context, in Input) (Extraction, error)
}
