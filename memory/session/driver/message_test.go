package driver_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestTextOfAMessage(t *testing.T) {
	t.Parallel()
	m := session.Message{Role: "assistant", Content: "wait", ToolCalls: []session.ToolCall{{Name: "f", Arguments: "{}"}, {Name: "g"}}}
	assert.Equal(t, "assistant: wait\nf({})\ng()", m.Text())
	assert.Equal(t, "user: ", (&session.Message{Role: "user"}).Text())
}

func TestTTLMillis(t *testing.T) {
	t.Parallel()
	for ttl, want := range map[time.Duration]int64{
		0: 0, session.NoExpiry: -1, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, 1500 * time.Microsecond: 2,
		time.Hour: 3_600_000, math.MaxInt64: 9_223_372_036_855,
	} {
		ms, err := driver.TTLMillis(ttl)
		require.NoError(t, err)
		assert.Equal(t, want, ms, ttl)
	}
	for _, ttl := range []time.Duration{-2, -time.Hour, math.MinInt64} {
		_, err := driver.TTLMillis(ttl)
		require.ErrorIs(t, err, session.ErrTTL)
	}
}
