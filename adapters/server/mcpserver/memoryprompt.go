package mcpserver

import (
	"context"
	"maps"
	"slices"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// memoryPrompt has the arguments of memory_prompt, which agent-memory-server has too. There, three
// of them are filters with eq.
type memoryPrompt struct {
	Query     string     `json:"query" wire:"required"`
	SessionID any        `json:"session_id,omitempty" jsonschema:"text or {eq: text}; default: your own session"`
	Namespace any        `json:"namespace,omitempty" jsonschema:"text or {eq: text}"`
	UserID    any        `json:"user_id,omitempty" jsonschema:"text or {eq: text}"`
	LongTerm  *wire.Bool `json:"include_long_term_search,omitempty" jsonschema:"default true"`
	Filters   filters    `json:"filters,omitempty" jsonschema:"as in search_long_term_memory"`
	tuning
	window
}

func (s *Server) memoryPrompt(ctx context.Context, t service.Tenant, in *memoryPrompt) (any, error) {
	place, err := in.place()
	if err != nil {
		return nil, err
	}
	asked := &wire.PromptRequest{Query: in.Query}
	if place.SessionID != nil || ownSession(ctx) != "" {
		ref, err := s.ref(ctx, t, place)
		if err != nil {
			return nil, err
		}
		asked.Session = &wire.PromptSession{
			SessionID: ref.SessionID, Namespace: ref.Namespace, UserID: ref.UserID, ModelName: in.ModelName, ContextWindowMax: in.ContextWindowMax,
		}
	}
	if in.LongTerm == nil || bool(*in.LongTerm) {
		search, err := in.request(&in.Query, in.Filters)
		if err != nil {
			return nil, err
		}
		if search.Namespace == nil {
			search.Namespace = equalTo(place.Namespace)
		}
		if search.UserID == nil {
			search.UserID = equalTo(place.UserID)
		}
		s.narrow(t, search)
		asked.LongTerm = &wire.SearchOrBool{Search: search}
	}
	request, err := translate.PromptRequest(asked)
	if err == nil {
		request.NoNotice = true
		var made *service.Prompt
		if made, err = s.service.Prompt(ctx, t, request); err == nil {
			return translate.Prompt(made), nil
		}
	}
	return nil, in.relocate(err)
}

// place returns the session, namespace and user of a call.
func (p *memoryPrompt) place() (place, error) {
	id, err := textOrEq(p.SessionID, "session_id")
	if err != nil {
		return place{}, err
	}
	namespace, err := textOrEq(p.Namespace, "namespace")
	if err != nil {
		return place{}, err
	}
	user, err := textOrEq(p.UserID, "user_id")
	return place{SessionID: id, owner: owner{namespace, user}}, err
}

// textOrEq returns an argument that is a text or a filter with eq.
func textOrEq(argument any, name string) (*string, error) {
	if filter, ok := argument.(map[string]any); ok && len(filter) == 1 {
		argument = filter["eq"]
	} else if argument == nil {
		return nil, nil
	}
	if text, ok := argument.(string); ok {
		return &text, nil
	}
	return nil, invalidArgument(`Input should be a text or {"eq": text}`, name)
}

// relocate maps mistakes to the arguments that they came from.
func (p *memoryPrompt) relocate(err error) error {
	parts := []part{{[]any{"session"}, nil}}
	for _, name := range slices.Sorted(maps.Keys(p.Filters)) {
		parts = append(parts, part{[]any{"long_term_search", name}, []any{"filters", name}})
	}
	err = relocate(err, append(parts, part{[]any{"long_term_search"}, nil})...)
	if fields := translate.Mistakes(err); len(fields) > 0 {
		return explained(fields)
	}
	return err
}
