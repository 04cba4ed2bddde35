package langchain

import (
	"context"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// generate calls a model, and returns its answer with ids in place of the handles in its calls.
// It calls the model again if a handle is unknown: see middleware.Recorder.DecodeCalls.
func (c conversation) generate(
	ctx context.Context, m llms.Model, messages []llms.MessageContent, options []llms.CallOption,
) (*llms.ContentResponse, error) {
	response, err := m.GenerateContent(ctx, messages, options...)
	if err != nil || c.rec.Handles() == nil {
		return response, err
	}
	decoded, err := c.rec.DecodeCalls(ctx, argumentsIn(response), func(results []string) ([]any, error) {
		messages = append(slices.Clip(messages), refused(response, results)...)
		var err error
		response, err = m.GenerateContent(ctx, messages, options...)
		return argumentsIn(response), err
	})
	switch {
	case err != nil:
		return nil, err
	case len(decoded) == 0:
		return response, nil
	}
	return withArguments(response, decoded), nil
}

// requests returns the calls of a choice.
func requests(choice *llms.ContentChoice) []llms.ToolCall {
	if len(choice.ToolCalls) == 0 && choice.FuncCall != nil {
		return []llms.ToolCall{{Type: "function", FunctionCall: choice.FuncCall}}
	}
	return choice.ToolCalls // of which FuncCall is the first
}

// argumentsIn returns the arguments of an answer's calls.
func argumentsIn(response *llms.ContentResponse) (arguments []any) {
	if response == nil {
		return nil
	}
	for _, choice := range response.Choices {
		for _, call := range requests(choice) {
			if call.FunctionCall != nil {
				arguments = append(arguments, call.FunctionCall.Arguments)
			}
		}
	}
	return arguments
}

// withArguments returns a copy of an answer with other arguments: models may return one answer
// several times.
func withArguments(response *llms.ContentResponse, arguments []any) *llms.ContentResponse {
	copied := *response
	copied.Choices = slices.Clone(response.Choices)
	for i, choice := range copied.Choices {
		c := *choice
		calls := slices.Clone(requests(choice))
		for j := range calls {
			if calls[j].FunctionCall == nil {
				continue
			}
			f := *calls[j].FunctionCall
			f.Arguments, _ = arguments[0].(string)
			calls[j].FunctionCall, arguments = &f, arguments[1:]
		}
		if c.FuncCall != nil && len(calls) > 0 {
			c.FuncCall = calls[0].FunctionCall
		}
		if len(c.ToolCalls) > 0 {
			c.ToolCalls = calls
		}
		copied.Choices[i] = &c
	}
	return &copied
}

// refused returns the messages for an answer whose calls are not made, with their results.
func refused(response *llms.ContentResponse, results []string) (messages []llms.MessageContent) {
	for _, choice := range response.Choices {
		asked := llms.MessageContent{Role: llms.ChatMessageTypeAI}
		if choice.Content != "" {
			asked.Parts = append(asked.Parts, llms.TextPart(choice.Content))
		}
		var answers []llms.MessageContent
		for _, call := range requests(choice) {
			if call.FunctionCall == nil {
				continue
			}
			asked.Parts = append(asked.Parts, call)
			result := llms.ToolCallResponse{ToolCallID: call.ID, Name: call.FunctionCall.Name, Content: results[0]}
			answers = append(answers, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{result}})
			results = results[1:]
		}
		if len(answers) > 0 {
			messages = append(append(messages, asked), answers...)
		}
	}
	return messages
}

// plan is like generate for an agent: a refused action becomes a step.
func (c conversation) plan(
	ctx context.Context, a agents.Agent, steps []schema.AgentStep, inputs map[string]string, options []chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	actions, finish, err := a.Plan(ctx, steps, inputs, options...)
	if err != nil || c.rec == nil || c.rec.Handles() == nil {
		return actions, finish, err
	}
	decoded, err := c.rec.DecodeCalls(ctx, inputsOf(actions), func(results []string) ([]any, error) {
		steps = slices.Clip(steps)
		for i, result := range results {
			steps = append(steps, schema.AgentStep{Action: actions[i], Observation: result})
		}
		var err error
		actions, finish, err = a.Plan(ctx, steps, inputs, options...)
		return inputsOf(actions), err
	})
	if err != nil {
		return nil, nil, err
	}
	actions = slices.Clone(actions)
	for i := range actions {
		_, rest := splitInput(actions[i].ToolInput)
		input, _ := decoded[i].(string)
		actions[i].ToolInput = input + rest
	}
	return actions, finish, nil
}

func inputsOf(actions []schema.AgentAction) (inputs []any) {
	for _, action := range actions {
		input, _ := splitInput(action.ToolInput)
		inputs = append(inputs, input)
	}
	return inputs
}

// splitInput returns a tool's input and the next line of the format of text agents, with which
// their models may continue.
func splitInput(text string) (input, rest string) {
	const observation = "\nObservation:"
	if input, ok := strings.CutSuffix(text, observation); ok {
		return input, observation
	}
	return text, ""
}

// decodedInput returns the input for the tool of a running call. Errors: *handle.UnknownError.
func decodedInput(ctx context.Context, rec *middleware.Recorder, running *middleware.RunningCall, text string) (string, error) {
	if _, err := running.Arguments(); err != nil {
		return "", err
	}
	input, rest := splitInput(text)
	decoded, err := rec.DecodeArguments(ctx, input)
	if err != nil {
		return "", err
	}
	input, _ = decoded.(string)
	return input + rest, nil
}
