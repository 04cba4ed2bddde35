package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
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

func TestSessionReadInPart(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	fill(t, m, fixture.Anna, 5)
	part := func() *session.Session {
		s, err := m.Load(t.Context(), fixture.Anna, &session.LoadOptions{Last: 2})
		require.NoError(t, err)
		return s
	}
	s := part()
	assert.Equal(t, []string{"m4", "m5"}, fixture.IDs(s.Messages))
	assert.Equal(t, 5, s.Len())
	_, err := m.Append(t.Context(), fixture.Anna, fixture.Numbered(6, 6), nil)
	require.NoError(t, err)
	s.Messages = append(s.Messages, fixture.Numbered(7, 7)...)
	s.Context = "x"
	require.NoError(t, m.Save(t.Context(), s, nil))
	s.Messages = append(s.Messages, fixture.Numbered(8, 8)...)
	require.NoError(t, m.Save(t.Context(), s, nil))
	assert.Equal(t, []string{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))

	for name, change := range map[string]func(s *session.Session){
		"left out": func(s *session.Session) { s.Messages = s.Messages[1:] },
		"none":     func(s *session.Session) { s.Messages = nil },
		"changed":  func(s *session.Session) { s.Messages[1].Content = "other" },
	} {
		s := part()
		change(s)
		require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrPartial, name)
	}
	s, err = m.Load(t.Context(), fixture.Anna, &session.LoadOptions{Tokens: 1})
	require.NoError(t, err)
	require.Equal(t, []string{"m8"}, fixture.IDs(s.Messages))
	s.Messages = nil
	require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrPartial, "read by tokens")
	assert.Len(t, fixture.Load(t, m, fixture.Anna).Messages, 8)
}

func TestLoadOptions(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	m, err := session.NewManager(store, &session.Options{Counter: length{}})
	require.NoError(t, err)
	call := session.Message{ID: "call", Role: "assistant", ToolCalls: []session.ToolCall{{ID: "1", Name: "f"}, {ID: "2", Name: "g"}}}
	result := func(id, of string) session.Message {
		return session.Message{ID: id, Role: session.RoleTool, ToolCallID: of, Content: "r"}
	}
	all := append(fixture.Numbered(1, 3), call, result("r1", "1"), result("r2", "2"), fixture.Says("a", "assistant", "done"))
	_, err = m.Append(t.Context(), fixture.Anna, all, nil)
	require.NoError(t, err)
	size := func(from int) (sum int) {
		for _, message := range all[from:] {
			sum += len(message.Text())
		}
		return sum
	}
	for name, test := range map[string]struct {
		opts *session.LoadOptions
		from int
	}{
		"all":                        {nil, 0},
		"all, zero options":          {&session.LoadOptions{}, 0},
		"none":                       {&session.LoadOptions{Last: -1}, 7},
		"none, whatever the tokens":  {&session.LoadOptions{Last: -1, Tokens: 100}, 7},
		"the last":                   {&session.LoadOptions{Last: 1}, 6},
		"no result without its call": {&session.LoadOptions{Last: 3}, 6},
		"call and results":           {&session.LoadOptions{Last: 4}, 3},
		"more than there are":        {&session.LoadOptions{Last: 100}, 0},
		"all tokens":                 {&session.LoadOptions{Tokens: size(0)}, 0},
		"one token less":             {&session.LoadOptions{Tokens: size(0) - 1}, 1},
		"tokens of call and results": {&session.LoadOptions{Tokens: size(3)}, 3},
		"one less than those":        {&session.LoadOptions{Tokens: size(3) - 1}, 6},
		"at least one":               {&session.LoadOptions{Tokens: 1}, 6},
		"both, tokens decide":        {&session.LoadOptions{Last: 6, Tokens: size(3)}, 3},
		"both, the number decides":   {&session.LoadOptions{Last: 5, Tokens: size(0)}, 2},
		"more tokens than there are": {&session.LoadOptions{Tokens: 1 << 30}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := m.Load(t.Context(), fixture.Anna, test.opts)
			require.NoError(t, err)
			assert.Equal(t, fixture.IDs(all[test.from:]), fixture.IDs(s.Messages))
			assert.Equal(t, 7, s.Len())
		})
	}

	_, err = m.Append(t.Context(), fixture.Berta, []session.Message{result("r1", "1"), result("r2", "2")}, nil)
	require.NoError(t, err)
	s, err := m.Load(t.Context(), fixture.Berta, &session.LoadOptions{Last: 1})
	require.NoError(t, err)
	assert.Len(t, s.Messages, 1, "results alone are better than nothing")
}

func TestLoadByTokensOfALongSession(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	fill(t, m, fixture.Anna, 3000)
	whole := fixture.Load(t, m, fixture.Anna)
	for _, n := range []int{1, 63, 64, 65, 255, 256, 257, 1500, 3000} {
		tokens := 0
		for _, message := range whole.Messages[3000-n:] {
			tokens += message.Tokens
		}
		s, err := m.Load(t.Context(), fixture.Anna, &session.LoadOptions{Tokens: tokens})
		require.NoError(t, err)
		assert.Len(t, s.Messages, n)
	}
}
