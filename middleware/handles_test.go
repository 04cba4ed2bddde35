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

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// pageID returns the id of the n-th page, which is worth a handle.
func pageID(n int) string { return fmt.Sprintf("%08x-52ab-4c0e-9a77-0d2f61b8e5aa", 0x10000000+n) }

// pageJSON returns a result with a page.
func pageJSON(id, title string) string {
	return fmt.Sprintf(`{"page":{"id":%q,"title":%q}}`, id, title)
}

// gotPage is a call that returned the n-th page.
func gotPage(n int, title string) middleware.ToolCall {
	return middleware.ToolCall{Name: "get_page", Arguments: fmt.Sprintf(`{"slug":%q}`, title), Result: pageJSON(pageID(n), title)}
}

// listedPages is a call that returned pages, from the first on.
func listedPages(titles ...string) middleware.ToolCall {
	var list []string
	for i, title := range titles {
		list = append(list, fmt.Sprintf(`{"id":%q,"title":%q}`, pageID(i+1), title))
	}
	return middleware.ToolCall{Name: "list_pages", Result: `{"pages":[` + strings.Join(list, ",") + `]}`}
}

// withHandles returns a recorder with handles, and what it records.
func withHandles(t *testing.T) (*middleware.Recorder, *heard) {
	t.Helper()
	h := new(heard)
	return newRecorder(t, &middleware.Options{Handles: handle.NewTable(nil), OnCall: h.onCall}), h
}

// returning is a tool with a result, which notes its arguments.
func returning(got *[]any, result any) middleware.ToolHandler {
	return func(_ context.Context, call middleware.ToolCall) (any, error) {
		*got = append(*got, call.Arguments)
		return result, nil
	}
}

func TestRecordCallsWithHandles(t *testing.T) {
	t.Parallel()
	rec, _ := withHandles(t)
	var got []any
	run := middleware.RecordCalls(rec)(returning(&got, pageJSON(pageID(1), "Home")))
	shown, err := run(t.Context(), middleware.ToolCall{Name: "get_page", Arguments: `{"slug":"home"}`})
	require.NoError(t, err)
	assert.Equal(t, pageJSON("page#1", "Home"), shown, "the first result has the handle already")
	for _, arguments := range []any{`{"id":"page#1"}`, `{"id":"` + pageID(1) + `"}`, map[string]any{"id": "page#1"}} {
		shown, err = run(t.Context(), middleware.ToolCall{Name: "update_page", Arguments: arguments})
		require.NoError(t, err)
		assert.Equal(t, pageJSON("page#1", "Home"), shown)
	}
	assert.Equal(t, []any{`{"slug":"home"}`, `{"id":"` + pageID(1) + `"}`, `{"id":"` + pageID(1) + `"}`, map[string]any{"id": pageID(1)}}, got)
	e, ok := rec.Context().Get(memory.Ref{Type: "page", ID: pageID(1)})
	require.True(t, ok)
	assert.Equal(t, 3, e.Uses, "a handle in the arguments is a use")
	assert.Contains(t, rec.Block(), `"Home" (page#1)`)
	assert.NotContains(t, rec.Block(), pageID(1))
}

func TestErrorsOfToolsShowHandles(t *testing.T) {
	t.Parallel()
	rec, _ := withHandles(t)
	require.NoError(t, rec.Record(t.Context(), gotPage(1, "Home")))
	_, running := rec.Begin(t.Context(), middleware.ToolCall{Name: "get_page", Arguments: `{"id":"page#1"}`})
	require.NoError(t, running.Finish(nil, errors.New("page "+pageID(1)+" is locked")))
	h := &middleware.History{}
	h.AddRequests(middleware.ToolCall{Name: "get_page", Arguments: `{"id":"page#1"}`})
	h.AddResult(middleware.ToolCall{Result: "page page#1 is locked"})
	rec2, told := withHandles(t)
	require.NoError(t, rec2.RecordHistory(t.Context(), h))
	assert.Len(t, told.calls, 1)
}

func TestUnknownHandle(t *testing.T) {
	t.Parallel()
	rec, told := withHandles(t)
	require.NoError(t, rec.Record(t.Context(), gotPage(1, "Home")))
	var got []any
	block, version := rec.Block(), rec.Context().Version()
	run := middleware.RecordCalls(rec)(returning(&got, "done"))
	_, err := run(t.Context(), middleware.ToolCall{ID: "c2", Name: "update_page", Arguments: `{"id":"page#2"}`})
	require.EqualError(t, err, "unknown handle page#2: the tool was not called; known handles are page#1")
	assert.Empty(t, got, "the tool was not called")
	assert.Len(t, told.calls, 1, "nothing was recorded")
	assert.Equal(t, block, rec.Block())
	assert.Equal(t, version, rec.Context().Version())

	h := &middleware.History{}
	h.AddRequests(middleware.ToolCall{ID: "c2", Name: "update_page", Arguments: `{"id":"page#2"}`})
	h.AddResult(middleware.ToolCall{ID: "c2", Result: err.Error()})
	require.NoError(t, rec.RecordHistory(t.Context(), h))
	assert.Len(t, told.calls, 1, "nor does a history record it")
}

