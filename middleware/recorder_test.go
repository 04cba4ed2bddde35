package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const homePage = `{"success":true,"page":{"id":"550e8400-e29b-41d4-a716-446655440000","title":"Home"}}`

func pageCall(i int) middleware.ToolCall {
	return middleware.ToolCall{Name: "get_page", Arguments: fmt.Sprintf(`{"id":"page-%04d"}`, i), Result: fmt.Sprintf(`{"id":"page-%04d","title":"Page %d"}`, i, i)}
}

func newRecorder(t require.TestingT, opts *middleware.Options) *middleware.Recorder {
	rec, err := middleware.NewRecorder(opts)
	require.NoError(t, err)
	return rec
}

// A zero recorder is equal to one without options, whichever method is called first.
func TestZeroRecorder(t *testing.T) {
	t.Parallel()
	for _, rec := range []*middleware.Recorder{new(middleware.Recorder), newRecorder(t, nil), newRecorder(t, &middleware.Options{})} {
		assert.Equal(t, memory.DefaultCapacity, rec.Context().Capacity())
		assert.Nil(t, rec.Workspace())
	}
	assert.Empty(t, new(middleware.Recorder).Block())
	assert.Len(t, new(middleware.Recorder).Place([]prompt.Message{{Role: "user", Content: "Hi."}}, prompt.PlaceAppend), 1)
	new(middleware.Recorder).UpdateFocus(prompt.Message{Role: "user", Content: "Hi."})
	require.NoError(t, new(middleware.Recorder).Refresh(t.Context()))
	require.NoError(t, new(middleware.Recorder).Clear(t.Context()))

	var rec middleware.Recorder
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { assert.NoError(t, rec.Record(t.Context(), pageCall(i))) })
	}
	wg.Wait()
	assert.Equal(t, 8, rec.Context().Len())
}

func TestBlockIsRenderedOnlyAfterChanges(t *testing.T) {
	t.Parallel()
	counter := countingCounter{}
	rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 100, Counter: &counter}})
	require.NoError(t, rec.Record(context.Background(), pageCall(1)))
	first := rec.Block()
	counted := counter.n
	assert.Equal(t, first, rec.Block())
	assert.Equal(t, counted, counter.n)
	require.NoError(t, rec.Record(context.Background(), pageCall(2)))
	assert.NotEqual(t, first, rec.Block())
}

type countingCounter struct{ n int }

func (c *countingCounter) CountTokens(text string) int { c.n++; return len(text) / 3 }

func TestFailuresNeverBreakACall(t *testing.T) {
	t.Parallel()
	errExtract := errors.New("no")
	extracting := func(x extractor.Extraction, err error) extractor.Func {
		return func(context.Context, extractor.Input) (extractor.Extraction, error) { return x, err }
	}
	panicking := func(context.Context, extractor.Input) (extractor.Extraction, error) { panic("secret") }
	evicting := func() *memory.WorkingContext {
		return memory.NewWorkingContext(&memory.ContextOptions{Capacity: 1, OnEvict: func(memory.Eviction) { panic("secret") }})
	}
	for name, tc := range map[string]struct {
		opts middleware.Options
		want error
	}{
		"the extractor panics":       {middleware.Options{Extractor: extractor.Func(panicking)}, middleware.ErrExtractorPanic},
		"the extractor fails":        {middleware.Options{Extractor: extracting(extractor.Extraction{}, errExtract)}, errExtract},
		"an entity is refused":       {middleware.Options{Extractor: extracting(found(memory.Entity{Type: "page"}, memory.Entity{Type: "page", ID: "1"}), nil)}, memory.ErrNoID},
		"OnEvict panics":             {middleware.Options{Context: evicting()}, memory.ErrPanic},
		"OnEvict panics, with a log": {middleware.Options{Context: evicting(), Decisions: new(middleware.DecisionLog)}, memory.ErrPanic},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			var told error
			tc.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
			tc.opts.OnCall = func(_ context.Context, _ middleware.ToolCall, _ extractor.Extraction, err error) {
				told = err
				panic("secret")
			}
			rec := newRecorder(t, &tc.opts)
			tool := func(_ context.Context, call middleware.ToolCall) (any, error) { return call.Result, nil }
			for i := range 3 { // each one finds everything unlocked
				call := pageCall(i)
				result, err := middleware.Chain(tool, middleware.RecordCalls(rec))(t.Context(), call)
				require.NoError(t, err)
				assert.Equal(t, call.Result, result)
			}
			require.ErrorIs(t, told, tc.want)
			assert.NotContains(t, told.Error(), "secret")
			for _, part := range []string{"tool call not fully recorded", "OnCall failed", "tool=get_page"} {
				assert.Contains(t, log.String(), part)
			}
			assert.NotContains(t, log.String(), "secret")
			assert.LessOrEqual(t, rec.Context().Len(), 1)
			if tc.want == memory.ErrNoID {
				assert.Equal(t, 1, rec.Context().Len(), "what could be kept is kept")
			}
		})
	}
}

func TestToolErrorsAreRecordedAndReturned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rec := new(middleware.Recorder)
	require.NoError(t, rec.Record(ctx, pageCall(1)))
	errTool := errors.New("gone")
	run := middleware.Chain(func(context.Context, middleware.ToolCall) (any, error) {
		return `{"id":"page-0009","title":"x"}`, errTool
	}, middleware.RecordCalls(rec))
	result, err := run(ctx, middleware.ToolCall{Name: "delete_page", Arguments: `{"id":"page-0001"}`})
	require.ErrorIs(t, err, errTool)
	assert.NotEmpty(t, result)
	assert.Equal(t, 1, rec.Context().Len(), "a failed delete removes nothing, a failed call adds nothing")
	assert.Equal(t, 1, rec.Context().Recent(1)[0].Uses)
}

