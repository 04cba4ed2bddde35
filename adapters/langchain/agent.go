package langchain

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Agent wraps an agent. GetTools returns its tools wrapped by Tool, so that an
// agents.Executor's calls are recorded as they are made. In a loop that calls Plan
// and runs the tools itself, Plan records the steps that no wrapped tool recorded.
//
// The run's input updates the recorder's focus (see middleware.Recorder.UpdateFocus).
//
// With middleware.Options.Handles or Results, Plan shows the steps as the model is to see them,
// and returns actions with ids in place of handles. If a handle is unknown, it plans again, at
// most twice.
//
// Every Plan shows the current block. A prompt that names the variable
// (Options.Variable) shows it there, whatever the agent's type. In other prompts of
// langchaingo's own agents (*agents.OpenAIFunctionsAgent; *agents.OneShotZeroAgent and
// *agents.ConversationalAgent whose chain is a *chains.LLMChain) it is placed as by
// Model. An agent of another type receives only the variable. The given agent is not
// changed.
func (w *WorkingMemory) Agent(a agents.Agent) agents.Agent {
	if wrapped, ok := a.(*agent); ok && wrapped.wm == w {
		return a
	}
	return &agent{Agent: a, wm: w}
}

// inputKey is the name of the user's message among the inputs of langchaingo's agents.
const inputKey = "input"

type agent struct {
	agents.Agent
	wm *WorkingMemory
}

var _ agents.Agent = (*agent)(nil)

// Plan records the steps that are not recorded yet, and plans with the block.
func (a *agent) Plan(
	ctx context.Context, steps []schema.AgentStep, inputs map[string]string, options ...chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	inputs = maps.Clone(inputs)
	if inputs == nil {
		inputs = make(map[string]string)
	}
	delete(inputs, a.wm.opts.Variable) // it changes within a run; the other inputs identify the run
	c, ok := a.wm.conversation(ctx)
	if ok && ctx.Value(planningKey{}) != c.rec { // otherwise an outer wrapper has done it
		h := a.history(steps)
		h.Thread = c.progress.thread(inputs, len(steps) == 0)
		_ = c.rec.RecordHistory(ctx, h) // the recorder reports failures to OnCall and Logger
		c.rec.Prepare(ctx, prompt.Message{Role: "user", Content: inputs[inputKey]})
	}
	inputs[a.wm.opts.Variable] = c.show()
	ctx = context.WithValue(ctx, planningKey{}, c.rec)
	return c.plan(ctx, a.wm.withBlock(a.Agent), c.shownSteps(ctx, steps), inputs, options)
}

// history returns the calls among a run's steps, none of which counts as answered: steps do not
// show which calls the model requested together.
func (a *agent) history(steps []schema.AgentStep) *middleware.History {
	known := make(map[string]bool)
	for _, t := range a.Agent.GetTools() {
		known[strings.ToUpper(t.Name())] = true
	}
	var calls []middleware.ToolCall
	for _, step := range steps {
		// An executor also adds steps for malformed answers of the model.
		if known[strings.ToUpper(step.Action.Tool)] {
			calls = append(calls, middleware.ToolCall{
				ID: step.Action.ToolID, Name: step.Action.Tool,
				Arguments: plainArguments(step.Action.ToolInput), Result: step.Observation,
			})
		}
	}
	h := &middleware.History{View: "langchain agent"}
	h.AddRequests(calls...)
	for _, call := range calls {
		h.AddResult(call)
	}
	return h
}

// GetInputKeys returns the agent's input keys without the block's, which Plan provides.
func (a *agent) GetInputKeys() []string {
	keys := slices.Clone(a.Agent.GetInputKeys())
	return slices.DeleteFunc(keys, func(key string) bool { return key == a.wm.opts.Variable })
}

// GetTools returns the agent's tools, wrapped.
func (a *agent) GetTools() []tools.Tool { return a.wm.Tools(a.Agent.GetTools()...) }

// withBlock returns a shallow copy of an agent whose model shows the block. An agent
// of an unknown type, whose model is not accessible, is returned unchanged.
func (w *WorkingMemory) withBlock(a agents.Agent) agents.Agent {
	switch known := a.(type) {
	case *agents.OpenAIFunctionsAgent:
		shown := *known
		shown.LLM = w.modelWithBlock(known.LLM)
		return &shown
	case *agents.OneShotZeroAgent:
		shown := *known
		shown.Chain = w.chainWithBlock(known.Chain)
		return &shown
	case *agents.ConversationalAgent:
		shown := *known
		shown.Chain = w.chainWithBlock(known.Chain)
		return &shown
	}
	return a
}

func (w *WorkingMemory) chainWithBlock(c chains.Chain) chains.Chain {
	known, ok := c.(*chains.LLMChain)
	if !ok {
		return c
	}
	shown := *known
	shown.LLM = w.modelWithBlock(known.LLM)
	return &shown
}

func (w *WorkingMemory) modelWithBlock(m llms.Model) llms.Model {
	if w.wraps(m) {
		return m
	}
	return &model{Model: m, wm: w}
}
