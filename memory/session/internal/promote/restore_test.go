package promote_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// expired makes a manager of a session whose messages a to e were kept, and which has
// expired.
func expired(t testing.TB, change ...func(*session.Options)) (*session.Manager, *memstore.Store, *longTerm, *conformance.Clock) {
	t.Helper()
	m, l, store, clock := started(t, change...)
	messages := fixture.Tens("a", "b", "c", "d", "e")
	messages[4].Content = messages[3].Content // said twice
	messages[1].ToolCalls = []session.ToolCall{{ID: "call", Name: "get"}}
	messages[2].Role, messages[2].ToolCallID = session.RoleTool, "call"
	_, err := m.Append(t.Context(), fixture.Anna, messages, &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	promoteNow(t, m)
	clock.Sleep(2 * time.Hour)
	_, err = store.Load(t.Context(), fixture.Anna, 0)
	require.ErrorIs(t, err, session.ErrNotFound)
	return m, store, l, clock
}

func TestAnExpiredSessionIsRebuilt(t *testing.T) {
	t.Parallel()
	m, _, l, _ := expired(t)
	for name, test := range map[string]struct {
		opts *session.LoadOptions
		want []string
	}{
		"all":                {nil, []string{"a", "b", "c", "d", "e"}},
		"none":               {&session.LoadOptions{Last: -1}, nil},
		"last":               {&session.LoadOptions{Last: 2}, []string{"d", "e"}},
		"no result alone":    {&session.LoadOptions{Last: 3}, []string{"d", "e"}},
		"tokens":             {&session.LoadOptions{Tokens: 25}, []string{"d", "e"}},
		"tokens of the last": {&session.LoadOptions{Tokens: 25, Last: 1}, []string{"e"}},
		"from":               {&session.LoadOptions{From: 3}, []string{"c", "d", "e"}},
		"more than there is": {&session.LoadOptions{Last: 9}, []string{"a", "b", "c", "d", "e"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := m.Load(t.Context(), fixture.Anna, test.opts)
			require.NoError(t, err)
			assert.Equal(t, test.want, fixture.IDs(s.Messages))
			assert.Zero(t, s.Version())
			assert.Equal(t, 5, s.Len())
			assert.Positive(t, s.Tokens())
			for _, message := range s.Messages {
				kept := l.messages[fixture.Anna][message.Seq-1]
				assert.Equal(t, kept.CreatedAt, message.CreatedAt)
				assert.Equal(t, kept.PersistedAt, message.PersistedAt)
				assert.Equal(t, kept.Content, message.Content)
				assert.Equal(t, kept.ToolCalls, message.ToolCalls)
			}
			if len(test.want) < 5 {
				s.Data = map[string]any{"changed": true}
				require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrPartial, "messages would be lost")
			}
		})
	}
	_, err := m.Load(t.Context(), fixture.Berta, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
	without, err := session.NewManager(memstore.New(nil), &session.Options{LongTerm: newLongTerm(driver.Wants{Extract: true}), Promotions: promotion.Options{Off: true}})
	require.NoError(t, err)
	_, err = without.Load(t.Context(), fixture.Anna, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
}

// Any first write to an expired session restores it, and nothing is promoted again.
func TestAnExpiredConversationGoesOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		write func(t *testing.T, m *session.Manager)
		want  string // the ids of the messages
	}{
		"append": {func(t *testing.T, m *session.Manager) {
			at := fixture.Send(t, m, append(fixture.Tens("f", "g"), fixture.Long("a", 10))...)
			assert.Equal(t, [2]int{2, 7}, [2]int{at.Added, at.Len()})
		}, "abcdefg"},
		"append nothing": {func(t *testing.T, m *session.Manager) { assert.Equal(t, 5, fixture.Send(t, m).Len()) }, "abcde"},
		"update": {func(t *testing.T, m *session.Manager) {
			_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Messages = append(s.Messages, fixture.Tens("f")...)
				return nil
			}, nil)
			require.NoError(t, err)
		}, "abcdef"},
		"update head": {func(t *testing.T, m *session.Manager) {
			fixture.ChangeHead(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
		}, "abcde"},
		"save what was loaded": {func(t *testing.T, m *session.Manager) {
			s := fixture.Load(t, m, fixture.Anna)
			s.Messages = append(s.Messages, fixture.Tens("f")...)
			require.NoError(t, m.Save(t.Context(), s, nil))
		}, "abcdef"},
		"append after a new one was saved": {func(t *testing.T, m *session.Manager) {
			require.NoError(t, m.Save(t.Context(), m.New(fixture.Anna), nil))
			fixture.Send(t, m, fixture.Tens("x")...)
		}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, l, _ := expired(t)
			extracted, _ := l.asked()
			test.write(t, m)
			promoteNow(t, m)
			for _, e := range l.extractions[extracted:] {
				for _, id := range fixture.IDs(e.Messages) {
					assert.NotContains(t, "abcde", id)
				}
			}
			s := fixture.Load(t, m, fixture.Anna)
			assert.Equal(t, strings.Split(test.want, ""), fixture.IDs(s.Messages))
			assert.Subset(t, l.keptMessages(), fixture.IDs(s.Messages))
			assert.Zero(t, s.Progress.Due)
			for _, message := range s.Messages {
				assert.NotZero(t, message.PersistedAt)
			}
		})
	}
}

