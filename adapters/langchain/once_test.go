package langchain_test

import (
	"context"
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

func TestWrappersOfTwoWorkingMemoriesCooperate(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			rec, told := newRecorder()
			a, b := langchain.New(rec, nil), langchain.New(rec, nil)
			scripted := twoRuns(kind.get, kind.answer)
			agent := b.Agent(a.Agent(kind.make(b.Model(a.Model(scripted)), []tools.Tool{getPage()})))
			executor := agents.NewExecutor(agent, agents.WithMemory(a.Memory(b.Memory(nil))))
			for range 2 {
				_, err := chains.Run(t.Context(), executor, "look at the pages")
				require.NoError(t, err)
			}
			assert.Equal(t, fourCalls, told.names())
			assert.Equal(t, 1, strings.Count(scripted.last(), rec.Block()))

			for _, w := range []*langchain.WorkingMemory{a, b} {
				planUntilDone(t, w.Agent(kind.make(script(kind.get(1, "home"), kind.answer("done")), []tools.Tool{getPage()})), getPage())
			}
			assert.Len(t, told.all(), len(fourCalls)+2, "runs of agents on the same inputs")
		})
	}
}
