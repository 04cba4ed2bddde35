package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// ContextUsage is how full the context window of a session is, and what the session holds.
type ContextUsage struct {
	SessionID string
	// Usage is that of the Window, in tokens.
	session.Usage
	Tokens, Window int
	Messages       int
	// Summarized is true if earlier messages left for the summary.
	Summarized bool
	// Pending are those of the Memories that are not in long-term memory yet.
	Memories, Pending int
	Entities          int
	EntityTypes       map[string]int
}

// ContextUsage says how full the window of a session is, and what it holds. The window is
// what the view names, else the one last used for the session, else that of a model that is
// not known. Errors: as of GetSession.
func (s *Service) ContextUsage(ctx context.Context, t Tenant, ref Ref, v View) (*ContextUsage, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return s.usageOf(found, v), nil
}

// usageOf is the usage of a session that was read, be it without its messages.
func (s *Service) usageOf(found *session.Session, v View) *ContextUsage {
	window := s.windowFor(found, v)
	u := &ContextUsage{
		SessionID: found.Key.SessionID, Tokens: found.Tokens(), Window: window, Messages: found.Len(),
		Summarized: found.Context != "", Memories: len(found.Memories),
		Entities: found.Entities.Len(), EntityTypes: map[string]int{},
	}
	if usage, ok := s.sessions.Usage(u.Tokens, windowOptions("", int64(window))); ok {
		u.Usage = usage
	}
	for i := range found.Memories {
		if found.Memories[i].PersistedAt.IsZero() {
			u.Pending++
		}
	}
	for e := range found.Entities.All() {
		u.EntityTypes[e.Type]++
	}
	return u
}

func (s *Service) windowFor(found *session.Session, v View) int {
	if window := s.sessions.Window(windowOptions(v.Model, v.Window)); window > 0 {
		return window
	}
	if window := found.Window(); window > 0 {
		return window
	}
	return s.sessions.Window(windowOptions("not known", 0))
}
