package promote_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
)

// changing extracts one memory again and again, each time with another text.
type changing struct {
	*longTerm
	updated time.Time
	text    string
}

func (c *changing) Extract(context.Context, driver.ExtractRequest) ([]driver.Record, error) {
	return []driver.Record{{ID: "one", Text: c.text, ExtractionStrategy: "test", UpdatedAt: c.updated}}, nil
}

func TestAMemoryThatIsExtractedAnewReplaces(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := &changing{longTerm: newLongTerm(all)}
	m := promoting(t, store, l, clock.Now)
	for i, tc := range []struct {
		text, want string
		updated    time.Time
	}{
		{"first", "first", time.Time{}},
		{"not later", "first", time.Time{}},
		{"changed", "changed", clock.Now()},
		{"not later either", "changed", clock.Now()},
		{"changed again", "changed again", clock.Now().Add(1)},
	} {
		l.text, l.updated = tc.text, tc.updated
		fixture.Send(t, m, fixture.Tens(tc.text)...)
		promoteNow(t, m)
		s := fixture.Load(t, m, fixture.Anna)
		require.Len(t, s.Memories, 1)
		assert.Equal(t, tc.want, s.Memories[0].Text, "round %d", i)
		assert.NotZero(t, s.Memories[0].PersistedAt)
		assert.Equal(t, tc.want, l.memories[fixture.Anna]["one"].Text)
	}
}
