package middleware_test

import (
	"context"
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
	tests := []struct {
		name  string
		block prompt.Options
		want  int
	}{
		{"as many as are shown", prompt.Options{}, prompt.DefaultPerType},
		{"as many as are asked for", prompt.Options{PerType: 5}, 5},
		{"all that may compete for a budget", prompt.Options{Budget: 64}, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, x := range []extractor.Extractor{nil, extractor.Default(middleware.LimitsFor(tt.block))} {
				rec := newRecorder(t, &middleware.Options{Block: tt.block, Extractor: x})
				require.NoError(t, rec.Record(context.Background(), middleware.ToolCall{Name: "list_items", Result: many}))
				assert.Equal(t, tt.want, rec.Context().Len())
			}
		})
	}
}
