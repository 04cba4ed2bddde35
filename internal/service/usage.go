package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// ContextUsage describes how full the context window of a session is and what the session
// holds.
type ContextUsage struct {
	SessionID string
	// Usage is that of the Window, in tokens.
	session.Usage
	Tokens, Window int
	Messages       int
	// Summarized reports whether the session has a summary of earlier messages.
	Summarized bool
	// Pending is the number of Memories that are not promoted yet.
	Memories, Pending int
	Entities          int
	EntityTypes       map[string]int
}

// ContextUsage returns the usage of a session. Its window is that of the view, or else the one
// last used for the session, or else that of an unknown model. Errors: as GetSession.
func (s *Service) ContextUsage(ctx context.Context, t Tenant, ref Ref, v View) (*ContextUsage, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return s.usageOf(found, v), nil
}

// usageOf returns the usage of a loaded session. It needs no messages.
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
