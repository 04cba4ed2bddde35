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
