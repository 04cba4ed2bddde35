package adaptertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// ran is the calls that reached tools, as "tool page".
type ran struct {
	mu    sync.Mutex
	calls []string
}

// watch returns tools whose calls are added to ran.
func (r *ran) watch(tools ...Tool) []Tool {
	for i, tool := range tools {
		tools[i].Run = func(ctx context.Context, arguments string) ([]string, error) {
			id, err := pageID(arguments)
			if err != nil {
				return nil, err
			}
			r.mu.Lock()
			r.calls = append(r.calls, tool.Name+" "+id)
			r.mu.Unlock()
			return tool.Run(ctx, arguments)
		}
	}
	return tools
}

// names returns the calls, sorted.
func (r *ran) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.calls))
}

// histories calls run without history and, if agents can keep it, with.
func (e *env) histories(run func(history bool)) {
	for _, history := range []bool{false, true} {
		if !history || !e.harness.NoHistory {
			run(history)
		}
	}
}

// pageTools returns a tool that reads pages, and one that changes them, which streams its result
// if it can.
func (e *env) pageTools() []Tool {
	tools := []Tool{pages("get_page"), pages("update_page")}
	if e.harness.StreamingTools {
		tools[1] = streamedPages("update_page")
	}
	return tools
}

// checkHandles runs two turns with Options.Handles.
func (e *env) checkHandles(history bool) {
	s := newScript(e,
		get("c1 get_page home"), get("c2 update_page page#1"), say("Renamed page#1."),
		get("c3 update_page page#1", "c4 get_page news"), get("c5 update_page "+homeID), say("Done."))
	r := NewRecordWith(e, &middleware.Options{Handles: handle.NewTable(nil)})
	var calls ran
	a := e.agent(s, r.Recorder, history, calls.watch(e.pageTools()...)...)
	answer, err := a.Say(e.Context(), "Rename the home page.")
	require.NoError(e, err)
	assert.Equal(e, "Renamed page#1.", answer, "answers keep handles")
	e.hasHandle(s.request(1), "page#1", homeID)
	e.hasHandle(s.request(2), "page#1", homeID)
	e.say(a, "Undo it.")
	e.shows(s.request(3), "page#1")
	assert.NotContains(e, s.request(3).text(), homeID)
	e.hasHandle(s.request(4), "page#2", newsID)
	assert.Equal(e, []string{"get_page home", "get_page news", "update_page " + homeID, "update_page " + homeID, "update_page " + homeID}, calls.names())
	if e.harness.MessagesOnly && e.harness.NoIDs && !history {
		assert.Subset(e, calls.names(), r.Names()) // equal calls of two conversations are one
		return
	}
	assert.Equal(e, calls.names(), r.Names())
}

// hasHandle checks that a request shows a handle in its last results, and nowhere the id.
func (e *env) hasHandle(request Request, handle, id string) {
	assert.Contains(e, request.results(), handle)
	assert.NotContains(e, request.text(), id)
}

// checkUnknownHandle runs turns whose model writes a handle that was never given out.
func (e *env) checkUnknownHandle(history bool) {
	s := newScript(e, get("c1 get_page home"), say("Found it."), get("c2 update_page page#9"))
	ends := e.streams && e.harness.UnknownEndsStream
	if !ends {
		s.replies = append(s.replies, get("c3 get_page news", "c4 update_page page#9"))
	}
	s.replies = append(s.replies, get("c5 update_page page#1"), say("Renamed."))
	r := NewRecordWith(e, &middleware.Options{Handles: handle.NewTable(nil)})
	var calls ran
	a := e.agent(s, r.Recorder, history, calls.watch(e.pageTools()...)...)
	e.say(a, "Get the home page.")
	if ends {
		_, err := a.Say(e.Context(), "Rename it.")
		var unknown *handle.UnknownError
		require.ErrorAs(e, err, &unknown)
		assert.Equal(e, "page#9", unknown.Handle)
		e.say(a, "Try again.")
	} else {
		e.say(a, "Rename it.")
		for _, n := range []int{3, 4} {
			assert.Contains(e, s.request(n).results(), "page#9")
			assert.Contains(e, s.request(n).results(), "known handles are page#")
		}
	}
	called := slices.DeleteFunc(calls.names(), func(call string) bool {
		return call == "get_page news" // whether it runs beside a refused call depends on what the adapter sees
	})
	assert.Equal(e, []string{"get_page home", "update_page " + homeID}, called)
	assert.Equal(e, calls.names(), r.Names())
}

// longID is the number of the page of the long list that the model reads.
const longID = 150

// longList returns a tool that lists so many pages that its result is stored.
func longList(streams bool) Tool {
	return Tool{Name: "list_pages", Streams: streams, Run: func(context.Context, string) ([]string, error) {
		var b strings.Builder
		for i := range 2 * longID {
			fmt.Fprintf(&b, `,{"id":"550e8400-e29b-41d4-a716-%012d","title":"Page %d"}`, i, i)
		}
		text := `{"pages":[` + b.String()[1:] + `]}`
		if streams {
			return []string{text[:1000], text[1000:]}, nil
		}
		return []string{text}, nil
	}}
}

// checkLargeResult runs turns with Options.Results.
func (e *env) checkLargeResult(handles *handle.Table, history bool) {
	read := func(id, name, path string) Reply {
		return Reply{Calls: []Call{{ID: id, Name: middleware.ReadResultName, Arguments: fmt.Sprintf(`{"handle":%q,"path":%q}`, name, path)}}}
	}
	s := newScript(e,
		get("c1 list_pages all"), read("c2", "result#1", fmt.Sprintf("$.pages[%d].title", longID)), say("Found it."),
		read("c3", "result#1", "$.pictures"), Reply{Calls: []Call{{ID: "c4", Name: middleware.ListResultsName, Arguments: "{}"}}}, say("Done."))
	r := NewRecordWith(e, &middleware.Options{Handles: handles, Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 200})})
	a := e.harness.New(e, Setup{
		System: system, Recorder: r.Recorder, Model: s.answer, Tools: []Tool{longList(e.harness.StreamingTools)},
		Stream: e.streams, History: history, ResultTools: true,
	})
	e.say(a, "Which pages are there?")
	e.hasStub(s.request(1).results())
	if handles != nil {
		assert.Contains(e, s.request(1).results(), "page#1")
	}
	assert.Contains(e, s.request(2).results(), fmt.Sprintf("Page %d", longID))
	e.hasStub(s.request(2).text())
	e.say(a, "Which pictures are there?")
	if history {
		e.hasStub(s.request(3).text())
	}
	assert.Contains(e, s.request(4).results(), "pages", "an error tells what there is")
	assert.Contains(e, s.request(5).results(), "result#1")
	assert.Equal(e, 1, strings.Count(strings.Join(r.Names(), "\n"), "list_pages all"), r.Names())
	assert.Len(e, r.Names(), 4, "each call once")
}

// hasStub checks that a text has the description of the long result in its place.
func (e *env) hasStub(text string) {
	assert.Contains(e, text, "[STORED RESULT] result#1")
	assert.NotContains(e, text, fmt.Sprintf("Page %d", longID+1))
	assert.Less(e, len(text), 16<<10)
}
