package adk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/agent/workflowagents/parallelagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
)

// An agent that takes over sees what the one before found, and the other way around.
func TestTransfer(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
	transfer := func(to string) *genai.Content {
		return functionCall("transfer_to_agent", map[string]any{"agent_name": to})
	}
	inner := newScript(call("read_page "+newsID), say("Found the news."), transfer("editor"))
	writer := newAgent(t, llmagent.Config{Name: "writer", Description: "Writes.", Model: inner, Tools: []tool.Tool{newStream(t, "read_page", `{"page":{"id":"ID","title":"News"}}`)}})
	outer := newScript(call("get_page "+homeID), transfer("writer"), say("Both are there."))
	editor := newAgent(t, llmagent.Config{Name: "editor", Model: outer, Tools: []tool.Tool{get}, SubAgents: []agent.Agent{writer}})
	w := newWorld(t, nil, editor, adk.New(r.Recorder, nil).Plugin())
	w.say("Get the home page, then the news.")
	assert.Contains(t, inner.system(), homeID)
	w.say("Are both there?")
	assert.Contains(t, outer.system(), newsID)
	assert.Equal(t, []string{
		pageLine("get_page", homeID, "Home"),
		line("read_page", newsID, encode(fmt.Sprintf(`{"page":{"id":%q,"title":"News"}}`, newsID))),
		`transfer_to_agent {"agent_name":"editor"}: null`,
		`transfer_to_agent {"agent_name":"writer"}: null`,
	}, r.lines())
}

// Agents that run at once share a memory. The one that follows sees what each of them found.
func TestParallelAgents(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	const agents = 3
	var searchers []agent.Agent
	var want []string
	id := func(i int) string { return fmt.Sprintf("page-100%d", i) }
	for i := range agents {
		m := newScript(call("get_page "+id(i), "read_page "+id(i)), call("get_page "+id(i)), say("Found it."))
		get := newTool(t, functiontool.Config{Name: "get_page"}, func(_ agent.Context, args pageArgs) (pageResult, error) {
			return pageResult{page{args.PageID, "Found"}}, nil
		})
		searchers = append(searchers, newAgent(t, llmagent.Config{Name: fmt.Sprintf("searcher%d", i), Model: m, Tools: []tool.Tool{get, newStream(t, "read_page", "Words.")}}))
		want = append(want, pageLine("get_page", id(i), "Found"), pageLine("get_page", id(i), "Found"), line("read_page", id(i), `"Words."`))
	}
	search, err := parallelagent.New(parallelagent.Config{AgentConfig: agent.Config{Name: "search", SubAgents: searchers}})
	require.NoError(t, err)
	last := newScript(say("Done."), say("Yes."))
	both, err := sequentialagent.New(sequentialagent.Config{AgentConfig: agent.Config{
		Name: "both", SubAgents: []agent.Agent{search, newEditor(t, last)},
	}})
	require.NoError(t, err)
	w := newWorld(t, nil, both, adk.New(r.Recorder, nil).Plugin())
	w.say("Find the pages.")
	assert.ElementsMatch(t, want, r.lines())
	for i := range agents {
		assert.Contains(t, last.system(), id(i))
	}
}

// agenttool runs agents without the plugins of the runner. The callback is for these.
func TestAgentTool(t *testing.T) {
	t.Parallel()
	for name, newMemory := range map[string]func(t *testing.T, r *record) *adk.WorkingMemory{
		"recorder": func(_ *testing.T, r *record) *adk.WorkingMemory { return adk.New(r.Recorder, nil) },
		"sessions": func(t *testing.T, r *record) *adk.WorkingMemory {
			sessions, _ := newSessions(t, nil, r)
			return adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)})
		},
	} {
		for _, attached := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, callback %v", name, attached), func(t *testing.T) {
				t.Parallel()
				r := newRecord(t)
				memory := newMemory(t, r)
				inner := newScript(call("get_page "+homeID, "get_page missing"), call("read_page "+newsID), say("Found it."))
				config := llmagent.Config{Name: "writer", Description: "Writes.", Model: inner, Tools: []tool.Tool{
					newTool(t, functiontool.Config{Name: "get_page"}, getPage), newStream(t, "read_page", `{"page":{"id":"ID","title":"News"}}`),
				}}
				want := []string{`writer {"request":"Get it."}: "Found it."`}
				if attached {
					config.BeforeModelCallbacks = []llmagent.BeforeModelCallback{memory.BeforeModel}
					want = append([]string{
						pageLine("get_page", homeID, "Home"), line("get_page", "missing", "error: no such page"),
						line("read_page", newsID, encode(fmt.Sprintf(`{"page":{"id":%q,"title":"News"}}`, newsID))),
					}, want...)
				}
				outer := newScript(functionCall("writer", map[string]any{"request": "Get it."}), say("Found it."), say("Yes."))
				w := newWorld(t, nil, newEditor(t, outer, agenttool.New(newAgent(t, config), nil)), memory.Plugin())
				w.say("Get the pages.")
				w.say("Are they there?")
				assert.Equal(t, want, r.lines())
				for _, id := range []string{homeID, newsID} {
					assert.Equal(t, attached, strings.Contains(outer.system(), id), id)
				}
				assert.Equal(t, attached, strings.Contains(inner.system(), newsID))
			})
		}
	}
}

// Agents that work as a task or for a single turn are tools of the one that calls them.
func TestDelegation(t *testing.T) {
	t.Parallel()
	for mode, test := range map[llmagent.Mode]struct {
		end  *genai.Content
		more []string
	}{
		llmagent.ModeTask:       {functionCall("finish_task", map[string]any{"result": "Found both."}), []string{`finish_task {"result":"Found both."}: "Task completed."`}},
		llmagent.ModeSingleTurn: {say("Found both."), nil},
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			r := newRecord(t)
			inner := newScript(call("get_page "+homeID), call("read_page "+newsID), test.end)
			writer := newAgent(t, llmagent.Config{Name: "writer", Description: "Writes.", Mode: mode, Model: inner, Tools: []tool.Tool{
				newTool(t, functiontool.Config{Name: "get_page"}, getPage), newStream(t, "read_page", "Words."),
			}})
			outer := newScript(functionCall("writer", map[string]any{"request": "Get them."}), say("Found both."), say("Yes."))
			w := newWorld(t, nil, newAgent(t, llmagent.Config{Name: "editor", Model: outer, SubAgents: []agent.Agent{writer}}), adk.New(r.Recorder, nil).Plugin())
			w.say("Get the pages.")
			assert.Contains(t, inner.system(), homeID)
			w.say("Are they there?")
			assert.Contains(t, outer.system(), homeID)
			assert.Equal(t, append(test.more,
				pageLine("get_page", homeID, "Home"), line("read_page", newsID, `"Words."`), `writer {"request":"Get them."}: "Found both."`,
			), r.lines())
		})
	}
}
