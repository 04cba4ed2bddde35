package adk_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/adk/v2/tool/toolconfirmation"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/extractor"
	stored "github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// newSessions returns the sessions of a process on a store, whose calls are recorded in r.
func newSessions(t *testing.T, store driver.Store, r *record) (*middleware.Sessions, driver.Store) {
	t.Helper()
	if store == nil {
		store = memstore.New(nil)
	}
	manager, err := stored.NewManager(store, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = manager.Close(context.Background()) })
	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{
		OnCall: func(ctx context.Context, _ stored.Key, c middleware.ToolCall, found extractor.Extraction, err error) {
			r.OnCall(ctx, c, found, err)
		},
	})
	require.NoError(t, err)
	return sessions, store
}

func userSays(text string) *genai.Content { return genai.NewContentFromText(text, genai.RoleUser) }

// Each session of ADK has a memory of its own, for all of its turns.
func TestSessions(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	sessions, _ := newSessions(t, nil, r)
	m := newScript(
		call("get_page "+homeID), say("Found it."), call("get_page "+newsID), say("Found it."),
		call("get_page "+homeID), say("Again."), say("Only home."), say("Only the news."))
	w := newWorld(t, nil, newEditor(t, m, newTool(t, functiontool.Config{Name: "get_page"}, getPage)),
		adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)}).Plugin())
	w.run(t.Context(), "s-1", userSays("Get the home page."))
	w.run(t.Context(), "s-2", userSays("Get the news page."))
	w.run(t.Context(), "s-1", userSays("Once more."))
	w.run(t.Context(), "s-1", userSays("Which pages?"))
	assert.Contains(t, m.system(), homeID)
	assert.NotContains(t, m.system(), newsID)
	w.run(t.Context(), "s-2", userSays("Which pages?"))
	assert.Contains(t, m.system(), newsID)
	assert.NotContains(t, m.system(), homeID)
	assert.Equal(t, []string{pageLine("get_page", homeID, "Home"), pageLine("get_page", homeID, "Home"), pageLine("get_page", newsID, "News")}, r.lines())
	block, err := sessions.Block(t.Context(), stored.Key{Namespace: "cms", UserID: "anna", SessionID: "s-1"})
	require.NoError(t, err)
	assert.Contains(t, block, homeID)
}

// Another process continues sessions without recording anything again.
func TestAnotherProcess(t *testing.T) {
	t.Parallel()
	tools := func() []tool.Tool {
		return []tool.Tool{
			newTool(t, functiontool.Config{Name: "get_page"}, getPage), newStream(t, "read_page", "Words."),
			newTool(t, functiontool.Config{Name: "publish", IsLongRunning: true}, func(agent.Context, pageArgs) (string, error) { return "pending", nil }),
		}
	}
	r := newRecord(t)
	sessions, store := newSessions(t, nil, r)
	m := newScript(call("get_page "+homeID, "get_page missing", "read_page "+homeID, "publish "+homeID), say("Please wait."))
	w := newWorld(t, nil, newEditor(t, m, tools()...), adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)}).Plugin())
	asked := callOf(w.say("Get and publish the home page."), "publish")
	require.Len(t, r.lines(), 3)

	r = newRecord(t)
	sessions, _ = newSessions(t, store, r)
	m = newScript(say("There it is."), call("get_page "+homeID), say("Published."), say("Yes."))
	w = newWorld(t, w.reload("s-1"), newEditor(t, m, tools()...), adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)}).Plugin())
	w.say("Where is it?")
	assert.Contains(t, m.system(), homeID)
	assert.Empty(t, r.lines())
	w.respond(asked, map[string]any{"result": "published"})
	w.say("Is it there?")
	assert.Equal(t, []string{pageLine("get_page", homeID, "Home"), line("publish", homeID, `"published"`)}, r.lines())
}

// A memory that is not stored learns the calls of a session that began without it.
func TestSessionFromBefore(t *testing.T) {
	t.Parallel()
	get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
	w := newWorld(t, nil, newEditor(t, newScript(call("get_page "+homeID, "get_page missing"), say("Found it.")), get))
	w.say("Get the home page.")

	m, r := newScript(say("There it is."), say("Yes.")), newRecord(t)
	w = newWorld(t, w.reload("s-1"), newEditor(t, m, get), adk.New(r.Recorder, nil).Plugin())
	w.say("Where is it?")
	w.say("Is it there?")
	assert.Contains(t, m.system(), homeID)
	assert.Equal(t, []string{pageLine("get_page", homeID, "Home"), line("get_page", "missing", "error: no such page")}, r.lines())
}

// A session that was read again shows the same calls, whatever their JSON lost.
func TestSessionReadAgain(t *testing.T) {
	t.Parallel()
	ping := newTool(t, functiontool.Config{Name: "ping"}, func(agent.Context, map[string]any) (any, error) { return []int{1}, nil })
	m, r := newScript(functionCall("ping", map[string]any{}), functionCall("ping", nil), functionCall("ping", map[string]any{"n": 1}), say("Done."), say("Yes.")), newRecord(t)
	w := newWorld(t, nil, newEditor(t, m, ping), adk.New(r.Recorder, nil).Plugin())
	w.say("Ping.")
	want := []string{`ping null: [1]`, `ping null: [1]`, `ping {"n":1}: [1]`}
	assert.Equal(t, want, r.lines())
	newWorld(t, w.reload("s-1"), newEditor(t, m, ping), adk.New(r.Recorder, nil).Plugin()).say("Done?")
	assert.Equal(t, want, r.lines())
}

