package middleware_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestHearDecidesWhatABudgetIsSpentOn(t *testing.T) {
	t.Parallel()
	rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 60}})
	var items []string
	for _, color := range []string{"red", "blue", "green", "black", "white", "brown", "pink", "grey", "beige", "gold", "olive", "violet"} {
		items = append(items, `{"id": "item-0000-`+color+`-77", "name": "Lamp, `+color+`"}`)
	}
	require.NoError(t, rec.Record(context.Background(), middleware.ToolCall{Name: "list_items", Result: `{"items": [` + strings.Join(items, ",") + `]}`}))
	before := rec.Block()
	assert.NotContains(t, before, "violet")
	assert.Equal(t, before, rec.Block())

	rec.UpdateFocus(prompt.Message{Role: "user", Content: "The VIOLET one, please."})
	assert.Contains(t, rec.Block(), "item-0000-violet-77")
	rec.UpdateFocus(prompt.Message{Role: "assistant", Content: "Or item-0000-olive-77?"})
	assert.Contains(t, rec.Block(), "item-0000-violet-77", "the user's word stands until the user says something else")
	assert.Contains(t, rec.Block(), "item-0000-olive-77")
	rec.UpdateFocus(prompt.Message{Role: "tool", Content: "item-0000-gold-77"})
	assert.NotContains(t, rec.Block(), "item-0000-gold-77")
	rec.UpdateFocus(prompt.Message{Role: "assistant", Content: "Fine."})
	rec.UpdateFocus(prompt.Message{Role: "user", Content: "Never mind."})
	assert.Equal(t, before, rec.Block())
}

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
