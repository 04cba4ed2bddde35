package longterm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Whatever a session takes as a message is kept.
func TestAnyMessageOfASessionIsKept(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	m, _ := managed(t, p)
	long := strings.Repeat("x", session.MaxIDBytes)
	var calls []session.ToolCall
	for i := range 50 {
		calls = append(calls, session.ToolCall{ID: fmt.Sprint(i), Name: "\x00", Arguments: long})
	}
	messages := []session.Message{
		{ID: "\x00", Role: "user", Content: "\x00"},
		{ID: long, Role: long},
		{ID: "empty", Role: "user"},
		{ID: "blank", Role: " ", Content: "\n"},
		{ID: "/", Role: "\u2028", Content: "\ufffd"},
		{ID: "calls", Role: "assistant", ToolCalls: calls},
		{ID: "year", Role: "user", CreatedAt: time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)},
		{ID: "year 0", Role: "user", CreatedAt: time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "huge", Role: strings.Repeat("<", 300<<10), Content: strings.Repeat("\x01", 300<<10), Reasoning: strings.Repeat("\u2028", 100<<10)},
		{ID: "last", Role: "user", Content: "x"},
	}
	_, err := m.Append(t.Context(), annas, messages, nil)
	require.NoError(t, err)
	_, err = m.Promote(t.Context(), annas)
	require.NoError(t, err)
	s, err := m.Load(t.Context(), annas, nil)
	require.NoError(t, err)
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Len(t, got, len(messages))
	for i := range got {
		want := s.Messages[i]
		want.PersistedAt, want.Tokens = got[i].PersistedAt, 0
		assert.Equal(t, want, got[i], messages[i].ID)
	}
}
