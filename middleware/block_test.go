package middleware_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestAListDoesNotFloodASmallContext(t *testing.T) {
	t.Parallel()
	const many = `{"items": [{"id": "i-1001"}, {"id": "i-1002"}, {"id": "i-1003"}, {"id": "i-1004"}, {"id": "i-1005"}, {"id": "i-1006"}, {"id": "i-1007"}, {"id": "i-1008"}]}`
	// The first five, or all that may compete for a budget.
	for want, block := range map[int]prompt.Options{5: {}, 8: {Budget: 64}} {
		for _, x := range []extractor.Extractor{nil, extractor.Default(middleware.LimitsFor(block))} {
			rec := newRecorder(t, &middleware.Options{Block: block, Extractor: x})
			require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "list_items", Result: many}))
			assert.Equal(t, want, rec.Context().Len())
		}
	}
}
