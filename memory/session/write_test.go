package session_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func TestTimeToLive(t *testing.T) {
	t.Parallel()
	now := fixture.Noon
	clock := func() time.Time { return now }
	m, err := session.NewManager(memstore.New(&memstore.Options{Now: clock}), &session.Options{Now: clock})
	require.NoError(t, err)
	nothing := func(*session.Session) error { return nil }
	for _, ttl := range []time.Duration{-2, -time.Hour} {
		_, err := m.Append(t.Context(), fixture.Anna, nil, &session.WriteOptions{TTL: ttl})
		require.ErrorIs(t, err, session.ErrTTL)
		_, err = m.Update(t.Context(), fixture.Anna, nothing, &session.WriteOptions{TTL: ttl})
		require.ErrorIs(t, err, session.ErrTTL)
	}
	_, err = m.Append(t.Context(), fixture.Anna, nil, &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, fixture.Noon.Add(time.Hour), s.ExpiresAt())
	assert.Equal(t, time.Hour, s.TTL)

	now = fixture.Noon.Add(time.Minute)
	s, err = m.Update(t.Context(), fixture.Anna, changeAll, nil)
	require.NoError(t, err)
	assert.Equal(t, fixture.Noon.Add(time.Hour), s.ExpiresAt(), "a write without TTL keeps the running expiry")

	s, err = m.UpdateHead(t.Context(), fixture.Anna, nothing, &session.WriteOptions{TTL: time.Nanosecond})
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Millisecond), s.ExpiresAt())
	now = now.Add(time.Millisecond)
	_, err = m.Load(t.Context(), fixture.Anna, nil)
	require.ErrorIs(t, err, session.ErrNotFound)

	_, err = m.Append(t.Context(), fixture.Anna, nil, &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	s, err = m.Update(t.Context(), fixture.Anna, nothing, &session.WriteOptions{TTL: session.NoExpiry})
	require.NoError(t, err)
	assert.Zero(t, s.ExpiresAt())
	assert.Zero(t, s.TTL)

	byDefault, err := session.NewManager(memstore.New(&memstore.Options{Now: clock}), &session.Options{Now: clock, TTL: time.Minute})
	require.NoError(t, err)
	_, err = byDefault.Append(t.Context(), fixture.Anna, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Minute), fixture.Load(t, byDefault, fixture.Anna).ExpiresAt())
	_, err = session.NewManager(memstore.New(nil), &session.Options{TTL: -time.Second})
	require.ErrorIs(t, err, session.ErrTTL)
}

func TestWindowIsKept(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(memstore.New(nil), &session.Options{Models: map[string]int{"mine": 512}})
	require.NoError(t, err)
	done, err := m.Append(t.Context(), fixture.Anna, fixture.Numbered(1, 1), &session.WriteOptions{Model: "mine"})
	require.NoError(t, err)
	assert.EqualValues(t, 512, done.Window())
	done, err = m.Append(t.Context(), fixture.Anna, nil, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 512, done.Window())
	done, err = m.Append(t.Context(), fixture.Anna, nil, &session.WriteOptions{Model: "mine", Window: 1000})
	require.NoError(t, err)
	assert.EqualValues(t, 1000, done.Window(), "a given window decides over the model")
	done, err = m.Append(t.Context(), fixture.Anna, nil, &session.WriteOptions{Model: "a model that nobody knows"})
	require.NoError(t, err)
	assert.EqualValues(t, 1000, done.Window())
	_, err = m.Append(t.Context(), fixture.Anna, nil, &session.WriteOptions{Window: -1})
	require.Error(t, err)
}