func TestRestoringKeepsTheTTLOfTheWrite(t *testing.T) {
	t.Parallel()
	for _, write := range []func(m *session.Manager) error{
		func(m *session.Manager) error {
			_, err := m.Append(context.Background(), fixture.Anna, fixture.Tens("f"), &session.WriteOptions{TTL: time.Minute, Window: 50})
			return err
		},
		func(m *session.Manager) error {
			_, err := m.UpdateHead(context.Background(), fixture.Anna, func(*session.Session) error { return nil }, &session.WriteOptions{TTL: time.Minute, Window: 50})
			return err
		},
	} {
		m, _, _, clock := expired(t)
		require.NoError(t, write(m))
		s := fixture.Load(t, m, fixture.Anna)
		assert.WithinDuration(t, clock.Now().Add(time.Minute), s.ExpiresAt(), time.Second)
		assert.Equal(t, 50, s.Window())
		assert.Equal(t, time.Minute, s.TTL)
	}
}

// A process dies between an append to an expired session and the check for a rebuild: the next
// promotion restores it.
func TestACrashBeforeASessionIsRestored(t *testing.T) {
	t.Parallel()
	m, store, l, clock := expired(t)
	for crash := range int64(2) {
		dying := &lossy{Store: store, dies: true}
		dying.lose.Store(crash + 1)
		_, err := promoting(t, dying, l, clock.Now).Append(t.Context(), fixture.Anna, fixture.Tens(fmt.Sprint("f", crash)), nil)
		require.NoError(t, err, "it was appended")
	}
	promoteNow(t, m)
	assert.Equal(t, []string{"a", "b", "c", "d", "e", "f0", "f1"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
	assert.Equal(t, []string{"a", "b", "c", "d", "e", "f0", "f1"}, l.keptMessages())
}

func TestManyWritersRestoreASession(t *testing.T) {
	t.Parallel()
	m, _, _, _ := expired(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if i%2 == 0 {
				fixture.Send(t, m, fixture.Tens(fmt.Sprint("w", i))...)
			} else {
				fixture.ChangeHead(t, m, func(s *session.Session) { s.Messages = fixture.Tens(fmt.Sprint("w", i)) })
			}
		})
	}
	wg.Wait()
	got := fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages)
	assert.Equal(t, []string{"a", "b", "c", "d", "e"}, got[:5])
	assert.Len(t, got, 13)
}

