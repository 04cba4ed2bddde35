package session_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestUsageOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                      string
		tokens, window, threshold int
		want                      session.Usage
	}{
		{"empty", 0, 1000, 700, session.Usage{}},
		{"half", 500, 1000, 700, session.Usage{Total: 50, UntilSummarization: 100 * 500.0 / 700}},
		{"at the threshold", 700, 1000, 700, session.Usage{Total: 70, UntilSummarization: 100}},
		{"capped, not yet full", 999, 1000, 700, session.Usage{Total: 99.9, UntilSummarization: 100}},
		{"capped", 5000, 1000, 700, session.Usage{Total: 100, UntilSummarization: 100}},
		{"threshold 0", 1, 100, 0, session.Usage{Total: 1, UntilSummarization: 100}},
		{"threshold 0, empty", 0, 1, 0, session.Usage{}},
		{"as large as can be", math.MaxInt, math.MaxInt, math.MaxInt, session.Usage{Total: 100, UntilSummarization: 100}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, session.UsageOf(tc.tokens, tc.window, tc.threshold))
		})
	}
}

func TestManagerUsage(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	for _, tc := range []struct {
		name   string
		tokens int
		opts   *session.WriteOptions
		want   session.Usage
	}{
		{"0.7 of 90 is 63", 62, &session.WriteOptions{Window: 90}, session.Usage{Total: 100 * 62.0 / 90, UntilSummarization: 100 * 62.0 / 63}},
		{"0.7 of 1 is 0", 1, &session.WriteOptions{Window: 1}, session.Usage{Total: 100, UntilSummarization: 100}},
		{"0.7 of 1, empty", 0, &session.WriteOptions{Window: 1}, session.Usage{}},
		{"0.7 of 7 is 4", 2, &session.WriteOptions{Window: 7}, session.Usage{Total: 100 * 2.0 / 7, UntilSummarization: 50}},
		{"by model", 64_000, &session.WriteOptions{Model: "gpt-4o"}, session.Usage{Total: 50, UntilSummarization: 100 * 64_000.0 / 89_600}},
		{"the window decides", 50, &session.WriteOptions{Model: "gpt-4o", Window: 100}, session.Usage{Total: 50, UntilSummarization: 100 * 50.0 / 70}},
		{"unknown model", 8000, &session.WriteOptions{Model: "nobody's"}, session.Usage{Total: 50, UntilSummarization: 100 * 8000.0 / 11_200}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := m.Usage(tc.tokens, tc.opts)
			require.True(t, ok)
			assert.Equal(t, tc.want, got)
		})
	}
	for _, opts := range []*session.WriteOptions{nil, {}, {TTL: 5}, {Window: -1}} {
		_, ok := m.Usage(10, opts)
		assert.False(t, ok, "%+v", opts)
	}
}

func TestThresholdIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hundredths := rapid.IntRange(1, 100).Draw(t, "hundredths")
		window := rapid.IntRange(1, 1<<40).Draw(t, "window")
		m, err := session.NewManager(memstore.New(nil), &session.Options{
			Summaries: summary.Options{Threshold: float64(hundredths) / 100},
		})
		require.NoError(t, err)
		threshold := window * hundredths / 100
		at, _ := m.Usage(threshold, &session.WriteOptions{Window: window})
		if threshold > 0 {
			assert.Equal(t, 100.0, at.UntilSummarization)
		}
		if below, _ := m.Usage(threshold-1, &session.WriteOptions{Window: window}); threshold > 1 {
			assert.Less(t, below.UntilSummarization, 100.0)
		}
	})
}
