package eino_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// turn runs a turn of a conversation with its own recorder, and returns weak pointers to what
// belongs to it. A tool's stream is abandoned, a call suspended.
func turn(t *testing.T, w *eino.WorkingMemory, id string) (weak.Pointer[middleware.Recorder], weak.Pointer[schema.Message]) {
	rec := new(middleware.Recorder)
	ctx := middleware.WithRecorder(t.Context(), rec)
	said := schema.UserMessage(id)
	m := newScript(get("c1 get_page "+id), say("Found it."))
	ask(t, ctx, newAgent(t, "editor", m, []tool.BaseTool{getPage(t, nil)}, w), said)

	result, in := schema.Pipe[string](1)
	run, err := w.WrapStreamableToolCall(ctx, func(context.Context, string, ...tool.Option) (*schema.StreamReader[string], error) {
		return result, nil
	}, &adk.ToolContext{Name: "get_page"})
	require.NoError(t, err)
	in.Send(page(id), nil)
	out, err := run(ctx, arguments)
	require.NoError(t, err)
	_, err = out.Recv()
	require.NoError(t, err)
	out.Close()
	in.Close()

	suspended, err := w.WrapInvokableToolCall(ctx, func(context.Context, string, ...tool.Option) (string, error) {
		return "", tool.Interrupt(ctx, "may it run?")
	}, &adk.ToolContext{Name: "get_page"})
	require.NoError(t, err)
	_, err = suspended(ctx, arguments)
	require.Error(t, err)
	return weak.Make(rec), weak.Make(said)
}

// Nothing of a conversation is left in the adapter.
func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	w := eino.New(nil, nil)
	before := *w
	for i := range 20 {
		rec, said := turn(t, w, fmt.Sprintf("page-%d000", i))
		for range 1000 { // until goroutines of Eino have ended
			runtime.GC()
			if rec.Value() == nil && said.Value() == nil {
				break
			}
		}
		require.Nil(t, rec.Value())
		require.Nil(t, said.Value())
	}
	assert.Equal(t, before, *w)
	runtime.KeepAlive(w)
}

// A conversation without end, whose messages are those of a window, needs no more memory after
// many turns than after few: the recorder keeps what it knows of some thousand calls.
func TestEndlessConversation(t *testing.T) { // not parallel: it measures the heap
	rec := new(middleware.Recorder)
	w := eino.New(rec, &eino.Options{Placement: prompt.PlaceAppend})
	run, err := w.WrapInvokableToolCall(t.Context(), func(_ context.Context, arguments string, _ ...tool.Option) (string, error) {
		return arguments, nil
	}, &adk.ToolContext{Name: "get_page"})
	require.NoError(t, err)
	var window []*schema.Message
	turns := func(from, to int) (heap int) {
		for n := from; n < to; n++ {
			id := fmt.Sprintf("page-%d", 1_000_000+n)
			result, err := run(t.Context(), `{"page_id":"`+id+`"}`)
			require.NoError(t, err)
			window = append(window, schema.UserMessage("Get "+id+"."), get(fmt.Sprintf("c%d get_page %s", n, id)), schema.ToolMessage(result, fmt.Sprint("c", n)))
			window = slices.Clone(window[max(len(window)-9, 0):])
			w.ModifyMessages(t.Context(), window)
		}
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int(stats.HeapAlloc)
	}
	few := turns(0, 5000)
	many := turns(5000, 11_000)
	assert.Less(t, many, few+512<<10, "bytes")
	runtime.KeepAlive(rec)
}
