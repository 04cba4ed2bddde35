package adk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/agent/workflowagents/parallelagent"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/adk/v2/tool/toolconfirmation"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func withHandles(t *testing.T) *record {
	return &record{adaptertest.NewRecordWith(t, &middleware.Options{Handles: handle.NewTable(nil)})}
}

// findHome is a tool that needs no id.
func findHome(t *testing.T) tool.Tool {
	return newTool(t, functiontool.Config{Name: "find_page"}, func(ctx agent.Context, _ map[string]any) (pageResult, error) {
		return getPage(ctx, pageArgs{homeID})
	})
}

// texts returns the calls and results in the contents of a request, or in those of events.
func texts(contents ...*genai.Content) string {
	var b strings.Builder
	for _, c := range contents {
		for _, p := range c.Parts {
			if p.FunctionCall != nil {
				b.WriteString(p.FunctionCall.Name + encode(p.FunctionCall.Args) + "\n")
			}
			if p.FunctionResponse != nil {
				b.WriteString(p.FunctionResponse.Name + ": " + encode(p.FunctionResponse.Response) + "\n")
			}
		}
	}
	return b.String()
}

func contentsOf(events []*session.Event) (contents []*genai.Content) {
	for _, event := range events {
		contents = append(contents, event.Content)
	}
	return contents
}

// The events of a session keep what the model wrote, and have what it sees. Nothing is recorded
// again when the session is read from JSON.
func TestEventsWithHandles(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("find_page"), call("get_page page#1", "read_page page#1"), say("Found it."), say("Yes.")), withHandles(t)
	var got []string
	get := newTool(t, functiontool.Config{Name: "get_page"}, func(ctx agent.Context, args pageArgs) (pageResult, error) {
		got = append(got, args.PageID)
		return getPage(ctx, args)
	})
	w := newWorld(t, nil, newEditor(t, m, findHome(t), get, newStream(t, "read_page", `{"page":{"id":"ID"}}`)), adk.New(r.Recorder, nil).Plugin())
	w.say("Get the home page.")
	assert.Equal(t, []string{homeID}, got)
	stored := texts(contentsOf(w.events("s-1"))...)
	assert.NotContains(t, stored, homeID)
	assert.Equal(t, 2, strings.Count(stored, `page{"page_id":"page#1"}`))
	assert.Equal(t, stored, texts(m.request(-1).Contents...), "the model sees what is stored")
	require.Len(t, r.lines(), 3)
	assert.Contains(t, r.lines(), pageLine("get_page", homeID, "Home"), "ids are recorded")
	assert.Contains(t, r.lines(), line("read_page", homeID, encode(`{"page":{"id":"`+homeID+`"}}`)))

	w = newWorld(t, w.reload("s-1"), newEditor(t, m), adk.New(r.Recorder, nil).Plugin())
	w.say("Is it there?")
	assert.Len(t, r.lines(), 3)
}

// The events of a session that began without the plugin have ids. The model sees handles.
func TestEventsWithIDs(t *testing.T) {
	t.Parallel()
	get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
	w := newWorld(t, nil, newEditor(t, newScript(call("get_page "+homeID), say("It is "+homeID+".")), get))
	w.say("Get the home page.")
	m, r := newScript(say("Yes.")), withHandles(t)
	w = newWorld(t, w.service, newEditor(t, m, get), adk.New(r.Recorder, nil).Plugin())
	w.say("Is it there?")
	shown := m.request(-1).Contents
	assert.NotContains(t, texts(shown...), homeID)
	assert.Contains(t, texts(shown...), `get_page{"page_id":"page#1"}`)
	assert.Contains(t, encode(shown), "It is "+homeID+".", "texts stay as they are")
	assert.Contains(t, texts(contentsOf(w.events("s-1"))...), homeID)
}

// No tool receives an unknown handle, and no such call is recorded.
func TestUnknownHandle(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("find_page"), call("get_page page#9", "read_page page#9"), say("There is none."), say("No.")), withHandles(t)
	get := newTool(t, functiontool.Config{Name: "get_page"}, func(_ agent.Context, args pageArgs) (pageResult, error) {
		t.Errorf("called with %s", args.PageID)
		return pageResult{}, nil
	})
	w := newWorld(t, nil, newEditor(t, m, findHome(t), get, newStream(t, "read_page", "read")), adk.New(r.Recorder, nil).Plugin())
	w.say("Get it.")
	assert.Equal(t, 2, strings.Count(texts(m.request(-1).Contents...), `{"error":"unknown handle page#9: the tool was not called; known handles are page#1"}`))
	w.say("Is it there?")
	assert.Len(t, r.lines(), 1)
}

// Other plugins and callbacks receive the results of tools, with ids, also if the plugin is first.
func TestOtherPluginsSeeResults(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("find_page"), say("Found it.")), withHandles(t)
	var seen []string
	see := func(_ agent.Context, _ tool.Tool, _, result map[string]any, _ error) (map[string]any, error) {
		seen = append(seen, encode(result))
		return nil, nil
	}
	editor := newAgent(t, llmagent.Config{Name: "editor", Model: m, Tools: []tool.Tool{findHome(t)}, AfterToolCallbacks: []llmagent.AfterToolCallback{see}})
	newWorld(t, nil, editor, adk.New(r.Recorder, nil).Plugin(), newPlugin(t, plugin.Config{AfterToolCallback: see})).say("Get it.")
	home := `{"page":{"id":"` + homeID + `","title":"Home"}}`
	assert.Equal(t, []string{home, home}, seen)
}

// gemini is a model for which ADK has a tool that takes structured answers.
type gemini struct{ *script }

