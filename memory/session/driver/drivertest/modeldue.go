package drivertest

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func (p *pair) doDue(key driver.Key) {
	by := writeTime.Add(time.Duration(rapid.IntRange(-1, 5).Draw(p.T, "by")) * time.Hour)
	if s := p.find(key); s != nil && !s.DueAt.IsZero() && rapid.Bool().Draw(p.T, "just due") {
		by = s.DueAt
	}
	limit := rapid.IntRange(0, 4).Draw(p.T, "limit")
	got, err := p.e.store.Due(p.e.ctx, by, limit)
	require.NoError(p, err)
	want := p.due(by, limit)
	require.Equal(p, len(want), len(got), "sessions that are due: %v", got)
	listed := map[driver.Key]bool{}
	for i, key := range got {
		s := p.find(key)
		require.NotNil(p, s, "%v is due and is not there", key)
		require.True(p, want[i].Equal(s.DueAt), "%v is due at %v, and listed among those of %v", key, s.DueAt, want[i])
		require.False(p, listed[key], "%v is listed twice", key)
		listed[key] = true
	}
}

// someDue draws a due time: often none, and seldom that of another session.
func (p *pair) someDue() time.Time {
	if rapid.Bool().Draw(p.T, "not due") {
		return time.Time{}
	}
	return writeTime.Add(time.Duration(rapid.IntRange(0, 4*3600*1000).Draw(p.T, "due in ms")) * time.Millisecond)
}
