package servertest

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// An agent whose memory is a server sees handles and descriptions of large results, its tools get
// ids, and the next process goes on with the same handles.
func TestHandlesAndStoredResults(t *testing.T) {
	t.Parallel()
	s := settings{store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db"), args: append([]string{"--handles", "--store-results=500"}, estimate...)}
	const home, prices = "0b7c4f0e-6d0b-4c39-9f0a-5b0f6c1d2e3f", "5e1d9a44-1c1a-47f5-8a3b-9d2c4e6f7081"
	p := start(t, s)
	agent := newAgent(t, p)

	shown := agent.run("get_page", map[string]any{"slug": marker}, page(home, marker+" home"))
	assert.Equal(t, page("page#1", marker+" home"), shown)
	shown = agent.run("rename_page", map[string]any{"id": "page#1", "title": "Welcome"}, page(home, "Welcome"))
	assert.Equal(t, map[string]any{"id": home, "title": "Welcome"}, agent.got, "the tool gets the id")
	assert.Equal(t, page("page#1", "Welcome"), shown)
	refused := agent.run("rename_page", map[string]any{"id": "page#9"}, nil)
	assert.Equal(t, "unknown handle page#9: the tool was not called; known handles are page#1", refused)
	assert.Equal(t, home, agent.got["id"], "it was not called")

	var orders []string
	for i := range 300 {
		orders = append(orders, fmt.Sprintf(`{"id":"order-%d","note":"%s"}`, 1000+i, marker))
	}
	described, ok := agent.run("list_orders", nil, `{"orders":[`+strings.Join(orders, ",")+`]}`).(string)
	require.True(t, ok)
	assert.Contains(t, described, "[STORED RESULT] result#1")
	assert.Less(t, len(described), 6000)

	// A client that knows nothing of handles replaces the session.
	_, err := agent.PutSession(t.Context(), "s", &wire.SessionBody{Messages: []wire.Message{{ID: "m", Role: "user", Content: marker}}}, nil)
	require.NoError(t, err)
	p.terminate()

	agent = newAgent(t, start(t, s))
	assert.Equal(t, page("page#2", "Prices"), agent.run("get_page", nil, page(prices, "Prices")))
	block, err := agent.Block(t.Context(), "s", 0, nil)
	require.NoError(t, err)
	assert.Contains(t, block, `"Prices" (page#2)`)
	decoded, err := agent.DecodeArguments(t.Context(), "s", "page#1", nil)
	require.NoError(t, err)
	assert.Equal(t, home, decoded, "handles outlive the entities in the block")
	list, err := agent.Results(t.Context(), "s", nil)
	require.NoError(t, err)
	assert.Contains(t, list, `result#1: "list_orders", JSON`)
	part, err := agent.ReadResult(t.Context(), "s", "result#1", client.ResultPart{Path: "$.orders[250].id"}, nil)
	require.NoError(t, err)
	assert.Contains(t, part, "order-1250")
	_, err = agent.ReadResult(t.Context(), "s", "result#2", client.ResultPart{}, nil)
	require.ErrorIs(t, err, client.ErrNotFound)

	no := wire.Bool(false)
	plain, err := agent.RecordToolCall(t.Context(), "s", &wire.RecordedCall{Name: "get_page", Result: page(home, "Welcome"), Handles: &no, StoreResults: &no}, nil)
	require.NoError(t, err)
	assert.Nil(t, plain.Shown)
}

func page(id, title string) any {
	return map[string]any{"page": map[string]any{"id": id, "title": title}}
}

// agent runs tools as a program does whose memory is a server.
type agent struct {
	*client.Client
	t   *testing.T
	got map[string]any // the arguments of the last tool
}

func newAgent(t *testing.T, p *process) *agent {
	c, err := client.New(p.base, nil)
	require.NoError(t, err)
	return &agent{Client: c, t: t}
}

// run calls a tool with the arguments that a model wrote, and returns what the model is to see.
func (a *agent) run(tool string, arguments map[string]any, result any) any {
	a.t.Helper()
	decoded, err := a.DecodeArguments(a.t.Context(), "s", arguments, nil)
	if refusal, ok := errors.AsType[*client.Error](err); ok && errors.Is(err, client.ErrUnknownHandle) {
		return refusal.Fields[0].Msg
	}
	require.NoError(a.t, err)
	a.got, _ = decoded.(map[string]any)
	recorded, err := a.RecordToolCall(a.t.Context(), "s", &wire.RecordedCall{Name: tool, Arguments: decoded, Result: result}, nil)
	require.NoError(a.t, err)
	return recorded.Shown
}