func TestLiteralsOfTheUser(t *testing.T) {
	t.Parallel()
	rec, _ := withHandles(t)
	require.NoError(t, rec.Record(t.Context(), gotPage(1, "Home")))
	_, err := rec.DecodeArguments(t.Context(), `{"title":"issue#7"}`)
	require.Error(t, err)
	rec.UpdateFocus(prompt.Message{Role: "user", Content: "Call the new page Issue#7, and open page#5."})
	got, err := rec.DecodeArguments(t.Context(), `{"title":"issue#7"}`)
	require.NoError(t, err)
	assert.Equal(t, `{"title":"issue#7"}`, got)
	_, err = rec.DecodeArguments(t.Context(), `{"id":"page#5"}`)
	require.Error(t, err, "there are handles of pages")
}

func TestBlockShowsHandles(t *testing.T) {
	t.Parallel()
	rec := newRecorder(t, &middleware.Options{
		Handles: handle.NewTable(nil),
		Recall: func(context.Context, string) ([]items.Item, error) {
			return []items.Item{{ID: "1", Text: "The owner of " + pageID(1) + " is Ann."}}, nil
		},
	})
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"` + pageID(1) + `","uuid":"` + pageID(2) + `","title":"Copy of ` + pageID(1) + `"}}`}))
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: pageJSON(pageID(3), "")}))
	block := rec.Prepare(t.Context(), prompt.Message{Role: "user", Content: "Who owns it?"})
	assert.Contains(t, block, "Copy of page#1")
	assert.Contains(t, block, "The owner of page#1 is Ann.")
	for n := 1; n <= 3; n++ {
		assert.NotContains(t, block, pageID(n))
	}
	assert.Contains(t, block, "page#3")
	t.Log(block)
}

func TestHandleTypedByTheUser(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"page#1", "Page#1", "PAGE#1", pageID(1)} {
		rec, _ := withHandles(t)
		require.NoError(t, rec.Record(t.Context(), listedPages("Home", "News")))
		rec.UpdateFocus(prompt.Message{Role: "user", Content: "Please rename " + typed + "."})
		e, ok := rec.Context().Get(memory.Ref{ID: pageID(1)})
		require.True(t, ok)
		assert.True(t, e.Held, typed)
		e, _ = rec.Context().Get(memory.Ref{ID: pageID(2)})
		assert.False(t, e.Held, typed)
	}
}

// With a budget, what the user mentions is shown before what is newer.
func TestHandleTypedByTheUserIsShown(t *testing.T) {
	t.Parallel()
	block := prompt.Options{Budget: 60}
	rec := newRecorder(t, &middleware.Options{Handles: handle.NewTable(nil), Block: block})
	for n := range 30 {
		require.NoError(t, rec.Record(t.Context(), gotPage(n, fmt.Sprintf("Title %d", n))))
	}
	require.NotContains(t, rec.Block(), "page#3)")
	rec.UpdateFocus(prompt.Message{Role: "user", Content: "Open Page#3"})
	assert.Contains(t, rec.Block(), "page#3)")
}

func TestDecodeForPeople(t *testing.T) {
	t.Parallel()
	rec, _ := withHandles(t)
	require.NoError(t, rec.Record(t.Context(), gotPage(1, "Home")))
	require.NoError(t, rec.Record(t.Context(), gotPage(2, "")))
	assert.Equal(t, "Renamed "+pageID(1)+", not page#9.", rec.Decode("Renamed page#1, not page#9."))
	assert.Equal(t, `Renamed "Home" and `+pageID(2)+".", rec.DecodeNames("Renamed Page#1 and page#2."))
	var none middleware.Recorder
	assert.Equal(t, "page#1", none.Decode("page#1"))
	assert.Equal(t, "page#1", none.DecodeNames("page#1"))
	assert.Nil(t, none.Handles())
}

// shownHistory is the messages of calls as the model sees them.
func shownHistory(calls ...middleware.ToolCall) *middleware.History {
	h := &middleware.History{}
	for _, c := range calls {
		h.AddRequests(middleware.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		h.AddResult(middleware.ToolCall{ID: c.ID, Result: c.Result})
	}
	return h
}

func TestHistoryOfEncodedCalls(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"c1", ""} {
		rec, told := withHandles(t)
		var got []any
		run := middleware.RecordCalls(rec)(returning(&got, pageJSON(pageID(1), "Home")))
		calls := []middleware.ToolCall{{ID: id, Name: "get_page", Arguments: `{"slug":"home"}`}, {ID: id, Name: "update_page", Arguments: `{"id":"page#1"}`}}
		for i := range calls {
			shown, err := run(t.Context(), calls[i])
			require.NoError(t, err)
			calls[i].Result = shown
		}
		require.Len(t, told.calls, 2)
		for range 2 {
			require.NoError(t, rec.RecordHistory(t.Context(), shownHistory(calls...)))
			require.NoError(t, rec.RecordHistory(t.Context(), shownHistory(calls[1:]...)))
		}
		assert.Len(t, told.calls, 2)
		raw := shownHistory(
			middleware.ToolCall{ID: id, Name: "get_page", Arguments: `{"slug":"home"}`, Result: pageJSON(pageID(1), "Home")},
			middleware.ToolCall{ID: id, Name: "update_page", Arguments: `{"id":"` + pageID(1) + `"}`, Result: pageJSON(pageID(1), "Home")})
		raw.View = "raw"
		require.NoError(t, rec.RecordHistory(t.Context(), raw))
		assert.Len(t, told.calls, 2, "in another view, as the tool returned it")
	}
}

// allPages returns a text with the first n pages.
func allPages(n int) string {
	var ids []string
	for i := range n {
		ids = append(ids, pageID(i+1))
	}
	return strings.Join(ids, " ")
}

func TestBranchesShareHandles(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	a := newRecorder(t, &middleware.Options{Handles: table})
	require.NoError(t, a.Record(t.Context(), gotPage(1, "Home")))
	b := newRecorder(t, &middleware.Options{Handles: table, Context: a.Context().Branch()})
	var group sync.WaitGroup
	for i, rec := range []*middleware.Recorder{a, b} {
		group.Go(func() {
			for n := range 50 {
				assert.NoError(t, rec.Record(t.Context(), gotPage(2+2*n+i, "New")))
				_ = rec.Block()
			}
		})
	}
	group.Wait()
	assert.Equal(t, 101, table.Len())
	for _, rec := range []*middleware.Recorder{a, b} {
		assert.Equal(t, pageID(1), rec.Decode("page#1"))
		assert.Equal(t, 101, strings.Count(rec.EncodeResult(allPages(101)).(string), "page#"))
	}
}

func TestAppendedBlocksWithHandles(t *testing.T) {
	t.Parallel()
	rec, _ := withHandles(t)
	require.NoError(t, rec.Record(t.Context(), gotPage(1, "Home")))
	messages := rec.Place([]prompt.Message{{Role: "user", Content: "Hi"}}, prompt.PlaceAppend)
	require.Len(t, messages, 2)
	messages = append(messages, prompt.Message{Role: "assistant", Content: "Hello"})
	assert.Equal(t, messages, rec.Place(messages, prompt.PlaceAppend), "an unchanged block is not shown twice")

	require.NoError(t, rec.Record(t.Context(), gotPage(2, "News")))
	messages = append(rec.Place(messages, prompt.PlaceAppend), prompt.Message{Role: "user", Content: "Go on"})
	assert.Len(t, messages, 5)
	assert.Contains(t, fmt.Sprint(messages), "page#1")

	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "delete_page", Arguments: `{"id":"page#1"}`, Result: `{"success":true}`}))
	messages = rec.Place(messages, prompt.PlaceAppend)
	assert.NotContains(t, fmt.Sprint(messages), "page#1", "a deleted page is shown nowhere")
	assert.Contains(t, fmt.Sprint(messages), "page#2")
	assert.Equal(t, 1, strings.Count(fmt.Sprint(messages), prompt.Title))
}

// A call that was refused is not recorded by the history that shows it, whatever other handles it
// and its error have.
func TestRefusedCallInAHistory(t *testing.T) {
	rec := newRecorder(t, &middleware.Options{Handles: handle.NewTable(nil)})
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: pageJSON(pageID(1), "Home")}))
	move := middleware.ToolCall{ID: "c1", Name: "move_page", Arguments: `{"id":"page#1","below":"page#9"}`}
	_, running := rec.Begin(t.Context(), move)
	_, refused := running.Arguments()
	require.Error(t, refused)
	before := rec.Context().Version()
	var h middleware.History
	h.AddRequests(move)
	h.AddResult(middleware.ToolCall{ID: "c1", Result: refused.Error()})
	require.NoError(t, rec.RecordHistory(t.Context(), &h))
	assert.Equal(t, before, rec.Context().Version())
}
