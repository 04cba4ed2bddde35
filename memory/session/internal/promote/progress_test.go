package promote_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

func TestHeadsOfFormat1ArePromoted(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, l, clock.Now)
	fixture.Put(t, store, fixture.Anna, 1, `{"created_at":"2026-03-01T12:00:00Z","memories":[{"id":"x","text":"likes tea"}]}`, `{"role":"user","content":"hi"}`)
	s := fixture.Load(t, m, fixture.Anna)
	assert.Zero(t, s.Progress)
	assert.EqualValues(t, 1, s.Messages[0].Seq)
	assert.Empty(t, due(t, m), "whoever wrote it knew nothing of that")
	fixture.ChangeHead(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
	assert.Len(t, due(t, m), 1)
	assert.Equal(t, promotion.Outcome{Extracted: 1, Memories: 2, Messages: 1}, promoteNow(t, m))
	r, err := store.Load(t.Context(), fixture.Anna, 0)
	require.NoError(t, err)
	assert.Equal(t, driver.Format, r.Format)
	assert.Equal(t, 2, r.Format)
}

func TestCallersDoNotChangeProgress(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(all), clock.Now)
	fixture.Send(t, m, fixture.Tens("a", "b")...)
	promoteNow(t, m)
	_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
		s.Progress = session.Progress{Kept: 99, Extracted: 99, Failures: 99, Due: clock.Now()}
		s.Data = map[string]any{"step": "1"}
		s.Messages[0].Seq = 99
		return nil
	}, nil)
	require.NoError(t, err)
	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, s.Progress)
	assert.EqualValues(t, 1, s.Messages[0].Seq)
}

// A manager without a LongTerm leaves what others noted as it is.
func TestOtherManagersKeepProgress(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(all), clock.Now)
	fixture.Send(t, m, fixture.Tens("a", "b")...)
	promoteNow(t, m)
	other, err := session.NewManager(store, &session.Options{Now: clock.Now})
	require.NoError(t, err)
	fixture.Send(t, other, fixture.Tens("c")...)
	fixture.ChangeHead(t, other, func(s *session.Session) { s.Memories = append(s.Memories, fact("x", "likes tea")) })
	assert.Empty(t, due(t, m))
	assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, fixture.Load(t, m, fixture.Anna).Progress)
	fixture.ChangeHead(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
	assert.Len(t, due(t, m), 1, "the next write sees what there is to do")
	assert.Equal(t, promotion.Outcome{Extracted: 1, Memories: 2, Messages: 1}, promoteNow(t, m))
}
