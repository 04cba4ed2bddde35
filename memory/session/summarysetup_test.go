package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// wordCounter counts a token for each word.
type wordCounter struct{}

func (wordCounter) CountTokens(text string) int { return len(strings.Fields(text)) }

// long is a message of so many tokens by wordCounter, all of them its id.
func long(id string, tokens int) session.Message {
	return session.Message{ID: id, Role: session.RoleUser, Content: strings.TrimSpace(strings.Repeat(id+" ", tokens-1))}
}

// tens are messages of 10 tokens.
func tens(ids ...string) []session.Message {
	var messages []session.Message
	for _, id := range ids {
		messages = append(messages, long(id, 10))
	}
	return messages
}

// model is a Summarizer that remembers what it was asked.
type model struct {
	mu       sync.Mutex
	requests []session.SummaryRequest
	// answer writes the summary; nil: "summary 1", "summary 2", …
	answer func(ctx context.Context, r session.SummaryRequest) (string, error)
}

func (m *model) SummarizeMessages(ctx context.Context, r session.SummaryRequest) (string, error) {
	m.mu.Lock()
	m.requests = append(m.requests, r)
	n, answer := len(m.requests), m.answer
	m.mu.Unlock()
	if answer != nil {
		return answer(ctx, r)
	}
	return fmt.Sprintf("summary %d", n), nil
}

func (m *model) asked() []session.SummaryRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]session.SummaryRequest(nil), m.requests...)
}

// summarizing makes a manager of a store, with words for tokens, a window of 100 and
// a clock at noon.
func summarizing(t testing.TB, store session.Store, s session.Summaries) *session.Manager {
	t.Helper()
	return summarizingAt(t, store, s, func() time.Time { return noon })
}

// summarizingAt makes such a manager with another clock.
func summarizingAt(t testing.TB, store session.Store, s session.Summaries, now func() time.Time) *session.Manager {
	t.Helper()
	m, err := session.NewManager(store, &session.Options{Counter: wordCounter{}, Window: 100, Summaries: s, Now: now})
	require.NoError(t, err)
	return m
}

func send(t testing.TB, m *session.Manager, messages ...session.Message) *session.Appended {
	t.Helper()
	appended, err := m.Append(context.Background(), anna, messages, nil)
	require.NoError(t, err)
	return appended
}

// holds checks which messages and which context a session has.
func holds(t testing.TB, m *session.Manager, context string, messageIDs ...string) {
	t.Helper()
	s, err := m.Load(t.Context(), anna, nil)
	require.NoError(t, err)
	assert.Equal(t, context, s.Context)
	assert.Equal(t, messageIDs, ids(s.Messages))
}
