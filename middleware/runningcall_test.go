package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/middleware"
)

func begin(t *testing.T, r *middleware.Recorder, ctx context.Context, id, name string) (context.Context, *middleware.RunningCall) {
	t.Helper()
	return r.Begin(ctx, middleware.ToolCall{ID: id, Name: name, Arguments: "a"})
}

func TestNestedCalls(t *testing.T) {
	t.Parallel()
	type call struct{ id, name, arguments string }
	for name, tc := range map[string]struct {
		outer, inner call
		want         []string
	}{
		"one call in two wrappers":           {call{"1", "get", "a"}, call{"1", "get", "a"}, []string{"get a=inner"}},
		"arguments changed in between":       {call{"1", "get", "a"}, call{"1", "get", "b"}, []string{"get b=inner"}},
		"the inner one does not know the id": {call{"1", "get", "a"}, call{"", "get", "a"}, []string{"get a=inner"}},
		"a tool of an MCP server":            {call{"1", "mcp__cms__get", `{"n": 1}`}, call{"", "get", `{"n":1}`}, []string{`get {"n":1}=inner`}},
		"a tool that is an agent":            {call{"1", "ask", "a"}, call{"1", "get", "a"}, []string{"get a=inner", "ask a=outer"}},
		"a tool with a longer name":          {call{"", "budget", "a"}, call{"", "get", "a"}, []string{"get a=inner", "budget a=outer"}},
		"a tool that calls itself":           {call{"1", "get", "a"}, call{"2", "get", "a"}, []string{"get a=inner", "get a=outer"}},
		"a tool that calls itself, no ids":   {call{"", "get", "a"}, call{"", "get", "b"}, []string{"get b=inner", "get a=outer"}},
	} {
		r, told := newHeard(t)
		ctx, outer := r.Begin(t.Context(), middleware.ToolCall{ID: tc.outer.id, Name: tc.outer.name, Arguments: tc.outer.arguments})
		_, inner := r.Begin(ctx, middleware.ToolCall{ID: tc.inner.id, Name: tc.inner.name, Arguments: tc.inner.arguments})
		for range 2 {
			require.NoError(t, inner.Finish("inner", nil))
		}
		for range 2 {
			require.NoError(t, outer.Finish("outer", nil))
		}
		assert.Equal(t, tc.want, told.calls, name)
	}
}

// A wrapper that tries a tool again makes several calls.
func TestRetriedCall(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	ctx, outer := begin(t, r, t.Context(), "1", "get")
	for _, err := range []error{errors.New("busy"), nil} {
		_, attempt := begin(t, r, ctx, "1", "get")
		require.NoError(t, attempt.Finish("x", err))
	}
	require.NoError(t, outer.Finish("x", nil))
	assert.Equal(t, []string{"get a=busy", "get a=x"}, told.calls)
}

func TestSuspendedCall(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	_, running := begin(t, r, t.Context(), "1", "get")
	require.NoError(t, running.Finish(nil, fmt.Errorf("approve: %w", middleware.ErrSuspended)))
	assert.Empty(t, told.calls)
	run := middleware.RecordCalls(r)(func(context.Context, middleware.ToolCall) (any, error) {
		return nil, middleware.ErrSuspended
	})
	_, err := run(t.Context(), middleware.ToolCall{Name: "get"})
	require.ErrorIs(t, err, middleware.ErrSuspended)
	assert.Empty(t, told.calls)
	require.NoError(t, running.Finish("x", nil), "the same call goes on")
	assert.Equal(t, []string{"get a=x"}, told.calls)
}

func TestStreamedResult(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	_, running := begin(t, r, t.Context(), "1", "get")
	running.Append(`{"page":{"id":`)
	running.Append(`"page-1001"}}`)
	require.NoError(t, running.Finish(nil, nil))
	assert.Equal(t, []string{`get a={"page":{"id":"page-1001"}}`}, told.calls)

	_, running = begin(t, r, t.Context(), "2", "get")
	running.Append(`{"page":{"id":"page-1002"},"text":"`)
	part := strings.Repeat("lorem ipsum ", 1<<16)
	for range middleware.MaxStreamed/len(part) + 2 {
		running.Append(part)
	}
	require.ErrorIs(t, running.Finish(nil, nil), middleware.ErrStreamTooLong)
	assert.Contains(t, r.Block(), "page-1002", "what came before is recorded")
	assert.LessOrEqual(t, len(told.calls[1]), middleware.MaxStreamed+len("get a="))
}

func TestFinish(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, running := begin(t, r, ctx, "1", "get")
	require.NoError(t, running.Finish(`{"page":{"id":"page-1001"}}`, nil), "the tool has done its work")
	assert.Len(t, told.calls, 1)
	_, running = begin(t, r, t.Context(), "2", "get")
	large := `[` + strings.Repeat(`{"page":{"id":"page-1002"}},`, 10_000) + `{}]`
	require.ErrorIs(t, running.FinishContext(ctx, large, nil), context.Canceled)
	assert.NotContains(t, r.Block(), "page-1002")
	require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", "2 get a="+large)))
	assert.Contains(t, r.Block(), "page-1002", "what was not read is recorded from the messages")

	var none *middleware.RunningCall
	none.Append("x")
	require.NoError(t, none.Finish("x", nil))
	require.NoError(t, none.FinishContext(ctx, "x", nil))
	assert.Empty(t, none.Name())
}

func TestRecorderFor(t *testing.T) {
	t.Parallel()
	a, b, c := new(middleware.Recorder), new(middleware.Recorder), new(middleware.Recorder)
	choose := func(r *middleware.Recorder) func(context.Context) *middleware.Recorder {
		return func(context.Context) *middleware.Recorder { return r }
	}
	assert.Same(t, a, middleware.RecorderFor(middleware.WithRecorder(t.Context(), a), choose(b), c))
	assert.Same(t, b, middleware.RecorderFor(t.Context(), choose(b), c))
	assert.Same(t, c, middleware.RecorderFor(t.Context(), choose(nil), c))
	assert.Same(t, c, middleware.RecorderFor(t.Context(), nil, c))
	assert.Nil(t, middleware.RecorderFor(t.Context(), nil, nil))
}
