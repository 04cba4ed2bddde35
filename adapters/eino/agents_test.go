package eino_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/prebuilt/deep"
	"github.com/cloudwego/eino/adk/prebuilt/planexecute"
	"github.com/cloudwego/eino/adk/prebuilt/supervisor"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// calls returns a reply that calls one tool.
func calls(id, name, arguments string) *schema.Message {
	return schema.AssistantMessage("", []schema.ToolCall{call(id, name, arguments)})
}

func transfer(id, agent string) *schema.Message {
	return calls(id, adk.TransferToAgentToolName, fmt.Sprintf(`{"agent_name":%q}`, agent))
}

// An agent is a tool of another, all calls have one id, and both tools have one name.
func TestAgentTool(t *testing.T) {
	t.Parallel()
	for _, history := range []bool{false, true} {
		t.Run(fmt.Sprintf("full history=%v", history), func(t *testing.T) {
			t.Parallel()
			r := adaptertest.NewRecord(t)
			w := eino.New(r.Recorder, nil)
			var opts []adk.AgentToolOption
			if history {
				opts = append(opts, adk.WithFullChatHistoryAsInput())
			}
			inner := newScript(get("call_0 get_page "+homeID), say("The home page."))
			outer := newScript(get("call_0 get_page "+newsID), calls("call_0", "librarian", `{"request":"Find it."}`), get("call_0 get_page "+homeID), say("Found it."))
			tools := []tool.BaseTool{getPage(t, nil)}
			librarian := adk.NewAgentTool(t.Context(), newAgent(t, "librarian", inner, tools, w), opts...)
			ask(t, t.Context(), newAgent(t, "editor", outer, append(tools, librarian), w), schema.UserMessage("Find the page."))
			assert.Equal(t, []string{"get_page " + homeID, "get_page " + homeID, "get_page " + newsID, `librarian {"request":"Find it."}`}, r.Names())
			shows(t, inner.last(t), homeID, newsID)
			shows(t, outer.last(t), homeID, newsID)
		})
	}
}

// Eino rewrites the messages of an agent to text for the agent that it transfers to.
func TestTransfer(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		t.Run(fmt.Sprintf("streams=%v", streams), func(t *testing.T) {
			t.Parallel()
			r := adaptertest.NewRecord(t)
			w := eino.New(r.Recorder, nil)
			tools := []tool.BaseTool{getPage(t, nil)}
			router := newScript(get("call_0 get_page "+homeID), transfer("call_0", "writer"), get("call_0 get_page "+homeID), say("Both are done."))
			writer := newScript(get("call_0 get_page "+homeID), get("call_0 get_page "+newsID), transfer("call_0", "router"))
			team, err := adk.SetSubAgents(t.Context(), newAgent(t, "router", router, tools, w), []adk.Agent{newAgent(t, "writer", writer, tools, w)})
			require.NoError(t, err)
			_, err = read(adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: team, EnableStreaming: streams}).Query(t.Context(), "Rename the pages."))
			require.NoError(t, err)
			assert.Equal(t, []string{"get_page " + homeID, "get_page " + homeID, "get_page " + homeID, "get_page " + newsID}, r.Names())
			shows(t, writer.requests[0], homeID)
			shows(t, router.last(t), homeID, newsID)
		})
	}
}

func TestSupervisor(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	boss := newScript(transfer("c1", "writer"), transfer("c2", "writer"), say("Done."))
	writer := newScript(get("c1 get_page "+homeID), say("Found home."), get("c1 get_page "+newsID), say("Found the news."))
	team, err := supervisor.New(t.Context(), &supervisor.Config{
		Supervisor: newAgent(t, "boss", boss, nil, w),
		SubAgents:  []adk.Agent{newAgent(t, "writer", writer, []tool.BaseTool{getPage(t, nil)}, w)},
	})
	require.NoError(t, err)
	ask(t, t.Context(), team, schema.UserMessage("Rename the pages."))
	assert.Equal(t, []string{"get_page " + homeID, "get_page " + newsID}, r.Names())
	shows(t, writer.requests[2], homeID)
	shows(t, boss.last(t), homeID, newsID)
}

