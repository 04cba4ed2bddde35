package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// newManager makes a manager of a new store in process, whose clock stands at noon.
// It does not summarise: that is for other tests.
func newManager(t *testing.T) (*session.Manager, *memstore.Store) {
	t.Helper()
	now := func() time.Time { return fixture.Noon }
	store := memstore.New(&memstore.Options{Now: now})
	m, err := session.NewManager(store, &session.Options{Now: now, Summaries: summary.Options{Mode: summary.Off}})
	require.NoError(t, err)
	return m, store
}

func fill(t *testing.T, m *session.Manager, key session.Key, n int) {
	t.Helper()
	_, err := m.Append(t.Context(), key, fixture.Numbered(1, n), nil)
	require.NoError(t, err)
}

func TestAppendMakesASession(t *testing.T) {
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

func TestTokensAreThoseOfTheText(t *testing.T) {
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

func TestAppendIsIdempotent(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	fill(t, m, fixture.Anna, 2)
	done, err := m.Append(t.Context(), fixture.Anna, append(fixture.Numbered(2, 3), fixture.Says("m3", "user", "again")), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, done.Added)
	assert.Equal(t, []string{"m1", "m2", "m3"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
	assert.Equal(t, "message 3", fixture.Load(t, m, fixture.Anna).Messages[2].Content)
}

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

func TestUpdateThatChangesNothingWritesNothing(t *testing.T) {
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
	s.Strategy = &session.Strategy{Name: "custom", Config: map[string]any{"prompt": "x"}}
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

func TestWhatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"text that is not UTF-8": "\xff", "a channel": make(chan int), "no number": json.Number("1x")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := newManager(t)
			_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Data = map[string]any{"x": value}
				return nil
			}, nil)
			require.Error(t, err)
			_, err = m.Load(t.Context(), fixture.Anna, nil)
			require.ErrorIs(t, err, session.ErrNotFound)
		})
	}
}

func TestUpdateTriesAgain(t *testing.T) {
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

func TestUpdateHeadIsNoConflictOfAppends(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	fill(t, m, fixture.Anna, 2)
	calls := 0
	s, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
		calls++
		assert.Empty(t, s.Messages)
		assert.Equal(t, 2, s.Len())
		_, err := m.Append(t.Context(), fixture.Anna, fixture.Numbered(3, 3), nil)
		s.Context = "x"
		s.Messages = append(s.Messages, fixture.Numbered(4, 4)...)
		return err
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, calls)
	assert.Equal(t, 4, s.Len())
	read := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, []string{"m1", "m2", "m3", "m4"}, fixture.IDs(read.Messages))
	assert.Equal(t, "x", read.Context)
}

func TestSaveComparesAndSwaps(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	first := m.New(fixture.Anna)
	first.Messages = fixture.Numbered(1, 1)
	require.NoError(t, m.Save(t.Context(), first, nil))
	require.ErrorIs(t, m.Save(t.Context(), m.New(fixture.Anna), nil), session.ErrConflict)

	stale := fixture.Load(t, m, fixture.Anna)
	first.Context = "first"
	require.NoError(t, m.Save(t.Context(), first, nil))
	stale.Context = "stale"
	require.ErrorIs(t, m.Save(t.Context(), stale, nil), session.ErrConflict)

	stale = fixture.Load(t, m, fixture.Anna)
	_, err := m.Append(t.Context(), fixture.Anna, fixture.Numbered(2, 2), nil)
	require.NoError(t, err)
	stale.Context = "stale"
	require.ErrorIs(t, m.Save(t.Context(), stale, nil), session.ErrConflict, "a message that it did not see")
	assert.Equal(t, "first", fixture.Load(t, m, fixture.Anna).Context)

	stale = fixture.Load(t, m, fixture.Anna)
	require.NoError(t, m.Delete(t.Context(), fixture.Anna))
	fill(t, m, fixture.Anna, 2)
	stale.Context = "stale"
	require.ErrorIs(t, m.Save(t.Context(), stale, nil), session.ErrConflict, "another session under the same key")

	twice := m.New(fixture.Berta)
	twice.Messages = append(fixture.Numbered(1, 2), fixture.Numbered(1, 1)...)
	require.ErrorIs(t, m.Save(t.Context(), twice, nil), session.ErrDuplicateID)
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
	branch, err := m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.NoError(t, err)
	assert.Equal(t, fixture.Noon.Add(time.Hour), branch.ExpiresAt())

	s, err = m.UpdateHead(t.Context(), fixture.Anna, nothing, &session.WriteOptions{TTL: time.Nanosecond})
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Millisecond), s.ExpiresAt())
	now = now.Add(time.Millisecond)
	_, err = m.Load(t.Context(), fixture.Anna, nil)
	require.ErrorIs(t, err, session.ErrNotFound)

	s, err = m.Update(t.Context(), fixture.Berta, nothing, &session.WriteOptions{TTL: session.NoExpiry})
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