func TestMiddlewareOrder(t *testing.T) {
	t.Parallel()
	named := func(name string) middleware.Middleware {
		return func(next middleware.ToolHandler) middleware.ToolHandler {
			return func(ctx context.Context, call middleware.ToolCall) (any, error) {
				call.Name += name
				return next(ctx, call)
			}
		}
	}
	tool := func(_ context.Context, call middleware.ToolCall) (any, error) { return call.Name, nil }
	order, err := middleware.Chain(tool, named("a"), named("b"))(t.Context(), middleware.ToolCall{})
	require.NoError(t, err)
	assert.Equal(t, "ab", order)
}

// Many conversations share one set of tools and one extractor; the contexts of the calls
// carry their recorders.
func TestSessionsNeverMix(t *testing.T) {
	t.Parallel()
	shared := extractor.Default(extractor.Limits{})
	tool := func(_ context.Context, call middleware.ToolCall) (any, error) {
		return fmt.Sprintf(`{"id":"page-%s","title":"Page of %s"}`, call.Arguments, call.Arguments), nil
	}
	run := middleware.Chain(tool, middleware.RecordCalls(nil))
	var wg sync.WaitGroup
	for s := range 50 {
		wg.Go(func() {
			rec := newRecorder(t, &middleware.Options{Extractor: shared})
			ctx := middleware.WithRecorder(context.Background(), rec)
			for i := range 20 {
				_, err := run(ctx, middleware.ToolCall{Name: "get_page", Arguments: fmt.Sprintf("%04d-%04d", s, i)})
				assert.NoError(t, err)
				for _, line := range strings.Split(rec.Block(), "\n")[2:] {
					assert.Contains(t, line, fmt.Sprintf("(page-%04d-", s))
				}
			}
		})
	}
	wg.Wait()
}

func TestRecorderInTheContextTakesPrecedence(t *testing.T) {
	t.Parallel()
	bound, carried := new(middleware.Recorder), new(middleware.Recorder)
	run := middleware.Chain(func(context.Context, middleware.ToolCall) (any, error) { return homePage, nil }, middleware.RecordCalls(bound))
	_, err := run(middleware.WithRecorder(context.Background(), carried), middleware.ToolCall{Name: "cms_getPage"})
	require.NoError(t, err)
	assert.Zero(t, bound.Context().Len())
	assert.Equal(t, 1, carried.Context().Len())
	_, ok := middleware.RecorderFrom(context.Background())
	assert.False(t, ok)
	_, err = middleware.Chain(func(context.Context, middleware.ToolCall) (any, error) { return homePage, nil }, middleware.RecordCalls(nil))(context.Background(), middleware.ToolCall{})
	require.NoError(t, err)
}

func TestPlaceRemovesDeletedEntities(t *testing.T) {
	t.Parallel()
	rec := new(middleware.Recorder)
	call := func(name, args, result string) {
		require.NoError(t, rec.Record(context.Background(), middleware.ToolCall{Name: name, Arguments: args, Result: result}))
	}
	messages := []prompt.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "List the pages."}}
	for _, at := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceTail, prompt.PlaceAppend} {
		assert.Equal(t, prompt.Place(messages, rec.Block(), at), rec.Place(messages, at))
	}
	call("list_pages", "", `{"pages": [{"id": "page-1001", "name": "Home"}, {"id": "page-1002", "name": "About"}]}`)
	first := rec.Place(messages, prompt.PlaceAppend)
	require.Len(t, first, 3)
	assert.Equal(t, first, rec.Place(first, prompt.PlaceAppend), "nothing is new")

	call("delete_page", `{"page_id": "page-1001"}`, `{"success": true}`)
	second := rec.Place(append(first, prompt.Message{Role: "assistant", Content: "Deleted."}), prompt.PlaceAppend)
	for _, m := range second {
		assert.NotContains(t, m.Content, "page-1001")
	}
	assert.Contains(t, second[len(second)-1].Content+second[len(second)-2].Content, "page-1002")
}

func TestMentionedCandidatesBecomeEntities(t *testing.T) {
	t.Parallel()
	var r *middleware.Recorder
	wc := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 1, OnEvict: func(memory.Eviction) { r.Block() }})
	r = newRecorder(t, &middleware.Options{Context: wc})
	require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "read_file", Result: `{"file":{"id":"file-1001","name":"Notes","stored_in":"/data/notes/2026"}}`}))
	require.Equal(t, []string{"/data/notes/2026"}, idsOf(wc.Candidates(10)))
	assert.Contains(t, r.Block(), "/data/notes/2026")
	r.UpdateFocus(prompt.Message{Role: "assistant", Content: "The head is /data/notes/2026."})
	assert.Equal(t, []string{"/data/notes/2026"}, idsOf(wc.Recent(10)))
	assert.Equal(t, []string{"file-1001"}, idsOf(wc.Candidates(10)), "what it evicted")
}

func idsOf(entities []memory.Entity) []string {
	var ids []string
	for _, e := range entities {
		ids = append(ids, e.ID)
	}
	return ids
}
