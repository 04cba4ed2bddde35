package langchain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	wm "github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestToolset(t *testing.T) {
	t.Parallel()
	function := func(name string, parameters any) llms.Tool {
		return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: name, Parameters: parameters}}
	}
	tools, err := langchain.Toolset(
		llms.Tool{Type: "web_search"},
		function("ping", nil),
		function("merge", map[string]any{"type": "object", "properties": map[string]any{"pull_request_id": map[string]any{"type": "string"}}}),
	)
	require.NoError(t, err)
	want := "[WORKING MEMORY]\npull_requests:\n  - \"\" (12)"
	r := prompt.NewRenderer(&prompt.Options{
		Budget: len(want) + 1, Tools: tools, Counter: prompt.TokenCounterFunc(func(text string) int { return len(text) }),
	})
	assert.Equal(t, want, r.Render([]wm.Entity{{Type: "label", ID: "label-1"}, {Type: "pull_request", ID: "12"}}))

	for _, wrong := range []any{func() {}, "object", map[string]any{"properties": 7}} {
		_, err := langchain.Toolset(function("merge", wrong))
		assert.ErrorContains(t, err, `"merge"`)
	}
}
