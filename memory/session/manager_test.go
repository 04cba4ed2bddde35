package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
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
