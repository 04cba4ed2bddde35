package session_test

import (
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