func (gemini) Name() string { return "gemini-2.5-flash" }

// A structured answer of an agent is for a program, and has ids.
func TestStructuredAnswer(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("find_page"), functionCall("set_model_response", map[string]any{"page_id": "page#1"}), say("Yes.")), withHandles(t)
	editor := newAgent(t, llmagent.Config{
		Name: "editor", Model: gemini{m}, Tools: []tool.Tool{findHome(t)},
		OutputSchema: &genai.Schema{Type: genai.TypeObject, Properties: map[string]*genai.Schema{"page_id": {Type: genai.TypeString}}},
	})
	events := newWorld(t, nil, editor, adk.New(r.Recorder, nil).Plugin()).say("Get it.")
	assert.JSONEq(t, `{"page_id":"`+homeID+`"}`, events[len(events)-1].Content.Parts[0].Text)
}

// A call that waits for a confirmation runs with the id.
func TestConfirmationWithHandle(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("find_page"), call("rename_page page#1"), say("Please confirm."), say("Done.")), withHandles(t)
	var got []string
	rename := newTool(t, functiontool.Config{Name: "rename_page", RequireConfirmation: true}, func(ctx agent.Context, args pageArgs) (pageResult, error) {
		got = append(got, args.PageID)
		return getPage(ctx, args)
	})
	w := newWorld(t, nil, newEditor(t, m, findHome(t), rename), adk.New(r.Recorder, nil).Plugin())
	asked := callOf(w.say("Rename it."), toolconfirmation.FunctionCallName)
	assert.Empty(t, got)
	w.respond(asked, map[string]any{"confirmed": true})
	assert.Equal(t, []string{homeID}, got)
	assert.Len(t, r.lines(), 2)
	assert.NotContains(t, texts(m.request(-1).Contents...), homeID)
}

// Agents that agenttool runs need the callbacks.
func TestAgentToolWithHandles(t *testing.T) {
	t.Parallel()
	r := withHandles(t)
	memory := adk.New(r.Recorder, nil)
	inner := newScript(call("get_page page#9", "read_page page#9"), call("get_page page#1", "read_page page#1"), say("Found page#1."))
	writer := newAgent(t, llmagent.Config{
		Name: "writer", Model: inner,
		Tools:                []tool.Tool{newTool(t, functiontool.Config{Name: "get_page"}, getPage), newStream(t, "read_page", `{"page":{"id":"ID"}}`)},
		BeforeModelCallbacks: []llmagent.BeforeModelCallback{memory.BeforeModel},
		BeforeToolCallbacks:  []llmagent.BeforeToolCallback{memory.BeforeTool},
	})
	outer := newScript(call("find_page"), functionCall("writer", map[string]any{"request": "Get page#1."}), say("Found it."))
	newWorld(t, nil, newEditor(t, outer, findHome(t), agenttool.New(writer, nil)), memory.Plugin()).say("Get it.")
	assert.NotContains(t, texts(inner.request(-1).Contents...), homeID)
	assert.Equal(t, 2, strings.Count(texts(inner.request(-1).Contents...), "unknown handle page#9"))
	assert.Contains(t, r.lines(), pageLine("get_page", homeID, "Home"))
	assert.Len(t, r.lines(), 4)
}

// Agents that run at once share the handles.
func TestParallelAgentsWithHandles(t *testing.T) {
	t.Parallel()
	r := withHandles(t)
	var agents []agent.Agent
	var scripts []*script
	for i := range 4 {
		m := newScript(call("find_page"), call("get_page page#1", "get_page page#1"), say("Found it."))
		agents = append(agents, newAgent(t, llmagent.Config{
			Name: fmt.Sprintf("editor_%d", i), Model: m, Tools: []tool.Tool{findHome(t), newTool(t, functiontool.Config{Name: "get_page"}, getPage)},
		}))
		scripts = append(scripts, m)
	}
	all, err := parallelagent.New(parallelagent.Config{AgentConfig: agent.Config{Name: "all", SubAgents: agents}})
	require.NoError(t, err)
	newWorld(t, nil, all, adk.New(r.Recorder, nil).Plugin()).say("Get it.")
	assert.Len(t, r.lines(), 3*len(agents))
	for _, m := range scripts {
		assert.NotContains(t, texts(m.request(-1).Contents...), homeID)
	}
}

// The whole of a stored result is in no event.
func TestStoredResult(t *testing.T) {
	t.Parallel()
	r := &record{adaptertest.NewRecordWith(t, &middleware.Options{Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 200})})}
	memory := adk.New(nil, &adk.Options{Recorder: func(agent.ReadonlyContext) *middleware.Recorder { return r.Recorder }})
	list := newTool(t, functiontool.Config{Name: "list_pages"}, func(agent.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"text": strings.Repeat("lorem ipsum\n", 500), "last": "dolor"}, nil
	})
	m := newScript(call("list_pages"), functionCall("read_result", map[string]any{"handle": "result#1", "path": "$.last"}), say("It is dolor."))
	w := newWorld(t, nil, newEditor(t, m, append(memory.ResultTools(), list)...), memory.Plugin())
	w.say("What is last?")
	stored := texts(contentsOf(w.events("s-1"))...)
	assert.Less(t, len(stored), 5000)
	assert.Contains(t, stored, `{"result":"[STORED RESULT] result#1`)
	assert.Contains(t, texts(m.request(-1).Contents...), "dolor")
	declared := m.request(0).Config.Tools[0].FunctionDeclarations[0]
	assert.Equal(t, "read_result", declared.Name)
	assert.Equal(t, []string{"handle"}, declared.ParametersJsonSchema.(*jsonschema.Schema).Required)
}
