package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
)

func TestUpdateChangesMessages(t *testing.T) {
	t.Parallel()
	edited := fixture.Says("m2", "user", "edited")
	for name, test := range map[string]struct {
		change func([]session.Message) []session.Message
		want   []string
		first  uint64 // sequence number of the first message that is there afterwards
	}{
		"nothing":                   {func(ms []session.Message) []session.Message { return ms }, []string{"m1", "m2", "m3", "m4"}, 1},
		"one more":                  {func(ms []session.Message) []session.Message { return append(ms, fixture.Numbered(5, 5)...) }, []string{"m1", "m2", "m3", "m4", "m5"}, 1},
		"without the first two":     {func(ms []session.Message) []session.Message { return ms[2:] }, []string{"m3", "m4"}, 3},
		"window that moves":         {func(ms []session.Message) []session.Message { return append(ms[3:], fixture.Numbered(5, 6)...) }, []string{"m4", "m5", "m6"}, 4},
		"none":                      {func([]session.Message) []session.Message { return nil }, nil, 5},
		"without the last":          {func(ms []session.Message) []session.Message { return ms[:3] }, []string{"m1", "m2", "m3"}, 5},
		"one in the middle changed": {func(ms []session.Message) []session.Message { ms[1] = edited; return ms }, []string{"m1", "m2", "m3", "m4"}, 5},
		"others":                    {func([]session.Message) []session.Message { return fixture.Numbered(8, 9) }, []string{"m8", "m9"}, 5},
		"turned round":              {func(ms []session.Message) []session.Message { ms[0], ms[3] = ms[3], ms[0]; return ms }, []string{"m4", "m2", "m3", "m1"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, store := newManager(t)
			fill(t, m, fixture.Anna, 4)
			var want []session.Message
			s, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Messages = test.change(s.Messages)
				want = s.Messages
				return nil
			}, nil)
			require.NoError(t, err)
			read := fixture.Load(t, m, fixture.Anna)
			assert.Equal(t, test.want, fixture.IDs(read.Messages))
			for i := range want {
				assert.Equal(t, want[i].Content, read.Messages[i].Content)
			}
			assert.Equal(t, read.Messages, s.Messages)
			assert.Equal(t, read.Version(), s.Version())
			assert.Equal(t, read.Tokens(), s.Tokens())
			record, err := store.Load(t.Context(), fixture.Anna, 0)
			require.NoError(t, err)
			assert.Equal(t, test.first, record.First, "no more than needed is rewritten")

			s.Messages = append(s.Messages, fixture.Says("last", "user", "more"))
			require.NoError(t, m.Save(t.Context(), s, nil), "what was saved can be saved again")
			assert.Equal(t, append(test.want, "last"), fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
			s.Messages = s.Messages[len(s.Messages)-1:]
			require.NoError(t, m.Save(t.Context(), s, nil))
			assert.Equal(t, []string{"last"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
		})
	}
}

func TestUpdateWithoutChange(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	_, err := m.Update(t.Context(), fixture.Anna, changeAll, nil)
	require.NoError(t, err)
	before := fixture.Load(t, m, fixture.Anna).Version()
	for range 2 {
		s, err := m.Update(t.Context(), fixture.Anna, func(*session.Session) error { return nil }, nil)
		require.NoError(t, err)
		assert.Equal(t, before, s.Version())
		s, err = m.UpdateHead(t.Context(), fixture.Anna, func(*session.Session) error { return nil }, nil)
		require.NoError(t, err)
		assert.Equal(t, before, s.Version())
	}
	s, err := m.UpdateHead(t.Context(), fixture.Anna, func(*session.Session) error { return nil }, &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	assert.Equal(t, before+1, s.Version())
}

// changeAll sets everything that a session has.
func changeAll(s *session.Session) error {
	s.Messages = append(s.Messages, fixture.Numbered(1, 2)...)
	s.Context = "They said hello.\n\nIdentifiers: W7"
	s.Memories = []driver.Record{{
		ID: "f1", Text: "Anna likes blue.", Type: session.RecordSemantic, Topics: []string{"colours"}, Entities: []string{"Anna"},
		EventDate: fixture.Noon, CreatedAt: fixture.Noon, AccessCount: 2, Pinned: true, ExtractedFrom: []string{"m1"}, Metadata: map[string]any{"x": json.Number("1.50")},
	}}
	s.Data = map[string]any{
		"big": json.Number("12345678901234567890"), "float": 0.5, "list": []any{"a", nil, true, map[string]any{"b": json.Number("1e400")}},
		"text": "\u0000\u2028<>&\"", "": 7,
	}
	s.Strategy = &session.StrategyConfig{Name: "custom", Config: map[string]any{"prompt": "x"}}
	s.LastAccessed = fixture.Noon.Add(time.Hour)
	return s.Entities.Add(memory.Entity{ID: "W7", Type: "order", Name: "Blue shirt"})
}

func TestEverythingIsKept(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	var want *session.Session
	_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
		assert.Zero(t, s.Version())
		want = s
		return changeAll(s)
	}, &session.WriteOptions{TTL: time.Hour, Window: 8000})
	require.NoError(t, err)
	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, want.Context, s.Context)
	assert.Equal(t, want.Memories, s.Memories)
	assert.Equal(t, want.Strategy, s.Strategy)
	assert.Equal(t, fixture.Noon.Add(time.Hour), s.LastAccessed)
	assert.Equal(t, json.Number("12345678901234567890"), s.Data["big"])
	assert.Equal(t, json.Number("0.5"), s.Data["float"])
	assert.Equal(t, []any{"a", nil, true, map[string]any{"b": json.Number("1e400")}}, s.Data["list"])
	assert.Equal(t, "\u0000\u2028<>&\"", s.Data["text"])
	assert.Equal(t, json.Number("7"), s.Data[""])
	assert.Equal(t, time.Hour, s.TTL)
	assert.Equal(t, fixture.Noon.Add(time.Hour), s.ExpiresAt())
	assert.Equal(t, 8000, s.Window())
	e, ok := s.Entities.Get(memory.Ref{Type: "order", ID: "W7"})
	require.True(t, ok)
	assert.Equal(t, "Blue shirt", e.Name)
}