// The agents of planexecute have no handlers: their models are wrapped, and the tools of the
// executor have the middleware.
func TestPlanExecute(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	plan := func(steps string) *schema.Message { return calls("p", "plan", `{"steps":[`+steps+`]}`) }
	planner := newScript(plan(`"find the page","rename it"`))
	executor := newScript(get("call_0 get_page "+homeID), say("Found it."), calls("call_0", "rename_page", `{"page_id":"`+homeID+`"}`), say("Renamed."))
	replanner := newScript(plan(`"rename it"`), calls("r", "respond", `{"response":"Done."}`))
	rename := newTool(t, "rename_page", func(_ context.Context, id string) (string, error) { return page(id), nil })

	p, err := planexecute.NewPlanner(t.Context(), &planexecute.PlannerConfig{ToolCallingChatModel: w.Model(planner)})
	require.NoError(t, err)
	e, err := planexecute.NewExecutor(t.Context(), &planexecute.ExecutorConfig{Model: w.Model(executor), ToolsConfig: adk.ToolsConfig{
		ToolsNodeConfig: compose.ToolsNodeConfig{
			Tools: []tool.BaseTool{getPage(t, nil), rename}, ToolCallMiddlewares: []compose.ToolMiddleware{w.ToolMiddleware()},
		}}})
	require.NoError(t, err)
	rp, err := planexecute.NewReplanner(t.Context(), &planexecute.ReplannerConfig{ChatModel: w.Model(replanner)})
	require.NoError(t, err)
	team, err := planexecute.New(t.Context(), &planexecute.Config{Planner: p, Executor: e, Replanner: rp})
	require.NoError(t, err)
	ask(t, t.Context(), team, schema.UserMessage("Rename the home page."))

	assert.Equal(t, []string{"get_page " + homeID, "rename_page " + homeID}, r.Names())
	shows(t, executor.requests[2], homeID) // a conversation of its own, for the second step
	assert.Len(t, executor.requests[2], 2)
	shows(t, replanner.last(t), homeID)
}

func TestDeepAgent(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	m := newScript(calls("c1", "task", `{"subagent_type":"general-purpose","description":"Find the home page."}`),
		get("c1 get_page "+homeID), say("Found it."), say("Done."))
	a, err := deep.New(t.Context(), &deep.Config{Name: "editor", Description: "edits", ChatModel: m, Instruction: "You edit.",
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{getPage(t, nil)}}},
		Handlers:    []adk.ChatModelAgentMiddleware{eino.New(r.Recorder, nil)}})
	require.NoError(t, err)
	ask(t, t.Context(), a, schema.UserMessage("Find the home page."))
	require.Len(t, r.Calls(), 2)
	assert.Equal(t, "get_page", r.Calls()[0].Name, "of the general agent, which has the handlers too")
	assert.Equal(t, "task", r.Calls()[1].Name)
	shows(t, m.requests[2], homeID)
	shows(t, m.last(t), homeID)
}

// Agents work on one memory at once: those of adk.NewParallelAgent, with histories.
func TestParallelAgents(t *testing.T) {
	t.Parallel()
	const agents, rounds = 4, 8
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	var all []adk.Agent
	var models []*script
	var want []string
	for i := range agents {
		var replies []*schema.Message
		for n := range rounds {
			id := fmt.Sprintf("page-%d%03d", i+1, n)
			replies, want = append(replies, get("call_0 get_page "+id, "call_0 get_page "+homeID)), append(want, "get_page "+id, "get_page "+homeID)
		}
		models = append(models, newScript(append(replies, say("Done."))...))
		all = append(all, newAgent(t, fmt.Sprintf("editor%d", i), models[i], []tool.BaseTool{getPage(t, nil)}, w))
	}
	team, err := adk.NewParallelAgent(t.Context(), &adk.ParallelAgentConfig{Name: "team", SubAgents: all})
	require.NoError(t, err)
	ask(t, t.Context(), team, schema.UserMessage("Get the pages."))
	slices.Sort(want)
	assert.Equal(t, want, r.Names())
	for _, m := range models {
		shows(t, m.last(t))
	}
}

// One agent serves conversations at the same time, each with the recorder of its context. It is a
// react.Agent: runs of one adk.ChatModelAgent race with each other in Eino.
func TestOneAgentForManySessions(t *testing.T) {
	t.Parallel()
	w := eino.New(nil, nil)
	a, err := react.NewAgent(t.Context(), &react.AgentConfig{ToolCallingModel: echo{}, MessageModifier: w.ModifyMessages,
		ToolsConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{getPage(t, nil)}, ToolCallMiddlewares: []compose.ToolMiddleware{w.ToolMiddleware()}}})
	require.NoError(t, err)
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			r, id := adaptertest.NewRecord(t), fmt.Sprintf("page-%d00", i+1)
			answer, err := a.Generate(middleware.WithRecorder(t.Context(), r.Recorder), []*schema.Message{schema.UserMessage(id)})
			if assert.NoError(t, err) {
				assert.Equal(t, []string{"get_page " + id}, r.Names())
				assert.Contains(t, answer.Content, id)
				assert.Equal(t, 1, strings.Count(answer.Content, "(page-"), "ids in the block")
			}
		})
	}
	done.Wait()
}

// echo is a model that gets the page that the user names, and then answers with its system prompt.
type echo struct{}

func (echo) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	if last := messages[len(messages)-1]; last.Role == schema.User {
		return get("c1 get_page " + last.Content), nil
	}
	return say(messages[0].Content), nil
}

func (e echo) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return e, nil }

func (e echo) Stream(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	reply, err := e.Generate(ctx, messages, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{reply}), err
}
