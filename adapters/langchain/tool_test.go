package langchain_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func TestToolKeepsItsInterface(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	tool := w.Tool(getPage())
	assert.Equal(t, "cms_getPage", tool.Name())
	assert.Equal(t, "describes cms_getPage", tool.Description())
	out, err := tool.Call(t.Context(), `{"__arg1": "home"}`)
	require.NoError(t, err)
	assert.Equal(t, pageJSON(homeID, "Home"), out)
	_, err = tool.Call(t.Context(), "missing\nObservation:")
	require.Equal(t, errNoPage, err)

	all := told.all()
	require.Len(t, all, 2)
	assert.Equal(t, "home", all[0].Arguments)
	assert.False(t, all[0].Start.IsZero())
	assert.Equal(t, "missing", all[1].Arguments)
	assert.Equal(t, errNoPage, all[1].Err)

	bad := w.Tool(fakeTool{name: "bad", call: func(context.Context, string) (string, error) { panic("bad tool") }})
	assert.PanicsWithValue(t, "bad tool", func() { _, _ = bad.Call(t.Context(), "") })
	assert.Len(t, told.all(), 2)
}

func TestToolArgumentsOfOtherShapesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	echo := langchain.New(rec, nil).Tool(fakeTool{name: "echo", call: func(_ context.Context, in string) (string, error) { return in, nil }})
	inputs := []string{`{"__arg1": 5}`, `{"__arg1": "a", "b": 1}`, `"__arg1"`, `{"id": 1}`, ``}
	for _, in := range inputs {
		out, err := echo.Call(t.Context(), in)
		require.NoError(t, err)
		assert.Equal(t, in, out)
	}
	for i, call := range told.all() {
		assert.Equal(t, inputs[i], call.Arguments)
	}
}

func TestRecorderOfTheContextWins(t *testing.T) {
	t.Parallel()
	own, ownTold := newRecorder()
	carried, carriedTold := newRecorder()
	w := langchain.New(own, nil)
	ctx := middleware.WithRecorder(t.Context(), carried)
	_, err := w.Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	assert.Empty(t, ownTold.all())
	assert.Len(t, carriedTold.all(), 1)
	values, err := w.Memory(nil).LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, guided(carried), values["working_memory"])
}

// reportTool returns an item.
type reportTool struct{ fakeTool }

func (reportTool) CallItem(_ context.Context, input string) (queue.ContextItem, error) {
	if input == "missing" {
		return queue.ContextItem{}, errNoPage
	}
	return queue.ContextItem{ID: input, Description: "a report", Content: pageJSON(homeID, "Home")}, nil
}

func TestItemsOfAToolAreRouted(t *testing.T) {
	t.Parallel()
	scope := workspace.New(nil)
	rec := recorderWith(&middleware.Options{Workspace: scope})
	tool := langchain.New(rec, nil).Tool(reportTool{fakeTool{name: "report"}})

	out, err := tool.Call(t.Context(), "r1")
	require.NoError(t, err)
	assert.Equal(t, pageJSON(homeID, "Home"), out, "the model reads the content")
	assert.Equal(t, "- [r1] a report", scope.Pool().Catalogue())
	assert.Contains(t, rec.Block(), homeID)

	_, err = tool.Call(t.Context(), "missing")
	require.Equal(t, errNoPage, err)
	assert.Equal(t, 1, scope.Pool().Len())
}
