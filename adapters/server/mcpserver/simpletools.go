package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addSimpleTools adds the tools of long-term memory with few arguments, which models use most
// easily.
func addSimpleTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "memorize", title: "Memorize", effect: settles, core: true,
			text: "Keeps a fact in long-term memory. Write it so that it is clear by itself, with names and no pronouns. What is known already is kept once.",
		}, s.memorize),
		addTool(s, tool{
			name: "remember", title: "Remember", effect: reads, core: true,
			text: "Searches long-term memory. Returns the best memories with their ids; nothing if there are none.",
		}, s.remember),
		addTool(s, tool{
			name: "forget", title: "Forget", effect: replaces, core: true,
			text: "Deletes memories. This cannot be undone.",
		}, s.forget),
	)
}

type memorize struct {
	Text      string     `json:"text" wire:"required"`
	Topics    []string   `json:"topics,omitempty"`
	Type      string     `json:"memory_type,omitempty" jsonschema:"semantic (default), or episodic for an event"`
	EventDate *wire.Time `json:"event_date,omitempty" jsonschema:"of an event, such as 2026-01-31"`
	owner
}

// memorize keeps a memory of no session, so that the same text is the same memory in each.
func (s *Server) memorize(ctx context.Context, t service.Tenant, in *memorize) (any, error) {
	id := newID()
	memories := translate.Memories([]wire.Memory{{ID: id, Text: in.Text, Type: in.Type, Topics: in.Topics, EventDate: in.EventDate}})
	o := s.ownerWithin(t, in.owner)
	if err := s.service.CreateMemories(ctx, t, o.Namespace, o.UserID, memories, false); err != nil {
		return nil, relocate(err, part{[]any{"memories", 0}, nil})
	}
	_, err := s.service.GetMemory(ctx, t, id, o.Namespace, o.UserID)
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind == service.NotFound {
		return "That is known already.", nil
	}
	return fmt.Sprintf("Memorized (ID: %s).", id), nil
}

// rememberLimit is how many memories remember and begin_turn return by default.
const rememberLimit = 5

type remember struct {
	Query string    `json:"query" wire:"required"`
	Limit *wire.Int `json:"limit,omitempty" jsonschema:"default 5"`
	owner
}

func (s *Server) remember(ctx context.Context, t service.Tenant, in *remember) (any, error) {
	request := &wire.Search{Text: &in.Query, Limit: in.Limit, Namespace: equalTo(in.Namespace), UserID: equalTo(in.UserID)}
	if request.Limit == nil {
		request.Limit = new(wire.Int(rememberLimit))
	}
	found, err := s.find(ctx, t, request)
	if err != nil {
		return nil, relocate(err, part{[]any{"text"}, []any{"query"}})
	}
	return foundText(found), nil
}

type forget struct {
	IDs []string `json:"memory_ids" wire:"required,max=1000"`
	owner
}

func (s *Server) forget(ctx context.Context, t service.Tenant, in *forget) (any, error) {
	if len(in.IDs) == 0 {
		return nil, invalidArgument("List should have 1 to 1000 items", "memory_ids")
	}
	o := s.ownerWithin(t, in.owner)
	n, err := s.service.DeleteMemories(ctx, t, in.IDs, o.Namespace, o.UserID)
	return fmt.Sprintf("ok, deleted %d memories", n), err
}
