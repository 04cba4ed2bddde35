package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// process returns the recorder of the conversation as a process of its own has it, with handles,
// and what it records.
func process(t *testing.T, store driver.Store) (*middleware.Recorder, *heard) {
	t.Helper()
	h := new(heard)
	sessions := newSessions(t, store, &middleware.SessionsOptions{
		Handles: new(handle.Options),
		OnCall: func(ctx context.Context, _ session.Key, call middleware.ToolCall, found extractor.Extraction, err error) {
			h.onCall(ctx, call, found, err)
		},
	})
	return sessions.Recorder(conversation), h
}

func TestProcessesShareHandles(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	a, _ := process(t, store)
	b, _ := process(t, store)
	require.NoError(t, a.Record(t.Context(), gotPage(1, "Home")))
	assert.Equal(t, pageJSON("page#1", "Home"), a.EncodeResult(pageJSON(pageID(1), "Home")))

	got, err := b.DecodeArguments(t.Context(), `{"id":"page#1"}`)
	require.NoError(t, err, "the session is read again")
	assert.Equal(t, `{"id":"`+pageID(1)+`"}`, got)
	_, err = b.DecodeArguments(t.Context(), `{"id":"page#2"}`)
	require.EqualError(t, err, "unknown handle page#2: the tool was not called; known handles are page#1")

	require.NoError(t, b.Record(t.Context(), gotPage(2, "News")))
	assert.Equal(t, "page#1 page#2", b.EncodeResult(pageID(1)+" "+pageID(2)))
	assert.Contains(t, a.Prepare(t.Context()), `"News" (page#2)`)
	assert.Equal(t, pageID(2), a.Decode("page#2"))
}

// The block of one process shows what another one has recorded, and what is pending.
func TestSessionsShowHandles(t *testing.T) {
	t.Parallel()
	sessions := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{Handles: new(handle.Options)})
	done, err := sessions.Record(t.Context(), conversation, gotPage(1, "Home"))
	require.NoError(t, err)
	assert.Equal(t, pageJSON("page#1", "Home"), done.Shown)
	assert.Equal(t, pageID(1), done.Found.Entities[0].ID)
	block, err := sessions.Block(t.Context(), conversation, prompt.Message{Role: "user", Content: "Open page#1"})
	require.NoError(t, err)
	assert.Contains(t, block, `"Home" (page#1)`)
	got, err := sessions.DecodeArguments(t.Context(), conversation, map[string]any{"id": "page#1"})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"id": pageID(1)}, got)
	other := conversation
	other.SessionID = "s2"
	_, err = sessions.DecodeArguments(t.Context(), other, `{"id":"page#1"}`)
	require.Error(t, err, "a session of its own")
}

func TestHistoryOfEncodedCallsInAnotherProcess(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	a, told := process(t, store)
	calls := []middleware.ToolCall{{ID: "c1", Name: "get_page", Arguments: `{"slug":"home"}`}, {ID: "c2", Name: "update_page", Arguments: `{"id":"page#1"}`}}
	var got []any
	run := middleware.RecordCalls(a)(returning(&got, pageJSON(pageID(1), "Home")))
	for i := range calls {
		shown, err := run(t.Context(), calls[i])
		require.NoError(t, err)
		calls[i].Result = shown
	}
	require.Len(t, told.calls, 2)

	b, told := process(t, store)
	answered := shownHistory(calls...)
	answered.AddRequests()
	require.NoError(t, b.RecordHistory(t.Context(), answered))
	assert.Empty(t, told.calls, "others have written the session")

	c, told := process(t, store)
	require.NoError(t, c.RecordHistory(t.Context(), shownHistory(calls...)))
	require.Len(t, told.calls, 1, "the model has not answered the last one")
	assert.Contains(t, told.calls[0], pageID(1), "its arguments are decoded")
	entities := c.Context().Recent(10)
	require.Len(t, entities, 1, "no entity has a handle as its id")
	assert.Equal(t, pageID(1), entities[0].ID)
	assert.Equal(t, 1, c.Handles().Len())
}

