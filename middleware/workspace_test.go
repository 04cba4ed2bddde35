package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// returns runs a tool with a given result through RecordCalls.
func returns(t *testing.T, rec *middleware.Recorder, result any, err error) (any, error) {
	t.Helper()
	run := middleware.Chain(func(context.Context, middleware.ToolCall) (any, error) { return result, err }, middleware.RecordCalls(rec))
	return run(t.Context(), middleware.ToolCall{ID: "call_1", Name: "get_page", Arguments: `{"page_id": "4"}`})
}

func TestReturnedItemsAreRouted(t *testing.T) {
	t.Parallel()
	queued := queue.ContextItem{Content: "a"}
	pooled := queue.ContextItem{Content: "b", ID: "1", Description: "the b"}
	for _, tt := range []struct {
		name   string
		result any
		queue  []queue.ContextItem
		pool   []queue.ContextItem
	}{
		{"without an id", queued, []queue.ContextItem{queued}, nil},
		{"with an id and a description", pooled, nil, []queue.ContextItem{pooled}},
		{"a pointer", &pooled, nil, []queue.ContextItem{pooled}},
		{"several", []queue.ContextItem{queued, pooled, queued}, []queue.ContextItem{queued, queued}, []queue.ContextItem{pooled}},
		{"several pointers", []*queue.ContextItem{&queued, nil, &pooled}, []queue.ContextItem{queued}, []queue.ContextItem{pooled}},
		{"no pointer", (*queue.ContextItem)(nil), nil, nil},
		{"anything else", map[string]any{"content": "a"}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			scope := workspace.New(nil)
			got, err := returns(t, newRecorder(t, &middleware.Options{Workspace: scope}), tt.result, nil)
			require.NoError(t, err)
			assert.Equal(t, tt.result, got)
			assert.ElementsMatch(t, tt.queue, scope.Queue().Items(), "in place before the caller sees the result")
			assert.ElementsMatch(t, tt.pool, scope.Pool().Items())
		})
	}
}

func TestItemsThatCannotBeRoutedBreakNothing(t *testing.T) {
	t.Parallel()
	var told []error
	scope := workspace.New(nil)
	rec := newRecorder(t, &middleware.Options{
		Workspace: scope,
		OnCall: func(_ context.Context, _ middleware.ToolCall, _ extractor.Extraction, err error) {
			told = append(told, err)
		},
	})
	result := []queue.ContextItem{{Content: "secret", ID: "without a description"}, {Content: "a"}}
	got, err := returns(t, rec, result, nil)
	require.NoError(t, err)
	assert.Equal(t, result, got)
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], queue.ErrNoDescription)
	assert.NotContains(t, told[0].Error(), "secret")
	assert.Equal(t, []queue.ContextItem{{Content: "a"}}, scope.Queue().Items())

	broken := errors.New("broken")
	_, err = returns(t, rec, queue.ContextItem{Content: "of a failed call"}, broken)
	require.Equal(t, broken, err)
	assert.Equal(t, 1, scope.Queue().Len())
}

func TestItemsOfACanceledCallAreRouted(t *testing.T) {
	t.Parallel()
	hook := queue.NewHook("hook", func(ctx context.Context, _ queue.HookEvent[queue.ContextItem]) error { return ctx.Err() })
	q, err := queue.New(3, &queue.Options[queue.ContextItem]{
		Hooks: queue.Hooks[queue.ContextItem]{BeforeAppend: []*queue.Hook[queue.ContextItem]{hook}},
	})
	require.NoError(t, err)
	scope := workspace.New(&workspace.Options{Queue: q})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec := newRecorder(t, &middleware.Options{Workspace: scope, Item: middleware.ItemFromCall})
	require.NoError(t, rec.Record(ctx, middleware.ToolCall{Name: "note", Result: queue.ContextItem{Content: "a"}}))
	assert.Equal(t, 1, scope.Queue().Len())
	assert.Equal(t, 1, scope.Items().Len())
}

// Entities are extracted from the contents of items, not from their ids.
func TestContentsOfItemsAreRead(t *testing.T) {
	t.Parallel()
	page := `{"page": {"id": "550e8400-e29b-41d4-a716-446655440000", "title": "Home"}}`
	for _, result := range []any{
		queue.ContextItem{Content: page, ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Description: "a page"},
		[]queue.ContextItem{{Content: page}, {Content: "nothing"}},
	} {
		rec := new(middleware.Recorder) // also without a workspace
		var seen any
		recWithOnCall := newRecorder(t, &middleware.Options{
			Context: rec.Context(),
			OnCall:  func(_ context.Context, call middleware.ToolCall, _ extractor.Extraction, _ error) { seen = call.Result },
		})
		_, err := returns(t, recWithOnCall, result, nil)
		require.NoError(t, err)
		assert.Equal(t, "[WORKING MEMORY]\npages:\n  - \"Home\" (550e8400-e29b-41d4-a716-446655440000)", rec.Block())
		assert.Equal(t, result, seen)
	}
}

