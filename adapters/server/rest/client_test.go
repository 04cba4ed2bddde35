package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// The Go client reads what the server answers, of all that is of long-term memory.
func TestClientAndLongTermMemory(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm, withTokens)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	token, _ := s.token(auth.Tenant{Namespace: "shop"}, 0)
	c, err := client.New(server.URL, &client.Options{Token: token, Namespace: "shop", UserID: "anna"})
	require.NoError(t, err)
	ctx := t.Context()

	body := &wire.MemoryBody{}
	for i := range 100 {
		body.Memories = append(body.Memories, wire.Memory{ID: fmt.Sprintf("m/%d", i), Text: fmt.Sprintf("tea number %d", i), Topics: wire.List{"tea"}})
	}
	body.Memories[99].UserID = new("bob")
	require.NoError(t, c.CreateMemories(ctx, body, nil))
	found, err := c.Search(ctx, &wire.Search{Text: new("tea"), Limit: new(wire.Int(100))})
	require.NoError(t, err)
	require.Len(t, found.Memories, 99)
	assert.Equal(t, 99, found.Total)
	assert.Nil(t, found.NextOffset)
	assert.Equal(t, "keyword", *found.Memories[0].ScoreType)
	page, err := c.Search(ctx, &wire.Search{Limit: new(wire.Int(7)), Topics: &wire.TextFilter{StartsWith: new("te"), None: &[]string{"beer"}}})
	require.NoError(t, err)
	assert.Equal(t, 7, *page.NextOffset)

	m, err := c.Memory(ctx, "m/7", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"shop", "anna"}, []string{*m.Namespace, *m.UserID})
	_, err = c.Memory(ctx, "m/99", nil)
	require.ErrorIs(t, err, client.ErrNotFound, "it is bob's")
	no := wire.Bool(false)
	m, err = c.PatchMemory(ctx, "m/7", &wire.MemoryPatch{Topics: &wire.List{}, Pinned: &no}, nil)
	require.NoError(t, err)
	assert.Empty(t, m.Topics)
	_, err = c.PatchMemory(ctx, "m/7", &wire.MemoryPatch{Namespace: new("work")}, nil)
	require.ErrorIs(t, err, client.ErrForbidden)
	_, err = c.PatchMemory(ctx, "m/7", &wire.MemoryPatch{}, nil)
	require.EqualError(t, err, "client: status 400: No fields provided for update")

	p, err := c.Prompt(ctx, &wire.PromptRequest{Query: "tea", Session: &wire.PromptSession{SessionID: "none"}, LongTerm: &wire.SearchOrBool{Bool: true}})
	require.NoError(t, err)
	assert.Len(t, p.LongTerm, 10)
	assert.Len(t, p.Messages, 2)

	gone, err := c.DeleteMemories(ctx, []string{"m/1", "m/1", "m/99", "none"}, nil)
	require.NoError(t, err)
	assert.Equal(t, "ok, deleted 1 memories", gone.Status)
	policy := &wire.Forget{Policy: &wire.ForgetPolicy{Budget: new(wire.Int(90))}, PinnedIDs: []string{"m/2"}}
	dry, err := c.Forget(ctx, policy, nil)
	require.NoError(t, err)
	assert.True(t, dry.DryRun)
	forgotten, err := c.Forget(ctx, policy, &client.ForgetOptions{Really: true})
	require.NoError(t, err)
	assert.False(t, forgotten.DryRun)
	assert.Equal(t, dry.DeletedIDs, forgotten.DeletedIDs)
	assert.Equal(t, 7, forgotten.Deleted, "of 98, one of which is pinned, 90 stay")
	left, err := c.Compact(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, "ok, 91 memories remaining after compaction", left.Status)
}

// The Go client has a method for every route but the documentation, whatever the ids are, and
// where the routes begin further on.
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
