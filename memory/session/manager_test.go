package session_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// newManager returns a manager of a new memstore. Its clock is fixed at noon, and it does not
// summarise.
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
	bare.UserID = "anna"
	fill(t, m, bare, 1)
	key, err = find("s-1", nil, new("anna"))
	require.NoError(t, err)
	assert.Equal(t, bare, key)
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

func TestWindowsOfModels(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(memstore.New(nil), &session.Options{
		Window: 1000,
		Models: map[string]int{"house": 5000, "House": 6000, "house-large": 7000, "gpt-4o": 64_000, "org/Special": 9000},
	})
	require.NoError(t, err)
	for _, tc := range []struct {
		model string
		want  int
	}{
		{"gpt-4.1", 1_047_576},
		{"gpt-4", 8192},
		{"gpt-4-0613", 8192},
		{"gpt-4-turbo-2024-04-09", 128_000},
		{"gpt-5-mini-2025-08-07", 400_000},
		{"gpt-5.4-2026-03-05", 1_050_000},
		{"o3-mini-2025-01-31", 200_000},
		{"openai/gpt-3.5-turbo", 16_385},
		{"openai:gpt-4.1-mini", 1_047_576},
		{"ft:gpt-4.1-mini-2025-04-14:org::abc", 1_047_576},
		{"claude-3-5-sonnet-20241022", 200_000},
		{"claude-sonnet-4-5-20250929", 200_000},
		{"claude-opus-4-8", 1_000_000},
		{"us.anthropic.claude-3-haiku-20240307-v1:0", 200_000},
		{"bedrock/eu.anthropic.claude-sonnet-4-20250514-v1:0", 200_000},
		{"vertex_ai/claude-3-7-sonnet@20250219", 200_000},
		{"models/gemini-2.5-pro", 1_048_576},
		{"gemini-1.5-pro-002", 2_097_152},
		{"mistral-large-latest", 128_000},
		{"llama3.1:8b", 128_000},
		{"meta-llama/Llama-3.3-70B-Instruct", 128_000},
		{"Qwen/Qwen2.5-72B-Instruct", 32_768},
		{"amazon.nova-pro-v1:0", 300_000},
		{"command-r-plus-08-2024", 128_000},

		{"gpt-4o", 64_000},            // the user's own
		{"gpt-4o-2024-08-06", 64_000}, // and what it stands for
		{"gpt-4o-mini", 128_000},      // another model
		{"house", 5000},
		{"House", 6000},
		{"HOUSE", 5000},
		{"local/house-large-q4", 7000},
		{"house-small", 5000},
		{"house@1", 5000},
		{"org/Special", 9000},
		{"org/Special-2", 9000},

		{"household", 1000}, // no prefix up to a mark
		{"gpt", 1000},
		{"xgpt-4o", 1000},
		{"/", 1000},
		{"nobody's", 1000},
		{strings.Repeat("house-", 1000), 1000},
	} {
		got, ok := m.Usage(100, &session.WriteOptions{Model: tc.model})
		require.True(t, ok)
		assert.Equal(t, 100*100/float64(tc.want), got.Total, tc.model)
	}
}