func TestDelete(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	require.NoError(t, m.Delete(t.Context(), fixture.Anna))
	require.ErrorIs(t, m.DeleteVersion(t.Context(), fixture.Anna, 0), session.ErrConflict)
	fill(t, m, fixture.Anna, 1)
	old := fixture.Load(t, m, fixture.Anna).Version()
	_, err := m.Append(t.Context(), fixture.Anna, fixture.Numbered(2, 2), nil)
	require.NoError(t, err)
	require.ErrorIs(t, m.DeleteVersion(t.Context(), fixture.Anna, old), session.ErrConflict)
	require.NoError(t, m.DeleteVersion(t.Context(), fixture.Anna, fixture.Load(t, m, fixture.Anna).Version()))
	_, err = m.Load(t.Context(), fixture.Anna, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
	require.ErrorIs(t, m.Delete(t.Context(), session.Key{}), session.ErrKey)
	require.ErrorIs(t, m.DeleteVersion(t.Context(), session.Key{}, 1), session.ErrKey)
}

func TestFind(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	find := func(id string, namespace, user *string) (session.Key, error) {
		return m.Find(t.Context(), id, namespace, user)
	}
	_, err := find("s-1", nil, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
	fill(t, m, fixture.Anna, 1)
	key, err := find("s-1", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, fixture.Anna, key)
	_, err = find("s-1", nil, new("other"))
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = find("s-1", new(""), nil)
	require.ErrorIs(t, err, session.ErrNotFound, "an empty namespace is one like any other")

	fill(t, m, fixture.Berta, 1)
	_, err = find("s-1", nil, nil)
	require.ErrorIs(t, err, session.ErrNotFound, "one of several")
	key, err = find("s-1", new("shop"), new("berta"))
	require.NoError(t, err)
	assert.Equal(t, fixture.Berta, key)
	bare := session.Key{SessionID: "s-1"}
	fill(t, m, bare, 1)
	key, err = find("s-1", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, bare, key, "the exact key wins")
}

func TestBranch(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	_, err := m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = m.Update(t.Context(), fixture.Anna, changeAll, &session.WriteOptions{Window: 4000})
	require.NoError(t, err)
	before := fixture.Load(t, m, fixture.Anna)
	branch, err := m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.NoError(t, err)
	read := fixture.Load(t, m, fixture.Berta)
	for _, s := range []*session.Session{branch, read} {
		assert.Equal(t, before.Messages, s.Messages)
		assert.Equal(t, before.Context, s.Context)
		assert.Equal(t, before.Data, s.Data)
		assert.Equal(t, before.Memories, s.Memories)
		assert.Equal(t, before.Entities.Recent(9), s.Entities.Recent(9))
		assert.Equal(t, 4000, s.Window())
		assert.Equal(t, before.Tokens(), s.Tokens())
	}
	_, err = m.Append(t.Context(), fixture.Berta, fixture.Numbered(8, 8), nil)
	require.NoError(t, err)
	assert.Len(t, fixture.Load(t, m, fixture.Anna).Messages, 2)
	assert.Len(t, fixture.Load(t, m, fixture.Berta).Messages, 3)
	_, err = m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.ErrorIs(t, err, session.ErrConflict)
	_, err = m.Branch(t.Context(), fixture.Anna, session.Key{}, nil)
	require.ErrorIs(t, err, session.ErrKey)
}

func TestNewManager(t *testing.T) {
	t.Parallel()
	_, err := session.NewManager(nil, nil)
	require.Error(t, err)
	for _, opts := range []session.Options{{Window: -1}, {Models: map[string]int{"x": 0}}} {
		_, err := session.NewManager(memstore.New(nil), &opts)
		require.Error(t, err)
	}
}
