package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

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

func TestModelsIsTheCallers(t *testing.T) {
	t.Parallel()
	first := session.Models()
	for name, window := range first {
		assert.GreaterOrEqual(t, window, 4096, name)
		assert.Equal(t, strings.ToLower(name), name, "names are found in lower case")
	}
	clear(first)
	assert.NotEmpty(t, session.Models())
}
