package adk_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/plugin/retryandreflect"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// returning returns a tool with a result of any shape.
func returning(t *testing.T, result any, err error) tool.Tool {
	return newTool(t, functiontool.Config{Name: "get_page"}, func(agent.Context, pageArgs) (any, error) { return result, err })
}

// Results are recorded as the tool returned them, not as ADK wraps them.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool func(t *testing.T) tool.Tool
		want string
	}{
		"object": {
			func(t *testing.T) tool.Tool { return newTool(t, functiontool.Config{Name: "get_page"}, getPage) },
			`{"page":{"id":"` + homeID + `","title":"Home"}}`,
		},
		"text":           {func(t *testing.T) tool.Tool { return returning(t, "Home", nil) }, `"Home"`},
		"list":           {func(t *testing.T) tool.Tool { return returning(t, []any{"Home", 1}, nil) }, `["Home",1]`},
		"of mcptoolset":  {func(t *testing.T) tool.Tool { return returning(t, map[string]any{"output": "Home"}, nil) }, `"Home"`},
		"nothing":        {func(t *testing.T) tool.Tool { return returning(t, map[string]any{}, nil) }, `null`},
		"error":          {func(t *testing.T) tool.Tool { return returning(t, nil, errNoPage) }, "error: no such page"},
		"error in a map": {func(t *testing.T) tool.Tool { return returning(t, map[string]any{"error": "no such page"}, nil) }, "error: no such page"},
		"map with an error": {
			func(t *testing.T) tool.Tool { return returning(t, map[string]any{"error": nil, "page": "Home"}, nil) },
			`{"error":null,"page":"Home"}`,
		},
		"suspended": {func(t *testing.T) tool.Tool { return returning(t, nil, fmt.Errorf("get: %w", middleware.ErrSuspended)) }, ""},
		"unconfirmed": {func(t *testing.T) tool.Tool {
			return returning(t, nil, fmt.Errorf("get: %w", tool.ErrConfirmationRequired))
		}, ""},
		"no error": {func(t *testing.T) tool.Tool { return returning(t, map[string]any{"error": nil}, nil) }, `{"error":null}`},
		"stream":   {func(t *testing.T) tool.Tool { return newStream(t, "get_page", "Ho", "me") }, `"Home"`},
		"failing stream": {
			func(t *testing.T) tool.Tool { return newStream(t, "get_page", "Ho", errNoPage.Error()) }, "error: no such page",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, r := newScript(call("get_page "+homeID), say("Found it."), say("Yes.")), newRecord(t)
			w := newWorld(t, nil, newEditor(t, m, test.tool(t)), adk.New(r.Recorder, nil).Plugin())
			w.say("Get the home page.")
			w.say("Is it there?")
			if test.want == "" {
				assert.Empty(t, r.lines())
				return
			}
			require.Equal(t, []string{line("get_page", homeID, test.want)}, r.lines())
			assert.Regexp(t, "^adk-", r.Calls()[0].ID)
			for _, event := range w.events("s-1") {
				assert.Empty(t, event.Actions.StateDelta)
			}
		})
	}
}

// Calls are recorded when they end, also equal ones with one id.
func TestTimesOfCalls(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	var ran []time.Time
	get := newTool(t, functiontool.Config{Name: "get_page"}, func(ctx agent.Context, args pageArgs) (pageResult, error) {
		ran = append(ran, time.Now())
		return getPage(ctx, args)
	})
	repeated := call("get_page " + homeID)
	repeated.Parts[0].FunctionCall.ID = "call_0"
	w := newWorld(t, nil, newEditor(t, newScript(repeated, repeated, say("Found it.")), get), adk.New(r.Recorder, nil).Plugin())
	w.say("Get the home page.")
	require.Len(t, r.Calls(), 2)
	for i, c := range r.Calls() {
		assert.False(t, c.Start.IsZero())
		assert.False(t, c.Start.After(ran[i]))
		assert.False(t, c.Start.Add(c.Duration).Before(ran[i]))
	}
}

// A tool may record its calls itself, as one of an MCP client with mcpserver.RecordCalls does.
func TestToolThatRecords(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("get_page "+homeID), call("get_page missing", "get_page "+homeID), say("Found it."), say("Yes.")), newRecord(t)
	get := newTool(t, functiontool.Config{Name: "get_page"}, func(ctx agent.Context, args pageArgs) (any, error) {
		run := middleware.RecordCalls(r.Recorder)(func(context.Context, middleware.ToolCall) (any, error) { return getPage(ctx, args) })
		return run(ctx, middleware.ToolCall{Name: "get_page", Arguments: args})
	})
	w := newWorld(t, nil, newEditor(t, m, get), adk.New(r.Recorder, nil).Plugin())
	w.say("Get the home page.")
	w.say("Is it there?")
	home := pageLine("get_page", homeID, "Home")
	assert.Equal(t, []string{home, home, line("get_page", "missing", "error: no such page")}, r.lines())
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("get_pages "+homeID), say("There is no such tool.")), newRecord(t)
	w := newWorld(t, nil, newEditor(t, m, newTool(t, functiontool.Config{Name: "get_page"}, getPage)), adk.New(r.Recorder, nil).Plugin())
	w.say("Get the home page.")
	require.Len(t, r.Calls(), 1)
	assert.ErrorContains(t, r.Calls()[0].Err, "not found")
}