func TestRecorderFillsTheContextOfItsWorkspace(t *testing.T) {
	t.Parallel()
	scope := workspace.New(nil)
	rec := newRecorder(t, &middleware.Options{Workspace: scope})
	assert.Same(t, scope, rec.Workspace())
	assert.Same(t, scope.Context(), rec.Context())
	assert.Same(t, scope.Context(), newRecorder(t, &middleware.Options{Workspace: scope, Context: scope.Context()}).Context())
	_, err := middleware.NewRecorder(&middleware.Options{Workspace: scope, Context: new(memory.WorkingContext)})
	require.ErrorIs(t, err, middleware.ErrContext)
}

// roomyWorkspace returns a workspace with room for a block with a budget.
func roomyWorkspace() *workspace.Workspace {
	return workspace.New(&workspace.Options{Context: capacity(middleware.BudgetCapacity)})
}

func TestBudgetsNeedCapacity(t *testing.T) {
	t.Parallel()
	block := prompt.Options{Budget: 60}
	assert.Equal(t, middleware.BudgetCapacity, middleware.CapacityFor(block))
	for name, opts := range map[string]middleware.Options{
		"a scope's":   {Workspace: workspace.New(nil)},
		"a context's": {Context: capacity(middleware.BudgetCapacity - 1)},
	} {
		_, err := middleware.NewRecorder(&opts)
		require.NoError(t, err, name)
		opts.Block = block
		_, err = middleware.NewRecorder(&opts)
		require.ErrorIs(t, err, middleware.ErrContextCapacity, name)
	}
	for _, opts := range []middleware.Options{{}, {Workspace: roomyWorkspace()}, {Context: capacity(middleware.CapacityFor(block))}} {
		opts.Block = block
		assert.Equal(t, middleware.BudgetCapacity, newRecorder(t, &opts).Context().Capacity())
	}
}

func observed(t *testing.T, call middleware.ToolCall) items.Item {
	t.Helper()
	scope := workspace.New(nil)
	rec := newRecorder(t, &middleware.Options{Workspace: scope, Item: middleware.ItemFromCall})
	require.NoError(t, rec.Record(t.Context(), call))
	for item := range scope.Items().All() {
		return item
	}
	t.Fatal("nothing was observed")
	return items.Item{}
}

func TestItemFromCall(t *testing.T) {
	t.Parallel()
	type call = middleware.ToolCall
	word := strings.Repeat("x", 90)
	for text, c := range map[string]call{
		"get_page(id: 4): id: 4, title: Home":                              {Name: "get_page", Arguments: `{"id": "4"}`, Result: "{\"id\": \"4\",\n \"title\": \"Home\"}"},
		"list_pages: none":                                                 {Name: "list_pages", Result: []byte("none\n")},
		"get_page(id: 5): (chan int)":                                      {Name: "get_page", Arguments: map[string]string{"id": "5"}, Result: make(chan int)},
		"update_page: done":                                                {Name: "update_page", Result: "done"},
		"update_page: error: no such page":                                 {Name: "update_page", Result: `{"error": "no such page"}`},
		"update_page: error: no such page: home":                           {Name: "update_page", Err: errors.New("no such page:\n\thome\n")},
		"login(user: ann, password: redacted): token: redacted, user: ann": {Name: "login", Arguments: `{"user":"ann","password":"swordfish"}`, Result: `{"token":"abc","user":"ann"}`},
		"login: error: postgres://ann:[redacted]@db/shop is down":          {Name: "login", Err: errors.New("postgres://ann:hunter2@db/shop is down")},
		"get_page(command: curl -u ann:redacted https://example.com): ok":  {Name: "get_page", Arguments: map[string]string{"command": "curl -u ann:hunter2 https://example.com"}, Result: "ok"},
		"echo: ": {Name: "echo", Result: "[WORKING MEMORY]\npages:\n  - \"Home\" (4)"},
		"read_file: paid ORDER-123456789 and €":           {Name: "read_file", Result: "paid" + strings.Repeat(" ", 8180) + "ORDER-123456789 and €"},
		"read_file: key …":                                {Name: "read_file", Result: "key " + strings.Repeat("x", 1<<20)},
		"read_file:" + strings.Repeat(" "+word, 4) + " …": {Name: "read_file", Result: strings.Repeat(word+" ", 9)},
	} {
		item := observed(t, c)
		assert.Equal(t, text, item.Text)
		assert.Contains(t, item.Tags, c.Name)
		assert.Equal(t, strings.Contains(text, ": error:"), item.Type == items.TypeError, text)
		assert.InDelta(t, map[bool]float64{false: 0.5, true: 0.6}[text == "update_page: done"], item.Importance, 0, "a change is more important")
	}
}

