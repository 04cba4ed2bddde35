package rest_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// The Go client has a method for every route except the documentation, works with any ids, and
// below a prefix.
func TestClientCallsEveryRoute(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	s := start(t, withLongTerm, with(func(o *rest.Options) {
		o.Observe = func(o rest.Observation) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, o.Method+" "+o.Route)
			assert.Equal(t, 200, o.Status, "%s %s", o.Method, o.Route)
		}
	}))
	server := httptest.NewServer(http.StripPrefix("/memory", s.handler))
	t.Cleanup(server.Close)
	const sid, mid = "a/b%2F../é ?#&;+", "%/..//ü"
	owner := client.Owner{Namespace: "n/1 &=%", UserID: "u?#"}
	c, err := client.New(server.URL+"/memory/", &client.Options{Namespace: owner.Namespace, UserID: owner.UserID})
	require.NoError(t, err)
	ctx := t.Context()
	ok := func(_ any, err error) { t.Helper(); require.NoError(t, err) }
	ok(c.Health(ctx))
	ok(nil, c.Ready(ctx))
	ok(c.PutSession(ctx, sid, &wire.SessionBody{}, nil))
	ok(c.Append(ctx, sid, []wire.Message{{ID: mid, Role: "user", Content: "c"}}, nil))
	ok(c.RecordToolCall(ctx, sid, &wire.RecordedCall{Name: "get_page", Result: `{"id":"page-1","title":"t"}`}, nil))
	yes := wire.Bool(true)
	ok(c.RecordToolCall(ctx, sid, &wire.RecordedCall{Name: "read", Result: strings.Repeat("a large result ", 4000), StoreResults: &yes}, nil))
	ok(c.DecodeArguments(ctx, sid, map[string]any{"id": "page-1"}, nil))
	ok(c.Results(ctx, sid, nil))
	part, err := c.ReadResult(ctx, sid, "result#1", client.ResultPart{Query: "large"}, nil)
	require.NoError(t, err)
	assert.Contains(t, part, "a large result")
	_, err = c.ReadResult(ctx, "", "result#1", client.ResultPart{}, nil)
	require.ErrorContains(t, err, "the id is empty")
	ok(c.Entities(ctx, sid, nil))
	ok(c.Block(ctx, sid, 0, nil))
	ok(c.Decisions(ctx, sid, nil))
	ok(c.Summarize(ctx, sid, nil))
	ok(nil, c.CreateMemories(ctx, &wire.MemoryBody{Memories: []wire.Memory{{ID: mid, Text: "text"}}}, nil))
	ok(c.Search(ctx, &wire.Search{Text: new("text")}))
	ok(c.PatchMemory(ctx, mid, &wire.MemoryPatch{Text: new("changed")}, nil))
	ok(c.Forget(ctx, &wire.Forget{Policy: &wire.ForgetPolicy{}}, nil))
	ok(c.Compact(ctx, nil))
	ok(c.Prompt(ctx, &wire.PromptRequest{Query: "q", Session: &wire.PromptSession{SessionID: sid}}))
	listed, err := c.Sessions(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{sid}, listed.Sessions)
	found, err := c.Session(ctx, sid, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{sid, owner.Namespace, owner.UserID}, []string{found.SessionID, *found.Namespace, *found.UserID})
	memory, err := c.Memory(ctx, mid, &owner)
	require.NoError(t, err)
	assert.Equal(t, []string{mid, "changed"}, []string{memory.ID, memory.Text})
	view, err := c.CreateSummaryView(ctx, &wire.SummaryViewBody{Source: "long_term", GroupBy: wire.List{"user_id"}})
	require.NoError(t, err)
	partition, err := c.SummarizePartition(ctx, view.ID, map[string]string{"user_id": owner.UserID})
	require.NoError(t, err)
	assert.Equal(t, "changed", partition.Summary)
	ok(c.SummaryView(ctx, view.ID))
	views, err := c.SummaryViews(ctx)
	require.NoError(t, err)
	assert.Equal(t, []wire.SummaryView{*view}, views)
	partitions, err := c.SummaryPartitions(ctx, view.ID, map[string]string{"user_id": owner.UserID})
	require.NoError(t, err)
	assert.Equal(t, []wire.SummaryPartition{*partition}, partitions)
	ok(c.RunSummaryView(ctx, view.ID, "t-1"))
	task, err := c.Task(ctx, "t-1")
	require.NoError(t, err)
	assert.Equal(t, "pending", task.Status)
	require.NoError(t, c.DeleteSummaryView(ctx, view.ID))
	require.NoError(t, c.DeleteSession(ctx, sid, nil))
	_, err = c.DeleteMemories(ctx, []string{mid}, nil)
	require.NoError(t, err)

	mu.Lock()
	defer mu.Unlock()
	for _, route := range s.handler.Routes() {
		if route.Pattern != "/docs" && route.Pattern != "/openapi.json" {
			assert.True(t, slices.Contains(seen, route.Method+" "+route.Pattern), "%s %s", route.Method, route.Pattern)
		}
	}
}