// A session service may store a request before a plugin changes its arguments, and a session that
// other programs made may have no ids.
func TestChangedEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*session.Event)
		same   bool // to the recorder that made the calls
	}{
		"other arguments": {func(e *session.Event) {
			if requested := callOf([]*session.Event{e}, "get_page"); requested != nil {
				requested.Args["page_id"] = "page#1"
			}
		}, true},
		"no ids": {func(e *session.Event) {
			for _, p := range e.Content.Parts {
				if p.FunctionCall != nil {
					p.FunctionCall.ID = ""
				}
				if p.FunctionResponse != nil {
					p.FunctionResponse.ID = ""
				}
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
			fetch := newTool(t, functiontool.Config{Name: "fetch"}, getPage)
			m, r := newScript(call("get_page "+homeID, "fetch missing"), say("Found it."), say("Yes."), say("Yes.")), newRecord(t)
			plugins := []*plugin.Plugin{adk.New(r.Recorder, nil).Plugin()}
			var before []*plugin.Plugin
			if test.same {
				before = plugins
			}
			w := newWorld(t, nil, newEditor(t, m, get, fetch), before...)
			w.say("Get the home page.")
			w = newWorld(t, w.reloadChanged(test.change, "s-1"), newEditor(t, m, get, fetch), plugins...)
			w.say("Is it there?")
			w.say("Is it there now?")
			assert.Equal(t, []string{line("fetch", "missing", "error: no such page"), pageLine("get_page", homeID, "Home")}, r.lines())
		})
	}
}

// The callback of an agent records from events alone, also in a stored session that another
// process has changed: ADK's own questions are not answers of the model.
func TestCallbackInSessions(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	sessions, store := newSessions(t, nil, r)
	memory := adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)})
	m := newScript(
		call("get_page "+homeID), say("Found it."),
		call("get_page "+newsID, "delete "+homeID, "publish "+homeID, "publish missing"), say("Deleted."))
	editor := newAgent(t, llmagent.Config{
		Name: "editor", Model: m, BeforeModelCallbacks: []llmagent.BeforeModelCallback{memory.BeforeModel},
		Tools: []tool.Tool{
			newTool(t, functiontool.Config{Name: "get_page"}, getPage),
			newTool(t, functiontool.Config{Name: "delete", RequireConfirmation: true}, getPage),
			newTool(t, functiontool.Config{Name: "publish", IsLongRunning: true}, getPage),
		},
	})
	w := newWorld(t, nil, editor)
	w.say("Get the home page.")
	question := callOf(w.say("Get the news, delete and publish the home page."), toolconfirmation.FunctionCallName)
	key := stored.Key{Namespace: "cms", UserID: "anna", SessionID: "s-1"}
	elsewhere, _ := newSessions(t, store, newRecord(t))
	_, err := elsewhere.Record(t.Context(), key, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-1001","title":"Jobs"}}`})
	require.NoError(t, err)
	w.respond(question, map[string]any{"confirmed": true})
	assert.Contains(t, m.system(), "page-1001")
	assert.Equal(t, []string{
		pageLine("delete", homeID, "Home"), pageLine("get_page", homeID, "Home"), pageLine("get_page", newsID, "News"),
		line("publish", "missing", "error: no such page"),
	}, r.lines())
}

// The context's recorder takes precedence over that of the options, and this one over that of New.
func TestRecorders(t *testing.T) {
	t.Parallel()
	ofContext, ofOptions, ofNew := newRecord(t), newRecord(t), newRecord(t)
	choose := func(ctx agent.ReadonlyContext) *middleware.Recorder {
		assert.Equal(t, "cms/anna", ctx.AppName()+"/"+ctx.UserID())
		if ctx.SessionID() == "s-2" {
			return ofOptions.Recorder
		}
		return nil
	}
	m := newScript(call("get_page 1"), say("Found it."), call("get_page 2"), say("Found it."), call("get_page 3"), say("Found it."))
	get := newTool(t, functiontool.Config{Name: "get_page"}, func(agent.Context, pageArgs) (string, error) { return "Home", nil })
	w := newWorld(t, nil, newEditor(t, m, get), adk.New(ofNew.Recorder, &adk.Options{Recorder: choose}).Plugin())
	w.run(middleware.WithRecorder(t.Context(), ofContext.Recorder), "s-2", userSays("Get 1."))
	w.run(t.Context(), "s-2", userSays("Get 2."))
	w.run(t.Context(), "s-3", userSays("Get 3."))
	assert.Equal(t, []string{line("get_page", "1", `"Home"`)}, ofContext.lines())
	assert.Contains(t, ofOptions.lines(), line("get_page", "2", `"Home"`))
	assert.Equal(t, []string{line("get_page", "3", `"Home"`)}, ofNew.lines())
}