func TestHandlesAreShownOnceTheyAreStored(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	rec, _ := process(t, store)
	var got []any
	run := func(n int) string {
		shown, err := middleware.RecordCalls(rec)(returning(&got, pageJSON(pageID(n), "Page")))(t.Context(), middleware.ToolCall{Name: "get_page", Arguments: fmt.Sprintf(`{"n":%d}`, n)})
		require.NoError(t, err)
		return shown.(string)
	}
	store.fail(errors.New("down"))
	assert.Equal(t, pageJSON(pageID(1), "Page"), run(1), "not stored yet")
	assert.Contains(t, rec.Block(), pageID(1))
	_, err := rec.DecodeArguments(t.Context(), `{"id":"page#1"}`)
	require.Error(t, err)
	assert.Equal(t, pageJSON(pageID(1), "Page"), run(1))

	store.repair()
	assert.Equal(t, pageJSON("page#2", "Page"), run(2), "stored with the call before")
	assert.Equal(t, pageJSON("page#1", "Page"), run(1))
	assert.NotContains(t, rec.Block(), pageID(1))

	store.fail(errors.New("down"))
	assert.Equal(t, pageJSON("page#1", "Page"), run(1), "stored before")
	assert.Equal(t, pageJSON(pageID(3), "Page"), run(3))
	store.repair()
	require.NoError(t, rec.Refresh(t.Context()))
	assert.Equal(t, "page#3", rec.EncodeResult(pageID(3)))
}

// A write may take effect although its acknowledgement is lost.
func TestHandlesOfALostAcknowledgement(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	store.lost = func() error { return errors.New("connection reset") }
	rec, _ := process(t, store)
	require.Error(t, rec.Record(t.Context(), gotPage(1, "Home")))
	assert.Equal(t, pageID(1), rec.EncodeResult(pageID(1)))
	store.lost = func() error { return nil }
	require.NoError(t, rec.Record(t.Context(), gotPage(2, "News")))
	assert.Equal(t, "page#1 page#2", rec.EncodeResult(pageID(1)+" "+pageID(2)), "given out once")
}

func TestRecordersGiveOutHandlesAtOnce(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	var group sync.WaitGroup
	var mu sync.Mutex
	meant := make(map[string]string)
	for p := range 2 {
		rec, _ := process(t, store)
		for w := range 2 {
			group.Go(func() {
				for i := range 20 {
					id := pageID(4*i + 2*p + w)
					result := pageJSON(id, "Page")
					shown, err := middleware.RecordCalls(rec)(func(context.Context, middleware.ToolCall) (any, error) { return result, nil })(t.Context(), middleware.ToolCall{Name: "get_page"})
					assert.NoError(t, err)
					_ = rec.Block()
					_, h, _ := strings.Cut(shown.(string), `"id":"`)
					h, _, _ = strings.Cut(h, `"`)
					assert.True(t, handle.Is(h), h)
					mu.Lock()
					assert.Empty(t, meant[h], "%s means two ids", h)
					meant[h] = id
					mu.Unlock()
				}
			})
		}
	}
	group.Wait()
	assert.Len(t, meant, 80)
	rec, _ := process(t, store)
	for h, id := range meant {
		got, err := rec.DecodeArguments(t.Context(), h)
		require.NoError(t, err)
		assert.Equal(t, id, got)
	}
}

func TestBranchOfAStoredSession(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	sessions := newSessions(t, store, &middleware.SessionsOptions{Handles: new(handle.Options)})
	show := func(key session.Key, n int) any {
		done, err := sessions.Record(t.Context(), key, middleware.ToolCall{Name: "get_page", Result: pageID(n) + ` is {"page":{"id":"` + pageID(n) + `","title":"Home"}}`})
		require.NoError(t, err)
		h, _, _ := strings.Cut(done.Shown.(string), " ")
		return h
	}
	assert.Equal(t, "page#1", show(conversation, 1))
	branched := func(from session.Key, id string) session.Key {
		to := from
		to.SessionID = id
		_, err := newManager(t, store, nil).Branch(t.Context(), from, to, nil)
		require.NoError(t, err)
		return to
	}
	a := branched(conversation, "a")
	b := branched(conversation, "b")
	aa := branched(a, "aa")
	for n, tc := range []struct {
		key  session.Key
		want string
	}{{conversation, "page#2"}, {a, "page#2a"}, {b, "page#2b"}, {aa, "page#2aa"}, {a, "page#3a"}, {conversation, "page#3"}, {branched(a, "ab"), "page#2ab"}} {
		assert.Equal(t, tc.want, show(tc.key, 2+n), tc.key.SessionID)
		assert.Equal(t, "page#1", show(tc.key, 1), "known before the branch")
	}
	_, err := sessions.DecodeArguments(t.Context(), b, "page#2a")
	require.Error(t, err, "a handle of another branch")
}

func TestClearKeepsHandles(t *testing.T) {
	t.Parallel()
	rec, _ := process(t, memstore.New(nil))
	require.NoError(t, rec.Record(t.Context(), gotPage(1, "Home")))
	require.NoError(t, rec.Clear(t.Context()))
	assert.Empty(t, rec.Context().Recent(1))
	assert.Equal(t, pageID(1), rec.Decode("page#1"), "older messages show it")
	_, known := rec.Context().Get(memory.Ref{ID: pageID(1)})
	assert.False(t, known)
}
