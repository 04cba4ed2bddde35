package langchain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
)

// twoRuns is a script of two runs of an agent: the home page is read twice, with the same
// result, then the about page, and in the second run home again.
func twoRuns(get func(int, string) reply, answer func(string) reply) *scriptedModel {
	return script(get(1, "home"), get(2, "home"), get(3, "about"), answer("done"), get(4, "home"), answer("done"))
}

var fourCalls = []string{"cms_getPage home", "cms_getPage home", "cms_getPage about", "cms_getPage home"}

func TestEveryCallIsRecordedOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for mask := range 8 {
			wrapTool, wrapAgent, wrapModel := mask&1 != 0, mask&2 != 0, mask&4 != 0
			t.Run(fmt.Sprintf("%s tool=%v agent=%v model=%v", kind.name, wrapTool, wrapAgent, wrapModel), func(t *testing.T) {
				t.Parallel()
				rec, told := newRecorder()
				w := langchain.New(rec, nil)
				scripted := twoRuns(kind.get, kind.answer)
				var model llms.Model = scripted
				if wrapModel {
					model = w.Model(model)
				}
				ts := []tools.Tool{getPage()}
				if wrapTool {
					ts = w.Tools(ts...)
				}
				agent := kind.make(model, ts)
				if wrapAgent {
					agent = w.Agent(agent)
				}
				executor := agents.NewExecutor(agent)
				for range 2 { // the same question twice: the second is a new run
					_, err := chains.Run(t.Context(), executor, "look at the pages")
					require.NoError(t, err)
				}
				if wrapTool || wrapAgent || wrapModel && kind.native {
					assert.Equal(t, fourCalls, told.names())
				} else {
					assert.Empty(t, told.names())
				}
				if wrapAgent || wrapModel && (wrapTool || kind.native) {
					assert.Contains(t, scripted.last(), rec.Block())
					assert.Equal(t, 1, strings.Count(scripted.last(), "[WORKING MEMORY]"))
				} else {
					assert.NotContains(t, scripted.last(), "[WORKING MEMORY]")
				}
			})
		}
	}
}

// TestLoopAroundPlan calls Plan in a loop, with tools that are not wrapped.
func TestLoopAroundPlan(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for _, wrapModel := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s model=%v", kind.name, wrapModel), func(t *testing.T) {
				t.Parallel()
				rec, told := newRecorder()
				w := langchain.New(rec, nil)
				var model llms.Model = twoRuns(kind.get, kind.answer)
				if wrapModel {
					model = w.Model(model)
				}
				agent := w.Agent(kind.make(model, []tools.Tool{getPage()}))
				for range 2 {
					planUntilDone(t, agent, getPage())
				}
				assert.Equal(t, strings.ToLower(fmt.Sprint(fourCalls)), strings.ToLower(fmt.Sprint(told.names())), "in the model's spelling")
			})
		}
	}
}

func planUntilDone(t *testing.T, agent agents.Agent, tool tools.Tool) {
	t.Helper()
	var steps []schema.AgentStep
	for {
		actions, finish, err := agent.Plan(t.Context(), steps, map[string]string{"input": "look"})
		require.NoError(t, err)
		if finish != nil {
			return
		}
		for _, action := range actions {
			observation, err := tool.Call(t.Context(), action.ToolInput)
			require.NoError(t, err)
			steps = append(steps, schema.AgentStep{Action: action, Observation: observation})
		}
	}
}

func TestDecoratedWrappedToolIsRecordedOnce(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	inner := w.Tool(getPage())
	decorated := fakeTool{name: inner.Name(), call: func(ctx context.Context, input string) (string, error) {
		out, err := inner.Call(ctx, input)
		return "result: " + out, err
	}}
	model := w.Model(script(calls("c1 cms_getPage home"), say("done")))
	executor := agents.NewExecutor(w.Agent(agents.NewOpenAIFunctionsAgent(model, []tools.Tool{decorated})))
	_, err := chains.Run(t.Context(), executor, "look")
	require.NoError(t, err)
	assert.Len(t, told.all(), 1)
}

func TestAgentAsToolRecordsItsOwnCallsToo(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	sub := fakeTool{name: "ask_editor", call: func(ctx context.Context, input string) (string, error) {
		model := script(acts("cms_getPage", "home"), say("Final Answer: it is the home page"))
		return chains.Run(ctx, agents.NewExecutor(w.Agent(agents.NewOneShotAgent(model, []tools.Tool{getPage()}))), input)
	}}
	model := script(calls("c1 ask_editor which"), say("done"))
	_, err := chains.Run(t.Context(), agents.NewExecutor(w.Agent(agents.NewOpenAIFunctionsAgent(model, []tools.Tool{sub}))), "look")
	require.NoError(t, err)
	assert.Equal(t, []string{"cms_getPage home", "ask_editor which"}, told.names())
}

func TestExecutorsOwnStepsAreNoCalls(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	model := script(acts("cms_launchMissiles", "home"), say("mumble"), acts("cms_getPage", "home"), say("Final Answer: done"))
	executor := agents.NewExecutor(w.Agent(agents.NewOneShotAgent(model, []tools.Tool{getPage()})),
		agents.WithParserErrorHandler(agents.NewParserErrorHandler(nil)))
	_, err := chains.Run(t.Context(), executor, "look")
	require.NoError(t, err)
	assert.Equal(t, []string{"cms_getPage home"}, told.names())
}

func TestFailedCallShownToTheModelIsNotRecordedAgain(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	model := w.Model(script(calls("c1 cms_getPage missing"), say("sorry")))
	runLoop(t, model, w.Tool(getPage()), llms.TextParts(llms.ChatMessageTypeHuman, "look"))
	assert.Len(t, told.all(), 1)
}

// runLoop is a hand-written loop over native tool calls, such as
// langchaingo's documentation shows. It returns the conversation.
func runLoop(t *testing.T, model llms.Model, tool tools.Tool, messages ...llms.MessageContent) []llms.MessageContent {
	t.Helper()
	for {
		resp, err := model.GenerateContent(t.Context(), messages)
		require.NoError(t, err)
		choice := resp.Choices[0]
		if len(choice.ToolCalls) == 0 {
			return append(messages, llms.TextParts(llms.ChatMessageTypeAI, choice.Content))
		}
		asked := llms.MessageContent{Role: llms.ChatMessageTypeAI}
		var answers []llms.MessageContent
		for _, call := range choice.ToolCalls {
			asked.Parts = append(asked.Parts, call)
			result, err := tool.Call(t.Context(), call.FunctionCall.Arguments)
			if err != nil {
				require.True(t, errors.Is(err, errNoPage))
				result = "Error: " + err.Error()
			}
			answers = append(answers, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
				llms.ToolCallResponse{ToolCallID: call.ID, Name: call.FunctionCall.Name, Content: result},
			}})
		}
		messages = append(append(messages, asked), answers...)
	}
}