func TestDeleteRemovesTheKeptMessages(t *testing.T) {
	t.Parallel()
	m, _, l, _ := expired(t)
	require.NoError(t, m.Delete(t.Context(), fixture.Anna), "it has expired")
	_, err := m.Load(t.Context(), fixture.Anna, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
	fixture.Send(t, m, fixture.Tens("x")...)
	promoteNow(t, m)
	assert.Equal(t, []string{"x"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))

	require.ErrorIs(t, m.DeleteVersion(t.Context(), fixture.Anna, 7), session.ErrConflict)
	assert.Equal(t, []string{"x"}, l.keptMessages())
	l.fail(failingAt("delete", errModel))
	require.ErrorIs(t, m.DeleteVersion(t.Context(), fixture.Anna, fixture.Load(t, m, fixture.Anna).Version()), errModel)
	l.fail(nil)
	require.NoError(t, m.Delete(t.Context(), fixture.Anna))
	assert.Empty(t, l.keptMessages())
}

func TestDeleteVersionOfAnExpiredSession(t *testing.T) {
	t.Parallel()
	m, _, l, _ := expired(t)
	require.ErrorIs(t, m.DeleteVersion(t.Context(), fixture.Anna, 7), session.ErrConflict)
	require.NotEmpty(t, l.keptMessages())
	require.NoError(t, m.DeleteVersion(t.Context(), fixture.Anna, fixture.Load(t, m, fixture.Anna).Version()))
	assert.Empty(t, l.keptMessages())
	fixture.Send(t, m, fixture.Tens("x")...)
	require.ErrorIs(t, m.DeleteVersion(t.Context(), fixture.Anna, 0), session.ErrConflict, "it is there")
	assert.Equal(t, []string{"x"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
}

func TestMessagesThatCannotBeRestored(t *testing.T) {
	t.Parallel()
	m, l, _, _ := started(t)
	l.messages[fixture.Anna] = []session.Message{fixture.Says("a", "user", "x"), {ID: "b"}}
	_, err := m.Load(t.Context(), fixture.Anna, nil)
	_, ok := errors.AsType[*session.MessageError](err)
	require.True(t, ok, "%v", err)
	fixture.Send(t, m, fixture.Tens("c")...)
	assert.Equal(t, []string{"c"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))

	l.messages[fixture.Berta] = []session.Message{fixture.Says("a", "user", "x"), fixture.Says("a", "user", "y"), fixture.Says("", "user", "z")}
	s := fixture.Load(t, m, fixture.Berta)
	require.Len(t, s.Messages, 2)
	assert.Equal(t, "x", s.Messages[0].Content)
	assert.NotEmpty(t, s.Messages[1].ID)
}

func TestWritesDoNotWaitForALongTermMemoryThatFails(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(t *testing.T, m *session.Manager){
		"append": func(t *testing.T, m *session.Manager) { fixture.Send(t, m, fixture.Tens("f")...) },
		"update": func(t *testing.T, m *session.Manager) { remember(t, m, fact("x", "likes tea")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, l, clock := expired(t)
			l.fail(func(context.Context, string) error { panic("SECRET") })
			_, err := m.Load(t.Context(), fixture.Anna, nil)
			require.Error(t, err)
			require.NotErrorIs(t, err, session.ErrNotFound)
			assert.NotContains(t, err.Error(), "SECRET")
			write(t, m)
			before := fixture.Load(t, m, fixture.Anna)
			l.fail(nil)
			assert.Len(t, due(t, m), 1)
			clock.Sleep(time.Second)
			promoteNow(t, m) // which looks again
			s := fixture.Load(t, m, fixture.Anna)
			assert.Equal(t, append([]string{"a", "b", "c", "d", "e"}, fixture.IDs(before.Messages)...), fixture.IDs(s.Messages))
			assert.Equal(t, len(s.Messages), len(l.keptMessages()))
			assert.Equal(t, before.UpdatedAt(), s.UpdatedAt())
		})
	}
}

// A long-term memory that hangs delays one write for seconds, and others not at all.
func TestWritesDoNotWaitForALongTermMemoryThatHangs(t *testing.T) {
	t.Parallel()
	for _, write := range []func(t *testing.T, m *session.Manager){
		func(t *testing.T, m *session.Manager) { fixture.Send(t, m, fixture.Tens("f")...) },
		func(t *testing.T, m *session.Manager) { remember(t, m, fact("f", "likes tea")) },
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLongTerm(all)
			m := promoting(t, memstore.New(nil), l, time.Now)
			_, err := m.Append(t.Context(), fixture.Anna, fixture.Tens("a"), &session.WriteOptions{TTL: time.Minute})
			require.NoError(t, err)
			promoteNow(t, m)
			time.Sleep(time.Minute)
			l.fail(func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() })
			start := time.Now()
			write(t, m)
			assert.LessOrEqual(t, time.Since(start), 5*time.Second)
			start = time.Now()
			write(t, m)
			assert.Zero(t, time.Since(start))
			l.fail(nil)
			promoteNow(t, m)
			assert.Equal(t, "a", fixture.Load(t, m, fixture.Anna).Messages[0].ID)
		})
	}
}

// counted counts calls of a store that an append does not need.
type counted struct {
	driver.Store
	calls int
}

func (c *counted) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	c.calls++
	return c.Store.Load(ctx, key, last)
}

func (c *counted) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	c.calls++
	return c.Store.Write(ctx, key, w)
}

func TestAnAppendIsOneCallOfTheStore(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	c := &counted{Store: store}
	m := promoting(t, c, newLongTerm(all), clock.Now)
	fixture.Send(t, m, fixture.Tens("a")...)
	assert.Equal(t, 2, c.calls, "it made the session: is there one to rebuild?")
	fixture.Send(t, m, fixture.Tens("b")...)
	fixture.Send(t, m)
	assert.Equal(t, 2, c.calls)
}
