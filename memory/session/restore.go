package session

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/promote"
)

// rebuilt returns a session that does not exist in the store, rebuilt from long-term
// memory. Errors: missing if there are no messages, and that of the LongTerm.
func (m *Manager) rebuilt(ctx context.Context, key Key, missing error) (*Session, error) {
	if !m.promotions.Rebuilds() {
		return nil, missing
	}
	messages, _, err := m.promotions.Messages(ctx, key)
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, missing
	}
	s := m.New(key)
	at := driver.Position{First: 1, Next: uint64(len(messages)) + 1, UpdatedAt: messages[len(messages)-1].CreatedAt}
	for i := range messages {
		at.Tokens += int64(messages[i].Tokens)
	}
	s.Messages, s.LastAccessed, s.from.At = messages, at.UpdatedAt, at
	s.from.Messages = head.Clone(messages)
	return s, nil
}

// restorePatience is how long a write waits for the messages of an expired session.
const restorePatience = 5 * time.Second

// restoreNow restores a session during a write.
func (m *Manager) restoreNow(ctx context.Context, key Key, c carried) (promote.Restored, error) {
	ctx, cancel := context.WithTimeout(ctx, restorePatience)
	defer cancel()
	return m.promotions.Restore(ctx, key, c.ttl, c.window)
}
