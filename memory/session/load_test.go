package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
)

func TestNumbersOfMessages(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	seqs := func(messages []session.Message) (seqs []uint64) {
		for i := range messages {
			seqs = append(seqs, messages[i].Seq)
		}
		return seqs
	}
	assert.Equal(t, []uint64{1, 2, 3}, seqs(fixture.Send(t, m, fixture.Tens("a", "b", "c")...).Messages))
	assert.Equal(t, []uint64{0, 0}, seqs(fixture.Send(t, m, fixture.Tens("c", "d")...).Messages), "one was there: it is not known which")
	s, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
		assert.Equal(t, []uint64{1, 2, 3, 4}, seqs(s.Messages))
		s.Messages = append(s.Messages[1:], fixture.Tens("e")...)
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, []uint64{2, 3, 4, 5}, seqs(s.Messages))
	assert.Equal(t, []uint64{2, 3, 4, 5}, seqs(fixture.Load(t, m, fixture.Anna).Messages))
}

func TestLoadFrom(t *testing.T) {
	t.Parallel()
	messages := fixture.Numbered(1, 10)
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
			fixture.Send(t, m, messages...)
			_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error { s.Messages = s.Messages[2:]; return nil }, nil)
			require.NoError(t, err)
			s, err := m.Load(t.Context(), fixture.Anna, &test.opts)
			require.NoError(t, err)
			assert.Equal(t, fixture.IDs(fixture.Numbered(test.from, test.to)), fixture.IDs(s.Messages))
			assert.Equal(t, 8, s.Len())
			s.Messages = append(s.Messages, fixture.Says("last", "user", "x"))
			require.NoError(t, m.Save(t.Context(), s, nil))
			assert.Equal(t, append(fixture.IDs(fixture.Numbered(3, 10)), "last"), fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
		})
	}
}
