package benchmarks

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	langchain "github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// BenchmarkTurn is what memory costs the next turn of a conversation that had
// some before. Ours takes in a tool result and gives the block. Of langchaingo's
// memories, which keep the same results as messages, only giving what goes into
// the prompt is timed. ConversationTokenBuffer is not here: it asks the network
// for its encoding.
func BenchmarkTurn(b *testing.B) {
	ctx := context.Background()
	results := resultsOf(16)
	for _, turns := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("workingmemory/%d", turns), func(b *testing.B) {
			r := new(middleware.Recorder)
			i := 0
			turn := func() {
				require.NoError(b, r.Record(ctx, middleware.ToolCall{Name: "list_pages", Result: results[i%len(results)]}))
				require.NotEmpty(b, r.Block())
				i++
			}
			for range turns {
				turn()
			}
			b.ReportAllocs()
			for b.Loop() {
				turn()
			}
		})
		for name, memory := range map[string]func() schema.Memory{
			"langchaingo-buffer":    func() schema.Memory { return langchain.NewConversationBuffer() },
			"langchaingo-window-10": func() schema.Memory { return langchain.NewConversationWindowBuffer(10) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, turns), func(b *testing.B) {
				m := memory()
				for i := range turns {
					require.NoError(b, m.SaveContext(ctx, map[string]any{"input": "list pages"}, map[string]any{"output": results[i%len(results)]}))
				}
				b.ReportAllocs()
				for b.Loop() {
					_, err := m.LoadMemoryVariables(ctx, nil)
					require.NoError(b, err)
				}
			})
		}
	}
}
