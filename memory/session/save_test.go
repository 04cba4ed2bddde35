package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// same checks that a session which was written is what is read.
func same(t *testing.T, m *session.Manager, s *session.Session) {
	t.Helper()
	read := fixture.Load(t, m, s.Key)
	assert.Equal(t, read.Version(), s.Version())
	assert.Equal(t, read.Len(), s.Len())
	assert.Equal(t, read.Tokens(), s.Tokens())
	assert.Equal(t, read.Context, s.Context)
	assert.Equal(t, read.TTL, s.TTL)
	assert.Equal(t, read.ExpiresAt(), s.ExpiresAt())
	assert.Equal(t, read.LastAccessed, s.LastAccessed)
	if len(s.Messages) == s.Len() {
		assert.Equal(t, read.Messages, s.Messages)
	}
}

func TestReturnedSessionsCanBeSavedAgain(t *testing.T) {
	t.Parallel()
	saving := func(opts *session.LoadOptions) func(t *testing.T, m *session.Manager) *session.Session {
		return func(t *testing.T, m *session.Manager) *session.Session {
			s, err := m.Load(t.Context(), fixture.Anna, opts)
			require.NoError(t, err)
			s.Messages = append(s.Messages, fixture.Tens("g", "h")...)
			require.NoError(t, m.Save(t.Context(), s, nil))
			return s
		}
	}
	addMore := func(s *session.Session) error {
		s.Messages = append(s.Messages, fixture.Tens("g", "h")...)
		return nil
	}
	for name, write := range map[string]func(t *testing.T, m *session.Manager) *session.Session{
		"Update": func(t *testing.T, m *session.Manager) *session.Session {
			s, err := m.Update(t.Context(), fixture.Anna, addMore, nil)
			require.NoError(t, err)
			return s
		},
		"UpdateHead": func(t *testing.T, m *session.Manager) *session.Session {
			s, err := m.UpdateHead(t.Context(), fixture.Anna, addMore, nil)
			require.NoError(t, err)
			return s
		},
		"Save of all":      saving(nil),
		"Save of a part":   saving(&session.LoadOptions{Last: 2}),
		"Save of the head": saving(&session.LoadOptions{Last: -1}),
		"Branch": func(t *testing.T, m *session.Manager) *session.Session {
			fixture.Send(t, m, fixture.Tens("g")...)
			s, err := m.Branch(t.Context(), fixture.Anna, fixture.Berta, &session.WriteOptions{Window: 99})
			require.NoError(t, err)
			return s
		},
	} {
		for _, failing := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				writer := &fixture.Model{}
				if failing {
					writer = fixture.During(t, func() { panic("broken") })
				}
				m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
				fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f")...)
				s := write(t, m)
				want := summary.Done
				if failing {
					want = summary.Failed
				}
				assert.Equal(t, want, s.Summary().Status)
				same(t, m, s)
				s.Messages = append(s.Messages, fixture.Long("i", 2))
				s.Data = map[string]any{"x": "y"}
				require.NoError(t, m.Save(t.Context(), s, nil))
				same(t, m, s)
				if s.Messages = s.Messages[1:]; name == "UpdateHead" {
					require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrPartial)
				}
				if read := fixture.Load(t, m, s.Key); failing && name != "Branch" {
					assert.Equal(t, []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, fixture.IDs(read.Messages))
				}
			})
		}
	}
}

func TestSaveOfASessionLiteral(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	s := &session.Session{Key: fixture.Anna, Messages: fixture.Numbered(1, 2)}
	require.NoError(t, m.Save(t.Context(), s, nil))
	assert.Equal(t, fixture.Noon, s.CreatedAt)
	same(t, m, s)
	s.Messages = s.Messages[1:]
	require.NoError(t, m.Save(t.Context(), s, nil), "it has all its messages")
	same(t, m, s)
	_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
		s.CreatedAt = time.Time{}
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, fixture.Noon, fixture.Load(t, m, fixture.Anna).CreatedAt, "a session is never without it")
}

