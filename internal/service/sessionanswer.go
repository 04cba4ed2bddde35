package service

import (
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// answer is a session for the wire; a minimal one is without what may be large.
func (s *Service) answer(found *session.Session, model string, window int64, minimal bool) *wire.Session {
	a := &wire.Session{
		SessionID: found.Key.SessionID, Namespace: orNull(found.Key.Namespace), UserID: orNull(found.Key.UserID),
		Messages: []wire.Message{}, Memories: []wire.Memory{}, Data: map[string]any{}, Entities: []memory.Entity{},
		Context: orNull(found.Context), Strategy: strategyOut(found.Strategy), Tokens: found.Tokens(),
		CreatedAt: wire.Time{Time: found.CreatedAt.UTC()}, UpdatedAt: wire.Time{Time: found.UpdatedAt().UTC()},
		LastAccessed: wire.Time{Time: found.LastAccessed.UTC()}, Version: found.Version(),
	}
	if found.TTL > 0 {
		a.TTLSeconds = new(int64((found.TTL + time.Second - 1) / time.Second))
	}
	if usage, ok := s.sessions.Usage(found.Tokens(), windowOptions(model, window)); ok {
		a.TotalUsed, a.UntilSummarization = &usage.Total, &usage.UntilSummarization
	}
	if minimal {
		return a
	}
	for i := range found.Messages {
		a.Messages = append(a.Messages, messageOut(&found.Messages[i]))
	}
	for i := range found.Memories {
		a.Memories = append(a.Memories, wireMemory(&found.Memories[i]))
	}
	a.Data = dataOut(found.Data)
	a.Entities = entitiesOf(found)
	return a
}

// dataOut is a session's data, never nil. It has no members that are null: clients refuse
// answers that have one.
func dataOut(data map[string]any) map[string]any {
	out := make(map[string]any, len(data))
	for name, value := range data {
		if value != nil {
			out[name] = value
		}
	}
	return out
}

// entitiesOf are all entities of a session, newest first, never nil.
func entitiesOf(found *session.Session) []memory.Entity {
	return append([]memory.Entity{}, found.Entities.Recent(found.Entities.Len())...)
}

// defaultStrategy is what clients take a session's to be that has none.
const defaultStrategy = "discrete"

func strategyOut(strategy *session.Strategy) wire.Strategy {
	out := wire.Strategy{Strategy: defaultStrategy, Config: map[string]any{}}
	if strategy == nil {
		return out // clients demand one
	}
	out.Strategy = strategy.Name
	if strategy.Config != nil {
		out.Config = strategy.Config
	}
	return out
}

func messageOut(m *session.Message) wire.Message {
	out := wire.Message{
		Role: m.Role, Content: m.Content, ID: m.ID, CreatedAt: timeOut(m.CreatedAt), PersistedAt: timeOut(m.PersistedAt),
		Extracted: wire.Flag(m.Extracted), Name: m.Name, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID,
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, wire.ToolCall(c))
	}
	return out
}

// latest is a time, or where it is not known the one before it.
func latest(at, before time.Time) time.Time {
	if at.IsZero() {
		return before
	}
	return at
}

func timeOut(t time.Time) *wire.Time {
	if t.IsZero() {
		return nil
	}
	return &wire.Time{Time: t.UTC()}
}

func timeIn(t *wire.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
