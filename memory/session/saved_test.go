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
)

// same checks that a session which was written is what is read.
func same(t *testing.T, m *session.Manager, s *session.Session) {
	t.Helper()
	read := load(t, m, s.Key)
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

// A session that UpdateHead returns may be saved again: what it appended is there
// once, also what a summary has taken away meanwhile.
func TestWhatUpdateHeadAppendsIsThereOnce(t *testing.T) {
	t.Parallel()
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: &model{}})
	s, err := m.UpdateHead(t.Context(), anna, func(s *session.Session) error {
		s.Messages = tens("a", "b", "c", "d", "e", "f", "g", "h")
		return nil
	}, nil)
	require.NoError(t, err)
	same(t, m, s)
	holds(t, m, "summary 1", "e", "f", "g", "h")
	require.NoError(t, m.Save(t.Context(), s, nil))
	same(t, m, s)
	s.Messages = append(s.Messages, tens("i")...)
	s.Data = map[string]any{"x": "y"}
	require.NoError(t, m.Save(t.Context(), s, nil))
	same(t, m, s)
	holds(t, m, "summary 1", "e", "f", "g", "h", "i")
	s.Messages = s.Messages[1:]
	require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrPartial)
}

func TestReturnedSessionsCanBeSavedAgain(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(t *testing.T, m *session.Manager) *session.Session{
		"Update": func(t *testing.T, m *session.Manager) *session.Session {
			s, err := m.Update(t.Context(), anna, func(s *session.Session) error {
				s.Messages = append(s.Messages, tens("g", "h")...)
				return nil
			}, nil)
			require.NoError(t, err)
			return s
		},
		"UpdateHead": func(t *testing.T, m *session.Manager) *session.Session {
			s, err := m.UpdateHead(t.Context(), anna, func(s *session.Session) error {
				s.Messages = tens("g", "h")
				return nil
			}, nil)
			require.NoError(t, err)
			return s
		},
		"Save of all": func(t *testing.T, m *session.Manager) *session.Session {
			s := load(t, m, anna)
			s.Messages = append(s.Messages, tens("g", "h")...)
			require.NoError(t, m.Save(t.Context(), s, nil))
			return s
		},
		"Save of a part": func(t *testing.T, m *session.Manager) *session.Session {
			s, err := m.Load(t.Context(), anna, &session.LoadOptions{Last: 2})
			require.NoError(t, err)
			s.Messages = append(s.Messages, tens("g", "h")...)
			require.NoError(t, m.Save(t.Context(), s, nil))
			return s
		},
		"Save of the head": func(t *testing.T, m *session.Manager) *session.Session {
			s, err := m.Load(t.Context(), anna, &session.LoadOptions{Last: -1})
			require.NoError(t, err)
			s.Messages = append(s.Messages, tens("g", "h")...)
			require.NoError(t, m.Save(t.Context(), s, nil))
			return s
		},
		"Branch": func(t *testing.T, m *session.Manager) *session.Session {
			send(t, m, tens("g")...)
			s, err := m.Branch(t.Context(), anna, berta, &session.WriteOptions{Window: 99})
			require.NoError(t, err)
			return s
		},
	} {
		for _, failing := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				writer := &model{}
				if failing {
					writer = during(t, func() { panic("broken") })
				}
				m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer})
				send(t, m, tens("a", "b", "c", "d", "e", "f")...)
				s := write(t, m)
				want := session.SummaryDone
				if failing {
					want = session.SummaryFailed
				}
				assert.Equal(t, want, s.Summary().Status)
				same(t, m, s)
				s.Messages = append(s.Messages, long("i", 2))
				s.Data = map[string]any{"x": "y"}
				require.NoError(t, m.Save(t.Context(), s, nil))
				same(t, m, s)
				if read := load(t, m, s.Key); failing && name != "Branch" {
					assert.Equal(t, []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, ids(read.Messages))
				}
			})
		}
	}
}

