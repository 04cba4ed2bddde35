package session_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestHeadsOfFormat1ArePromoted(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, l, clock.Now)
	put(t, store, anna, 1, `{"created_at":"2026-03-01T12:00:00Z","memories":[{"id":"x","text":"likes tea"}]}`, `{"role":"user","content":"hi"}`)
	s := load(t, m, anna)
	assert.Zero(t, s.Progress)
	assert.EqualValues(t, 1, s.Messages[0].Seq)
	assert.Empty(t, due(t, m), "whoever wrote it knew nothing of that")
	head(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
	assert.Len(t, due(t, m), 1)
	assert.Equal(t, session.PromotionOutcome{Extracted: 1, Memories: 2, Messages: 1}, promoteNow(t, m))
	r, err := store.Load(t.Context(), anna, 0)
	require.NoError(t, err)
	assert.Equal(t, session.Format, r.Format)
	assert.Equal(t, 2, r.Format)
}

func TestProgressOutOfRangeIsDamage(t *testing.T) {
	t.Parallel()
	for _, progress := range []string{`{"kept":3}`, `{"extracted":18446744073709551615}`, `{"failures":-1}`, `{"lease":"SECRET"}`, `{"other":1}`} {
		m, store := newManager(t)
		put(t, store, anna, session.Format, `{"created_at":"2026-03-01T12:00:00Z","progress":`+progress+`}`, `{"role":"user","content":"hi"}`)
		_, err := m.Load(t.Context(), anna, nil)
		damaged, ok := errors.AsType[*session.DamagedError](err)
		require.True(t, ok, "%s: %v", progress, err)
		assert.Equal(t, "head", damaged.Part)
		assert.NotContains(t, err.Error(), "SECRET")
	}
}

func TestCallersDoNotChangeProgress(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(all), clock.Now)
	send(t, m, tens("a", "b")...)
	promoteNow(t, m)
	_, err := m.Update(t.Context(), anna, func(s *session.Session) error {
		s.Progress = session.Progress{Kept: 99, Extracted: 99, Failures: 99, Due: clock.Now()}
		s.Data = map[string]any{"step": "1"}
		s.Messages[0].Seq = 99
		return nil
	}, nil)
	require.NoError(t, err)
	s := load(t, m, anna)
	assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, s.Progress)
	assert.EqualValues(t, 1, s.Messages[0].Seq)
}

// A manager without a LongTerm leaves what others noted as it is.
func TestOtherManagersKeepProgress(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(all), clock.Now)
	send(t, m, tens("a", "b")...)
	promoteNow(t, m)
	other, err := session.NewManager(store, &session.Options{Now: clock.Now})
	require.NoError(t, err)
	send(t, other, tens("c")...)
	head(t, other, func(s *session.Session) { s.Memories = append(s.Memories, fact("x", "likes tea")) })
	assert.Empty(t, due(t, m))
	assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, load(t, m, anna).Progress)
	head(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
	assert.Len(t, due(t, m), 1, "the next write sees what there is to do")
	assert.Equal(t, session.PromotionOutcome{Extracted: 1, Memories: 2, Messages: 1}, promoteNow(t, m))
}

func TestNumbersOfMessages(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	seqs := func(messages []session.Message) (seqs []uint64) {
		for i := range messages {
			seqs = append(seqs, messages[i].Seq)
		}
		return seqs
	}
	assert.Equal(t, []uint64{1, 2, 3}, seqs(send(t, m, tens("a", "b", "c")...).Messages))
	assert.Equal(t, []uint64{0, 0}, seqs(send(t, m, tens("c", "d")...).Messages), "one was there: it is not known which")
	s, err := m.Update(t.Context(), anna, func(s *session.Session) error {
		assert.Equal(t, []uint64{1, 2, 3, 4}, seqs(s.Messages))
		s.Messages = append(s.Messages[1:], tens("e")...)
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, []uint64{2, 3, 4, 5}, seqs(s.Messages))
	assert.Equal(t, []uint64{2, 3, 4, 5}, seqs(load(t, m, anna).Messages))
}

func TestLoadFrom(t *testing.T) {
	t.Parallel()
	messages := numbered(1, 10)
	messages[3].ToolCalls = []session.ToolCall{{ID: "call", Name: "get"}}
	messages[4].Role, messages[4].ToolCallID = session.RoleTool, "call"
	for name, test := range map[string]struct {
		opts     session.LoadOptions
		from, to int
	}{
		"all":            {session.LoadOptions{From: 1}, 3, 10},
		"what left":      {session.LoadOptions{From: 2}, 3, 10},
		"a result":       {session.LoadOptions{From: 5}, 5, 10},
		"the last":       {session.LoadOptions{From: 10}, 10, 10},
		"none yet":       {session.LoadOptions{From: 11}, 1, 0},
		"far away":       {session.LoadOptions{From: 1<<64 - 1}, 1, 0},
		"and the last":   {session.LoadOptions{From: 4, Last: 3}, 8, 10},
		"and more":       {session.LoadOptions{From: 9, Last: 8}, 9, 10},
		"and tokens":     {session.LoadOptions{From: 9, Tokens: 1000}, 9, 10},
		"and few tokens": {session.LoadOptions{From: 3, Tokens: 1}, 10, 10},
		"and none":       {session.LoadOptions{From: 3, Last: -1}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := newManager(t)
			send(t, m, messages...)
			_, err := m.Update(t.Context(), anna, func(s *session.Session) error { s.Messages = s.Messages[2:]; return nil }, nil)
			require.NoError(t, err)
			s, err := m.Load(t.Context(), anna, &test.opts)
			require.NoError(t, err)
			assert.Equal(t, ids(numbered(test.from, test.to)), ids(s.Messages))
			assert.Equal(t, 8, s.Len())
			s.Messages = append(s.Messages, says("last", "user", "x"))
			require.NoError(t, m.Save(t.Context(), s, nil))
			assert.Equal(t, append(ids(numbered(3, 10)), "last"), ids(load(t, m, anna).Messages))
		})
	}
}