func newPlugin(t *testing.T, config plugin.Config) *plugin.Plugin {
	t.Helper()
	config.Name = "other"
	p, err := plugin.New(config)
	require.NoError(t, err)
	return p
}

// A plugin that answers ends the chain, so that the order of plugins matters.
func TestOtherPlugins(t *testing.T) {
	t.Parallel()
	home := pageLine("get_page", homeID, "Home")
	failed := line("get_page", "missing", "error: no such page")
	reply := map[string]any{"summary": "one page"}
	summary := `{"summary":"one page"}`
	for name, test := range map[string]struct {
		page         string
		other        plugin.Config
		first, after string // what is recorded by the first plugin, and by one after the other
	}{
		"replaces results": {
			homeID, plugin.Config{AfterToolCallback: func(agent.Context, tool.Tool, map[string]any, map[string]any, error) (map[string]any, error) {
				return reply, nil
			}},
			home, line("get_page", homeID, summary),
		},
		"fails after a tool": {
			homeID, plugin.Config{AfterToolCallback: func(agent.Context, tool.Tool, map[string]any, map[string]any, error) (map[string]any, error) {
				return nil, errors.New("refused")
			}},
			home, line("get_page", homeID, "error: refused"),
		},
		"answers errors": {
			"missing", plugin.Config{OnToolErrorCallback: func(agent.Context, tool.Tool, map[string]any, error) (map[string]any, error) {
				return reply, nil
			}},
			failed, line("get_page", "missing", summary),
		},
		"answers in place of a tool": {
			homeID, plugin.Config{BeforeToolCallback: func(agent.Context, tool.Tool, map[string]any) (map[string]any, error) {
				return reply, nil
			}},
			line("get_page", homeID, summary), line("get_page", homeID, summary),
		},
		"changes arguments": {
			"page#1", plugin.Config{BeforeToolCallback: func(_ agent.Context, _ tool.Tool, args map[string]any) (map[string]any, error) {
				args["page_id"] = homeID
				return nil, nil
			}},
			home, home,
		},
		"replaces events": {
			homeID, plugin.Config{OnEventCallback: func(_ agent.InvocationContext, event *session.Event) (*session.Event, error) {
				replaced := *event
				return &replaced, nil
			}},
			home, home,
		},
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, first %v", name, first), func(t *testing.T) {
				t.Parallel()
				m, r := newScript(call("get_page "+test.page), say("Found it."), say("Yes.")), newRecord(t)
				get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
				plugins := []*plugin.Plugin{adk.New(r.Recorder, nil).Plugin(), newPlugin(t, test.other)}
				want := test.first
				if !first {
					plugins[0], plugins[1] = plugins[1], plugins[0]
					want = test.after
				}
				w := newWorld(t, nil, newEditor(t, m, get), plugins...)
				w.say("Get the home page.")
				w.say("Is it there?")
				assert.Equal(t, []string{want}, r.lines())
			})
		}
	}
}

// A plugin that answers in place of the model needs no block.
func TestPluginThatAnswersForTheModel(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	answer := newPlugin(t, plugin.Config{BeforeModelCallback: func(agent.Context, *model.LLMRequest) (*model.LLMResponse, error) {
		return &model.LLMResponse{Content: say("Cached.")}, nil
	}})
	for _, plugins := range [][]*plugin.Plugin{
		{adk.New(r.Recorder, nil).Plugin(), answer}, {answer, adk.New(r.Recorder, nil).Plugin()},
	} {
		w := newWorld(t, nil, newEditor(t, newScript()), plugins...)
		assert.Equal(t, "Cached.", w.say("Hello.")[0].Content.Parts[0].Text)
	}
}

// ADK's own plugin turns errors into advice to the model, which is not the result of the tool.
func TestRetryAndReflect(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("get_page missing"), call("get_page "+homeID), say("Found it.")), newRecord(t)
	get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
	w := newWorld(t, nil, newEditor(t, m, get), adk.New(r.Recorder, nil).Plugin(), retryandreflect.MustNew())
	w.say("Get the home page.")
	assert.Equal(t, []string{pageLine("get_page", homeID, "Home"), line("get_page", "missing", "error: no such page")}, r.lines())
}

// The result of a streaming tool is recorded although the turn ends without another request.
func TestLastResultOfATurn(t *testing.T) {
	t.Parallel()
	read, err := functiontool.NewStreaming(functiontool.Config{Name: "read_page"}, func(ctx agent.Context, args pageArgs) iter.Seq2[string, error] {
		ctx.Actions().SkipSummarization = true
		return func(yield func(string, error) bool) { yield(`{"page":{"id":"`+args.PageID+`","title":"Home"}}`, nil) }
	})
	require.NoError(t, err)
	m, r := newScript(call("read_page "+homeID)), newRecord(t)
	newWorld(t, nil, newEditor(t, m, read), adk.New(r.Recorder, nil).Plugin()).say("Get it.")
	assert.Len(t, r.lines(), 1)
	assert.Contains(t, r.Block(), homeID)
}
