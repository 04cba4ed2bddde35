package translate

import (
	"errors"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// ToolCall converts a finished tool call.
func ToolCall(c *wire.RecordedCall) middleware.ToolCall {
	call := middleware.ToolCall{ID: c.ID, Name: c.Name, Source: c.Source, Arguments: c.Arguments, Result: c.Result}
	if c.Error != "" {
		call.Err = errors.New(c.Error)
	}
	return call
}

// Rewriting converts what a tool call asks for.
func Rewriting(c *wire.RecordedCall) service.Rewriting {
	return service.Rewriting{Handles: (*bool)(c.Handles), StoreResults: (*bool)(c.StoreResults)}
}

// Recorded converts the entities found in a tool call, and what the model is to see.
func Recorded(call middleware.Recorded) *wire.Recorded {
	recorded := &wire.Recorded{Entities: []memory.Entity{}, Removed: []wire.EntityRef{}, Shown: call.Shown}
	for _, e := range call.Found.Entities {
		if e.Role != memory.RoleCandidate {
			recorded.Entities = append(recorded.Entities, e)
		}
	}
	for _, removed := range call.Found.Removed {
		recorded.Removed = append(recorded.Removed, wire.EntityRef{Type: removed.Type, ID: removed.ID})
	}
	return recorded
}

// Entities converts the entities of a session, without its candidates.
func Entities(found *service.Entities) *wire.Entities {
	return &wire.Entities{Entities: found.Entities}
}

// EntitiesAndCandidates converts the entities and the candidates of a session.
func EntitiesAndCandidates(found *service.Entities) *wire.Entities {
	return &wire.Entities{Entities: found.Entities, Candidates: found.Candidates}
}

// ContextUsage converts the usage of a session.
func ContextUsage(u *service.ContextUsage) *wire.ContextUsage {
	return &wire.ContextUsage{
		SessionID: u.SessionID, Tokens: u.Tokens, Window: u.Window, TotalUsed: u.Total, UntilSummarization: u.UntilSummarization,
		Messages: u.Messages, Summarized: u.Summarized, Memories: u.Memories, Pending: u.Pending,
		Entities: u.Entities, EntityTypes: u.EntityTypes,
	}
}

// Decisions converts the decisions about a session.
func Decisions(found *service.Decisions) *wire.Decisions {
	out := &wire.Decisions{
		Usage:    *ContextUsage(&found.Usage),
		Entities: make([]wire.EntityVerdict, len(found.Entities)), Decisions: make([]wire.Decision, len(found.Decisions)),
	}
	for i := range found.Entities {
		e := &found.Entities[i]
		out.Entities[i] = wire.EntityVerdict{
			Type: e.Type, ID: e.ID, Handle: e.Handle, Label: e.Label(), Verdict: string(e.Verdict),
			Tool: e.Tool, Path: e.Path, Uses: e.Uses, Timestamp: e.Timestamp.UTC(),
		}
	}
	for i := range found.Decisions {
		out.Decisions[i] = decisionOut(&found.Decisions[i])
	}
	return out
}

func decisionOut(d *middleware.Decision) wire.Decision {
	why := d.Reason
	switch {
	case d.Path != "":
		why = "at " + d.Path
	case d.ByID != "":
		why = "by " + d.ByType + " " + d.ByID
	}
	return wire.Decision{Time: d.Time, ID: d.ID, Type: d.Type, What: string(d.Kind), Tool: d.Tool, Why: why}
}