func TestUpdateRetries(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	const writers, times = 8, 25
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range times {
				_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
					count, _ := s.Data["count"].(json.Number)
					n, _ := count.Int64()
					s.Data = map[string]any{"count": n + 1}
					s.Messages = append(s.Messages, fixture.Says(fmt.Sprintf("%d-%d", w, i), "user", fmt.Sprint(n+1)))
					return nil
				}, nil)
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, json.Number(fmt.Sprint(writers*times)), s.Data["count"])
	require.Len(t, s.Messages, writers*times)
	for i, message := range s.Messages {
		assert.Equal(t, fmt.Sprint(i+1), message.Content)
	}
}

func TestUpdateStops(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	fill(t, m, fixture.Anna, 1)
	mine := fmt.Errorf("mine: %w", session.ErrConflict)
	calls := 0
	_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
		calls++
		s.Context = "x"
		return mine
	}, nil)
	require.ErrorIs(t, err, mine)
	assert.Equal(t, 1, calls, "an error of fn ends it, also one that looks like a conflict")
	assert.Empty(t, fixture.Load(t, m, fixture.Anna).Context)

	ctx, cancel := context.WithCancel(t.Context())
	_, err = m.Update(ctx, fixture.Anna, func(s *session.Session) error {
		s.Context = "x"
		_, err := m.Append(t.Context(), fixture.Anna, []session.Message{{Role: "user"}}, nil)
		cancel()
		return err
	}, nil)
	require.ErrorIs(t, err, context.Canceled)
}