func TestAppendCreatesASession(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	_, err := m.Load(t.Context(), fixture.Anna, nil)
	require.ErrorIs(t, err, session.ErrNotFound)

	sent := []session.Message{
		{Role: session.RoleUser, Content: "Where is order W7?"},
		{ID: "a", Role: session.RoleAssistant, ToolCalls: []session.ToolCall{{ID: "c1", Type: "function", Name: "get_order", Arguments: `{"id":"W7"}`}}},
		{ID: "b", Role: session.RoleTool, ToolCallID: "c1", Name: "get_order", Content: `{"id":"W7"}`, CreatedAt: fixture.Noon.Add(time.Nanosecond)},
		{ID: "c", Role: "critic", Content: "ok", Reasoning: "hm", PersistedAt: fixture.Noon, Extracted: true},
	}
	done, err := m.Append(t.Context(), fixture.Anna, sent, nil)
	require.NoError(t, err)
	assert.Equal(t, 4, done.Added)
	assert.Empty(t, sent[0].ID, "what the caller gave stays as it was")

	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, done.Messages, s.Messages)
	assert.Len(t, s.Messages[0].ID, 26)
	assert.Equal(t, fixture.Noon, s.Messages[0].CreatedAt)
	assert.Equal(t, sent[2].CreatedAt, s.Messages[2].CreatedAt)
	assert.Equal(t, sent[1].ToolCalls, s.Messages[1].ToolCalls)
	sum := 0
	for _, message := range s.Messages {
		assert.Positive(t, message.Tokens)
		sum += message.Tokens
	}
	assert.Equal(t, sum, s.Tokens())
	assert.Equal(t, 4, s.Len())
	assert.Equal(t, fixture.Noon, s.CreatedAt)
	assert.Equal(t, fixture.Noon, s.UpdatedAt())
	assert.Equal(t, fixture.Noon, s.LastAccessed)
	assert.Zero(t, s.ExpiresAt())
	assert.Equal(t, done.Version(), s.Version())
	assert.NotNil(t, s.Entities)
}

func TestTokensAreCounted(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(memstore.New(nil), &session.Options{Counter: length{}})
	require.NoError(t, err)
	done, err := m.Append(t.Context(), fixture.Anna, []session.Message{{Role: "user", Content: "hello", Tokens: 99}}, nil)
	require.NoError(t, err)
	assert.EqualValues(t, len("user: hello"), done.Tokens())
	assert.Equal(t, len("user: hello"), done.Messages[0].Tokens)
}

type length struct{}

func (length) CountTokens(text string) int { return len(text) }

func TestBadMessagesAreRefusedWithAllOthers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		message session.Message
		cause   error
	}{
		"no role":           {session.Message{Content: "x"}, session.ErrNoRole},
		"long id":           {fixture.Says(strings.Repeat("x", session.MaxIDBytes+1), "user", ""), session.ErrIDTooLong},
		"content not UTF-8": {fixture.Says("x", "user", "a\xff"), session.ErrInvalidUTF8},
		"id not UTF-8":      {fixture.Says("\xff", "user", "a"), session.ErrInvalidUTF8},
		"call not UTF-8":    {session.Message{Role: "assistant", ToolCalls: []session.ToolCall{{Arguments: "\xff"}}}, session.ErrInvalidUTF8},
		"too large":         {fixture.Says("x", "user", strings.Repeat("x", session.MaxMessageBytes+1)), session.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := newManager(t)
			_, err := m.Append(t.Context(), fixture.Anna, append(fixture.Numbered(1, 2), test.message), nil)
			require.ErrorIs(t, err, test.cause)
			wrong, ok := errors.AsType[*session.MessageError](err)
			require.True(t, ok)
			assert.Equal(t, 2, wrong.Index)
			_, err = m.Load(t.Context(), fixture.Anna, nil)
			require.ErrorIs(t, err, session.ErrNotFound)

			fill(t, m, fixture.Anna, 1)
			_, err = m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Messages = append(s.Messages, test.message)
				return nil
			}, nil)
			require.ErrorIs(t, err, test.cause)
			wrong, ok = errors.AsType[*session.MessageError](err)
			require.True(t, ok)
			assert.Equal(t, 1, wrong.Index)
			assert.Len(t, fixture.Load(t, m, fixture.Anna).Messages, 1)
		})
	}
}