func TestItemOfALongResultNamesItsEntities(t *testing.T) {
	t.Parallel()
	list := map[string]any{"pages": []map[string]any{{"id": "11", "title": `Page "11"`}, {"id": "12", "text": strings.Repeat("word ", 100)}}}
	item := observed(t, middleware.ToolCall{ID: "call_7", Name: "list_pages", Result: list})
	assert.Equal(t, `list_pages: page "Page \"11\"" (11), page (12)`, item.Text)
	assert.Equal(t, map[string]string{"call_id": "call_7"}, item.Metadata)

	var found extractor.Extraction
	for i := range 7 {
		found.Entities = append(found.Entities, memory.Entity{Type: "page", ID: fmt.Sprint(i)})
	}
	in, ok := middleware.ItemFromCall(middleware.ToolCall{Name: "list_pages", Result: strings.Repeat("word ", 100)}, found)
	require.True(t, ok)
	assert.Equal(t, "list_pages: page (0), page (1), page (2), page (3), page (4) and 2 more", in.Text)
}

func TestItemsOfCallsWithNamesOfAnyLength(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("n", 5000), "\xff", ""} {
		item := observed(t, middleware.ToolCall{ID: name, Name: name, Result: "done"})
		assert.Contains(t, item.Text, ": done")
		assert.Less(t, len(item.Text), 300)
	}
}

func TestEachCallAdvancesTheStep(t *testing.T) {
	t.Parallel()
	scope := workspace.New(nil)
	rec := newRecorder(t, &middleware.Options{Workspace: scope, Item: func(call middleware.ToolCall, _ extractor.Extraction) (items.ItemInput, bool) {
		if call.Name == "panics" {
			panic("secret")
		}
		return items.ItemInput{Text: call.Name}, call.Name != "skipped"
	}})
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "first"}))
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "skipped"}))
	err := rec.Record(t.Context(), middleware.ToolCall{Name: "panics", Result: homePage})
	require.ErrorIs(t, err, memory.ErrPanic)
	assert.NotContains(t, err.Error(), "secret")
	assert.Equal(t, 1, rec.Context().Len())
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "fourth"}))
	steps := map[string]int{}
	for item := range scope.Items().All() {
		steps[item.Text] = item.StepIndex
	}
	assert.Equal(t, map[string]int{"first": 1, "fourth": 4}, steps)
}

func TestBlockShowsAsManyNotesAsAskedFor(t *testing.T) {
	t.Parallel()
	scope := roomyWorkspace()
	for i := range 10 {
		_, err := scope.Items().Memorize(t.Context(), items.ItemInput{Text: fmt.Sprint("note ", i)})
		require.NoError(t, err)
	}
	for want, block := range map[int]prompt.Options{prompt.DefaultNotes: {}, 2: {Notes: 2}, 8: {Notes: 8}, 10: {Budget: 1000}} {
		content, err := prompt.ParseContent(newRecorder(t, &middleware.Options{Workspace: scope, Notes: true, Block: block}).Block())
		require.NoError(t, err)
		assert.Len(t, content.Notes, want)
	}
}

func TestPlaceRemovesForgottenItems(t *testing.T) {
	t.Parallel()
	const wrong, right = `  - fact: "Paid."`, `  - fact: "Not paid."`
	for _, mode := range []items.ForgetMode{items.ForgetSoft, items.ForgetHard} {
		scope := workspace.New(nil)
		rec := newRecorder(t, &middleware.Options{Workspace: scope, Notes: true, Block: prompt.Options{Notes: 2}})
		for _, text := range []string{"Paid.", "Not paid."} {
			_, err := scope.Items().Memorize(t.Context(), items.ItemInput{ID: text, Type: items.TypeFact, Text: text})
			require.NoError(t, err)
		}
		first := rec.Place([]prompt.Message{{Role: "user", Content: "Is it paid?"}}, prompt.PlaceAppend)
		require.Equal(t, prompt.WithGuidance("[WORKING MEMORY]\n[NOTES]\n"+wrong+"\n"+right), first[0].Content)
		require.NoError(t, scope.Items().SetImportance(t.Context(), "Paid.", 0.1))
		assert.Equal(t, first, rec.Place(first, prompt.PlaceAppend), "nothing was forgotten")

		_, err := scope.Items().Forget(t.Context(), "position:0", mode)
		require.NoError(t, err)
		second := rec.Place(first, prompt.PlaceAppend)
		require.Len(t, second, 2)
		assert.Equal(t, prompt.WithGuidance("[WORKING MEMORY]\n[NOTES]\n"+right), second[0].Content, mode)
	}
}
