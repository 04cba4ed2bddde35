package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addMemoryTools adds the tools that search and read long-term memory.
func addMemoryTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "search_long_term_memory", title: "Search long-term memory", effect: reads,
			text: "Searches long-term memory with all filters. Without a text it lists the memories that pass them. For a plain question, remember is simpler.",
		}, s.search),
		addTool(s, tool{
			name: "get_long_term_memory", title: "Read a memory", effect: reads,
			text: "Returns a memory of long-term memory by its id.",
		}, s.getMemory),
	)
}

func (s *Server) search(ctx context.Context, t service.Tenant, in *wire.Search) (*wire.Results, string, error) {
	s.narrow(t, in)
	search, err := translate.Search(in)
	if err != nil {
		return nil, "", err
	}
	page, err := s.service.SearchMemories(ctx, t, search)
	if err != nil {
		return nil, "", err
	}
	found := translate.Results(page)
	return found, foundText(found), nil
}

// narrow limits a search that names no namespace or user to the server's own.
func (s *Server) narrow(t service.Tenant, search *wire.Search) {
	if own := s.ownerWithin(t, owner{}); search.Namespace == nil && own.Namespace != nil {
		search.Namespace = &wire.TextFilter{Eq: own.Namespace}
	}
	if own := s.ownerWithin(t, owner{}); search.UserID == nil && own.UserID != nil {
		search.UserID = &wire.TextFilter{Eq: own.UserID}
	}
}

type getMemory struct {
	ID string `json:"memory_id" wire:"required" jsonschema:"the id of the memory"`
	owner
}

func (s *Server) getMemory(ctx context.Context, t service.Tenant, in *getMemory) (*wire.Memory, string, error) {
	o := s.ownerWithin(t, in.owner)
	found, err := s.service.GetMemory(ctx, t, in.ID, o.Namespace, o.UserID)
	if err != nil {
		return nil, "", err
	}
	return new(translate.Memory(found)), "", nil
}

// addSimpleTools adds the tools with few arguments, which models use most easily.
func addSimpleTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "memorize", title: "Memorize", effect: settles,
			text: "Keeps a line of text in long-term memory. Say it so that it can be understood by itself, with names and not with pronouns. The same text is kept once.",
		}, s.memorize),
		addTool(s, tool{
			name: "remember", title: "Remember", effect: reads,
			text: "Searches long-term memory for what bears on a question, best first.",
		}, s.remember),
	)
}

type memorize struct {
	Text      string     `json:"text" wire:"required" jsonschema:"what is to be remembered"`
	Type      string     `json:"memory_type,omitempty" jsonschema:"semantic: a fact; episodic: what happened at a time; semantic where it is missing"`
	Topics    []string   `json:"topics,omitempty" jsonschema:"what it is about; without commas"`
	SessionID *string    `json:"session_id,omitempty" jsonschema:"the session it came from"`
	EventDate *wire.Time `json:"event_date,omitempty" jsonschema:"when it happened, of an episodic one"`
	owner
}

// memorized is the result of memorize.
type memorized struct {
	Status string  `json:"status" jsonschema:"ok: it is kept under its id; known: a memory that says the same was there and stays"`
	ID     *string `json:"id" jsonschema:"the id of the memory; null if it was known"`
}

func (s *Server) memorize(ctx context.Context, t service.Tenant, in *memorize) (*memorized, string, error) {
	id := newID()
	memories := translate.Memories(records([]record{{
		ID: id, Text: in.Text, Type: in.Type, Topics: in.Topics, SessionID: in.SessionID, EventDate: in.EventDate,
	}}))
	o := s.ownerWithin(t, in.owner)
	if err := s.service.CreateMemories(ctx, t, o.Namespace, o.UserID, memories, false); err != nil {
		return nil, "", relocate(err, part{[]any{"memories", 0}, nil})
	}
	if _, err := s.service.GetMemory(ctx, t, id, o.Namespace, o.UserID); err != nil {
		if e, ok := errors.AsType[*service.Error](err); ok && e.Kind == service.NotFound {
			return &memorized{Status: "known"}, "That is known already.", nil
		}
	}
	return &memorized{Status: "ok", ID: &id}, fmt.Sprintf("Memorized (ID: %s).", id), nil
}

// newID returns a new memory id: 26 letters and digits, 130 random bits.
func newID() string { return rand.Text() }

type remember struct {
	Query string    `json:"query" wire:"required" jsonschema:"what is asked for"`
	Limit *wire.Int `json:"limit,omitempty" jsonschema:"how many memories at most, 1 to 100; 5 where it is missing"`
	owner
}

func (s *Server) remember(ctx context.Context, t service.Tenant, in *remember) (*wire.Results, string, error) {
	search := &wire.Search{Text: &in.Query, Limit: in.Limit}
	if search.Limit == nil {
		search.Limit = new(wire.Int(5))
	}
	if in.Namespace != nil {
		search.Namespace = &wire.TextFilter{Eq: in.Namespace}
	}
	if in.UserID != nil {
		search.UserID = &wire.TextFilter{Eq: in.UserID}
	}
	found, text, err := s.search(ctx, t, search)
	return found, text, relocate(err, part{[]any{"text"}, []any{"query"}})
}