func TestASessionMadeByHand(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	s := &session.Session{Key: anna, Messages: numbered(1, 2)}
	require.NoError(t, m.Save(t.Context(), s, nil))
	assert.Equal(t, noon, s.CreatedAt)
	same(t, m, s)
	s.Messages = s.Messages[1:]
	require.NoError(t, m.Save(t.Context(), s, nil), "it has all its messages")
	same(t, m, s)
	_, err := m.Update(t.Context(), anna, func(s *session.Session) error {
		s.CreatedAt = time.Time{}
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, noon, load(t, m, anna).CreatedAt, "a session is never without it")
}

func TestSettingTTLDoesNothing(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	set := func(s *session.Session) error {
		s.TTL = -time.Hour
		return nil
	}
	s, err := m.Update(t.Context(), anna, set, nil)
	require.NoError(t, err)
	assert.Zero(t, s.TTL)
	same(t, m, s)
	_, err = m.Append(t.Context(), berta, nil, &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	s, err = m.UpdateHead(t.Context(), berta, set, nil)
	require.NoError(t, err)
	assert.Equal(t, time.Hour, s.TTL)
	same(t, m, s)
}

func TestTheLongestTTL(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	s, err := m.Update(t.Context(), anna, changeAll, &session.WriteOptions{TTL: math.MaxInt64})
	require.NoError(t, err)
	read := load(t, m, anna)
	assert.InDelta(t, math.MaxInt64, read.TTL, float64(time.Millisecond))
	assert.True(t, s.ExpiresAt().After(noon))
	s, err = m.UpdateHead(t.Context(), anna, func(*session.Session) error { return nil }, nil)
	require.NoError(t, err)
	assert.Equal(t, read.Version(), s.Version(), "it is read as it was written")
}

func TestErrorsOfHeadsHaveNoContents(t *testing.T) {
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
			_, err := m.Update(t.Context(), anna, func(s *session.Session) error {
				s.Data = data
				return nil
			}, nil)
			require.ErrorContains(t, err, "session: writing the head")
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
}

type secretive struct{}

func (secretive) MarshalJSON() ([]byte, error) { return nil, errors.New("s3cret") }

func TestBranchesOfManagersWithATTL(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return noon }
	m, err := session.NewManager(session.NewMemoryStore(&session.MemoryStoreOptions{Now: now}), &session.Options{Now: now, TTL: time.Hour})
	require.NoError(t, err)
	_, err = m.Append(t.Context(), anna, numbered(1, 1), &session.WriteOptions{TTL: time.Minute})
	require.NoError(t, err)
	s, err := m.Branch(t.Context(), anna, berta, nil)
	require.NoError(t, err)
	assert.Equal(t, noon.Add(time.Minute), s.ExpiresAt(), "as the other one")
	require.NoError(t, m.Delete(t.Context(), berta))
	s, err = m.Branch(t.Context(), anna, berta, &session.WriteOptions{TTL: session.NoExpiry})
	require.NoError(t, err)
	assert.Zero(t, s.ExpiresAt())
	s, err = m.Branch(t.Context(), anna, berta, nil)
	require.ErrorIs(t, err, session.ErrConflict)
	assert.Nil(t, s)
}

func TestSavedTwiceTheTTLStays(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	s := m.New(anna)
	require.NoError(t, m.Save(t.Context(), s, &session.WriteOptions{TTL: time.Hour}))
	s.Context = "They said hello."
	require.NoError(t, m.Save(t.Context(), s, nil))
	assert.Equal(t, time.Hour, s.TTL)
	same(t, m, s)
}

func TestASessionReadByTokensIsAPart(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	fill(t, m, anna, 3)
	s, err := m.Load(t.Context(), anna, &session.LoadOptions{Tokens: 1})
	require.NoError(t, err)
	require.Equal(t, []string{"m3"}, ids(s.Messages))
	s.Messages = nil
	require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrPartial)
}

func TestTimesOfMessagesAreInUTC(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	message := says("m1", session.RoleUser, "hello")
	message.CreatedAt = noon.In(time.FixedZone("east", 3600))
	done, err := m.Append(t.Context(), anna, []session.Message{message}, nil)
	require.NoError(t, err)
	assert.Equal(t, noon, done.Messages[0].CreatedAt)
	assert.Equal(t, done.Messages, load(t, m, anna).Messages)
}

// blind is a store that cannot be read once messages have left.
type blind struct{ session.Store }

func (b blind) Load(ctx context.Context, key session.Key, last int) (*session.Record, error) {
	r, err := b.Store.Load(ctx, key, last)
	if err == nil && r.First > 1 {
		return nil, session.ErrUnavailable
	}
	return r, err
}

func TestAWriteIsNoFailureWhereItsSummaryCannotBeRead(t *testing.T) {
	t.Parallel()
	store := session.NewMemoryStore(nil)
	m := summarizing(t, blind{store}, session.Summaries{Summarizer: &model{}})
	s, err := m.UpdateHead(t.Context(), anna, func(s *session.Session) error {
		s.Messages = tens("a", "b", "c", "d", "e", "f", "g", "h")
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, session.SummaryDone, s.Summary().Status)
	s.Context = "stale"
	require.ErrorIs(t, m.Save(t.Context(), s, nil), session.ErrConflict)
	holds(t, summarizing(t, store, session.Summaries{}), "summary 1", "e", "f", "g", "h")
}
