package langchain

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
)

// turnFormat reads and writes a chain's turns, for Window and SessionMemory.
type turnFormat struct {
	list                bool // messages as a list, not as text
	inputKey, outputKey string
	human, ai           string // prefixes of messages in text
}

func newTurnFormat(list bool, inputKey, outputKey, human, ai string) turnFormat {
	return turnFormat{
		list: list, inputKey: inputKey, outputKey: outputKey, human: cmp.Or(human, "Human"), ai: cmp.Or(ai, "AI"),
	}
}

// input returns the user's message of a turn.
func (t turnFormat) input(inputs map[string]any) (string, error) {
	input, err := lcmemory.GetInputValue(inputs, t.inputKey)
	if err != nil {
		return "", fmt.Errorf("langchain: input of turn: %w", err)
	}
	return input, nil
}

// stepsKey is the name of the steps among the outputs of an agents.Executor.
const stepsKey = "intermediateSteps"

// output returns the model's answer of a turn.
func (t turnFormat) output(outputs map[string]any) (string, error) {
	if _, ok := outputs[stepsKey]; ok && t.outputKey == "" {
		outputs = maps.Clone(outputs)
		delete(outputs, stepsKey)
	}
	output, err := lcmemory.GetInputValue(outputs, t.outputKey)
	if err != nil {
		return "", fmt.Errorf("langchain: output of turn: %w", err)
	}
	return output, nil
}

// value returns messages as the value of a prompt's variable.
func (t turnFormat) value(messages []llms.ChatMessage) (any, error) {
	if t.list {
		return messages, nil
	}
	var text []byte
	for i, m := range messages {
		line, err := llms.GetBufferString(messages[i:i+1], t.human, t.ai)
		if err != nil {
			return nil, fmt.Errorf("langchain: writing messages: %w", err)
		}
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(text, line...)
		for _, call := range toolCallsOf(m) {
			if call.FunctionCall != nil {
				text = fmt.Appendf(text, "\n%s(%s)", call.FunctionCall.Name, call.FunctionCall.Arguments)
			}
		}
	}
	return string(text), nil
}

// toolCallsOf returns the tool calls that a message requests.
func toolCallsOf(m llms.ChatMessage) []llms.ToolCall {
	switch m := m.(type) {
	case llms.AIChatMessage:
		return m.ToolCalls
	case *llms.AIChatMessage:
		return m.ToolCalls
	}
	return nil
}
