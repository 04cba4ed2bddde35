// Package scriptedllm is the scripted model as a langchaingo model, for the examples.
package scriptedllm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/scripted"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Model answers with native tool calls if it is offered functions, in the format of the ReAct
// prompt if asked to, and with text otherwise. It keeps no state between calls.
type Model struct{}

var _ llms.Model = Model{}

// GenerateContent answers a prompt.
func (Model) GenerateContent(
	_ context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	var choice llms.ContentChoice
	plain := flatten(messages)
	switch last := plain[len(plain)-1].Content; {
	case len(opts.Functions) > 0:
		choice = native(scripted.Next(plain), len(messages))
	case strings.Contains(last, "Action Input:"):
		choice.Content = react(scripted.Next(readReact(plain)))
	default:
		choice.Content = scripted.Next(plain).Answer
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{&choice}}, nil
}

// Call answers a prompt of text.
func (m Model) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
}

// Tools returns a site's tools as langchaingo tools.
func Tools(site *cms.Site) []tools.Tool {
	var out []tools.Tool
	for _, t := range site.Tools() {
		out = append(out, t)
	}
	return out
}

func flatten(messages []llms.MessageContent) []prompt.Message {
	roles := map[llms.ChatMessageType]string{
		llms.ChatMessageTypeSystem: "system", llms.ChatMessageTypeAI: "assistant", llms.ChatMessageTypeTool: "tool",
	}
	var out []prompt.Message
	for _, msg := range messages {
		m := prompt.Message{Role: roles[msg.Role]}
		if m.Role == "" {
			m.Role = "user"
		}
		for _, part := range msg.Parts {
			switch part := part.(type) {
			case llms.TextContent:
				m.Content += part.Text
			case llms.ToolCallResponse:
				m.Content += part.Content
			}
		}
		out = append(out, m)
	}
	return out
}

// native returns a step as a tool call with one text argument, as
// agents.OpenAIFunctionsAgent declares its tools.
func native(step scripted.Step, n int) llms.ContentChoice {
	if step.Tool == "" {
		return llms.ContentChoice{Content: step.Answer}
	}
	return llms.ContentChoice{ToolCalls: []llms.ToolCall{{
		ID: fmt.Sprintf("call_%d", n), Type: "function",
		FunctionCall: &llms.FunctionCall{Name: step.Tool, Arguments: encode(map[string]string{"__arg1": encode(step.Args)})},
	}}}
}

// readReact extracts the question, and the observation if any, from a ReAct prompt.
func readReact(messages []prompt.Message) []prompt.Message {
	last := messages[len(messages)-1]
	_, text, _ := strings.Cut(last.Content, "Begin!")
	_, question, _ := strings.Cut(text, "Question: ")
	question, scratchpad, _ := strings.Cut(question, "\n")
	out := append(messages[:len(messages)-1:len(messages)-1], prompt.Message{Role: "user", Content: question})
	if _, observation, ok := strings.Cut(scratchpad, "Observation: "); ok {
		out = append(out, prompt.Message{Role: "tool", Content: observation})
	}
	return out
}

func react(step scripted.Step) string {
	if step.Tool == "" {
		return "Thought: I now know the final answer\nFinal Answer: " + step.Answer
	}
	return "Thought: I need a tool\nAction: " + step.Tool + "\nAction Input: " + encode(step.Args)
}

func encode(args map[string]string) string {
	text, _ := json.Marshal(args) // a map of strings always marshals
	return string(text)
}