func TestTheLongestTTL(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	s, err := m.Update(t.Context(), fixture.Anna, changeAll, &session.WriteOptions{TTL: math.MaxInt64})
	require.NoError(t, err)
	read := fixture.Load(t, m, fixture.Anna)
	assert.InDelta(t, math.MaxInt64, read.TTL, float64(time.Millisecond))
	assert.True(t, s.ExpiresAt().After(fixture.Noon))
	s, err = m.UpdateHead(t.Context(), fixture.Anna, func(*session.Session) error { return nil }, nil)
	require.NoError(t, err)
	assert.Equal(t, read.Version(), s.Version(), "it is read as it was written")
}

func TestInvalidDataIsRefusedWithoutQuotingIt(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]map[string]any{
		"channel":     {"s3cret": make(chan int)},
		"UTF-8":       {"x": "s3cret\xff"},
		"UTF-8 name":  {"s3cret\xff": 1},
		"number":      {"x": json.Number("s3cret")},
		"own marshal": {"x": secretive{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := newManager(t)
			_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Data = data
				return nil
			}, nil)
			require.ErrorContains(t, err, "session: writing the head")
			assert.NotContains(t, err.Error(), "s3cret")
			_, err = m.Load(t.Context(), fixture.Anna, nil)
			require.ErrorIs(t, err, session.ErrNotFound)
		})
	}
}

type secretive struct{}

func (secretive) MarshalJSON() ([]byte, error) { return nil, errors.New("s3cret") }

func TestBranchTTL(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return fixture.Noon }
	m, err := session.NewManager(memstore.New(&memstore.Options{Now: now}), &session.Options{Now: now, TTL: time.Hour})
	require.NoError(t, err)
	_, err = m.Append(t.Context(), fixture.Anna, fixture.Numbered(1, 1), &session.WriteOptions{TTL: time.Minute})
	require.NoError(t, err)
	s, err := m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.NoError(t, err)
	assert.Equal(t, fixture.Noon.Add(time.Minute), s.ExpiresAt(), "as the other one")
	require.NoError(t, m.Delete(t.Context(), fixture.Berta))
	s, err = m.Branch(t.Context(), fixture.Anna, fixture.Berta, &session.WriteOptions{TTL: session.NoExpiry})
	require.NoError(t, err)
	assert.Zero(t, s.ExpiresAt())
	s, err = m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.ErrorIs(t, err, session.ErrConflict)
	assert.Nil(t, s)
}

func TestTimesOfMessagesAreInUTC(t *testing.T) {
	t.Parallel()
	east := fixture.Noon.In(time.FixedZone("east", 3600))
	m, err := session.NewManager(memstore.New(nil), &session.Options{Now: func() time.Time { return east }})
	require.NoError(t, err)
	assert.Equal(t, fixture.Noon, m.Now())
	message := fixture.Says("m1", session.RoleUser, "hello")
	message.CreatedAt = east
	done, err := m.Append(t.Context(), fixture.Anna, []session.Message{message}, nil)
	require.NoError(t, err)
	assert.Equal(t, fixture.Noon, done.Messages[0].CreatedAt)
	assert.Equal(t, done.Messages, fixture.Load(t, m, fixture.Anna).Messages)
}

// blind is a store that cannot be read once messages have left.
type blind struct{ driver.Store }

func (b blind) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	r, err := b.Store.Load(ctx, key, last)
	if err == nil && r.First > 1 {
		return nil, session.ErrUnavailable
	}
	return r, err
}

func TestSaveSucceedsIfItsSummaryCannotBeRead(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	m := fixture.Summarizing(t, blind{store}, summary.Options{Summarizer: &fixture.Model{}})
	s, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
		s.Messages = fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, summary.Done, s.Summary().Status)
	s.Context = "stale"
	require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrConflict)
	fixture.Holds(t, fixture.Summarizing(t, store, summary.Options{}), "summary 1", "e", "f", "g", "h")
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
