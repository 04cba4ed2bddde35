package mcpserver

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addMemoryTools adds the tools that search and read long-term memory.
func addMemoryTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "search_long_term_memory", title: "Search long-term memory", effect: reads,
			text: "Searches long-term memory with filters. Without text, lists what passes them. Returns JSON. Simpler: remember.",
		}, s.search),
		addTool(s, tool{
			name: "get_long_term_memory", title: "Read a memory", effect: reads,
			text: "Returns a memory as JSON.",
		}, s.getMemory),
	)
}

// search has the arguments of a search of long-term memory. Namespace and user are filters.
type search struct {
	Text    *string `json:"text,omitempty"`
	Filters filters `json:"filters,omitempty" jsonschema:"{field: text}, {field: [any of these]} or {field: {operator: value}}. Fields: session_id, namespace, user_id, topics, entities, memory_type, extraction_strategy (eq, ne, any, all, none, startswith), created_at, last_accessed, event_date (gt, gte, lt, lte, between). Examples: {\"topics\": [\"tea\", \"food\"]}, {\"event_date\": {\"gte\": \"2026-01-01\"}}"`
	tuning
}

// tuning has the arguments that searches share, besides text and filters.
type tuning struct {
	Limit       *wire.Int   `json:"limit,omitempty" jsonschema:"1 to 100; default 10"`
	Offset      *wire.Int   `json:"offset,omitempty"`
	Mode        *string     `json:"search_mode,omitempty" jsonschema:"semantic (default), keyword or hybrid"`
	HybridAlpha *wire.Float `json:"hybrid_alpha,omitempty" jsonschema:"weight of vectors, 0 to 1"`
	Distance    *wire.Float `json:"distance_threshold,omitempty"`
	Recency     *wire.Bool  `json:"recency_boost,omitempty"`
}

// request returns a search with a text and filters.
func (t *tuning) request(text *string, f filters) (*wire.Search, error) {
	request := &wire.Search{
		Text: text, Mode: t.Mode, HybridAlpha: t.HybridAlpha, Distance: t.Distance,
		Limit: t.Limit, Offset: t.Offset, RecencyBoost: t.Recency,
	}
	return request, f.apply(request)
}

func (s *Server) search(ctx context.Context, t service.Tenant, in *search) (any, error) {
	request, err := in.request(in.Text, in.Filters)
	if err != nil {
		return nil, err
	}
	found, err := s.find(ctx, t, request)
	return found, explainFilters(err)
}

// find searches long-term memory, by default that of the server's own namespace and user.
func (s *Server) find(ctx context.Context, t service.Tenant, request *wire.Search) (*wire.Results, error) {
	s.narrow(t, request)
	search, err := translate.Search(request)
	if err != nil {
		return nil, err
	}
	page, err := s.service.SearchMemories(ctx, t, search)
	if err != nil {
		return nil, err
	}
	return translate.Results(page), nil
}

// narrow limits a search that names no namespace or user to the server's own.
func (s *Server) narrow(t service.Tenant, search *wire.Search) {
	own := s.ownerWithin(t, owner{})
	if search.Namespace == nil {
		search.Namespace = equalTo(own.Namespace)
	}
	if search.UserID == nil {
		search.UserID = equalTo(own.UserID)
	}
}

// equalTo returns the filter that requires a text, or nil.
func equalTo(text *string) *wire.TextFilter {
	if text == nil {
		return nil
	}
	return &wire.TextFilter{Eq: text}
}

type getMemory struct {
	ID string `json:"memory_id" wire:"required"`
	owner
}

func (s *Server) getMemory(ctx context.Context, t service.Tenant, in *getMemory) (any, error) {
	o := s.ownerWithin(t, in.owner)
	found, err := s.service.GetMemory(ctx, t, in.ID, o.Namespace, o.UserID)
	if err != nil {
		return nil, err
	}
	return new(translate.Memory(found)), nil
}
