package llmhttp

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// chatAPI is OpenAI Chat Completions, and its imitations.
type chatAPI struct{}

var _ api = chatAPI{}

func (chatAPI) name() string         { return "chat completions" }
func (chatAPI) listField() string    { return "messages" }
func (chatAPI) systemMessages() bool { return true }

// chatMessage is a message of any role.
type chatMessage struct {
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"`
	ToolCalls []struct {
		ID       string    `json:"id"`
		Function *chatCall `json:"function"`
		Custom   *chatCall `json:"custom"`
	} `json:"tool_calls"`
	FunctionCall *chatCall `json:"function_call"` // before there were tools
	ToolCallID   string    `json:"tool_call_id"`
	Name         string    `json:"name"`
}

type chatCall struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Input     jsontext.Value `json:"input"` // of a custom tool
}

func (c *chatCall) toolCall(id string) middleware.ToolCall {
	arguments := c.Arguments
	if arguments == nil {
		arguments = c.Input
	}
	return middleware.ToolCall{ID: id, Name: c.Name, Arguments: plain(arguments)}
}

func (chatAPI) readMessage(t *transcript, raw []byte) prompt.Message {
	var m chatMessage
	if !unmarshal(raw, &m) {
		return prompt.Message{}
	}
	texts := textsOf(m.Content)
	switch m.Role {
	case "system", "developer":
		if !t.hasSystem {
			t.hasSystem, t.developer = true, m.Role == "developer"
		}
		return prompt.Message{Role: "system", Content: strings.Join(texts, "\n")}
	case "user":
		t.said("user", texts)
		return prompt.Message{Role: "user"}
	case "tool":
		t.result(m.ToolCallID, "", texts, false)
		return prompt.Message{Role: "tool"}
	case "function":
		t.result("", m.Name, texts, false)
		return prompt.Message{Role: "tool"}
	case "assistant":
		var calls []middleware.ToolCall
		for _, c := range m.ToolCalls {
			switch {
			case c.Function != nil:
				calls = append(calls, c.Function.toolCall(c.ID))
			case c.Custom != nil:
				calls = append(calls, c.Custom.toolCall(c.ID))
			}
		}
		if m.FunctionCall != nil {
			calls = append(calls, m.FunctionCall.toolCall(""))
		}
		t.history.AddRequests(calls...)
		t.said("assistant", texts)
		return prompt.Message{Role: "assistant"}
	}
	return prompt.Message{}
}

func (chatAPI) newMessage(text string, dev bool) []byte { return systemMessage(text, dev) }

// systemMessage returns a system message of the APIs of OpenAI.
func systemMessage(text string, developer bool) []byte {
	role := "system"
	if developer {
		role = "developer"
	}
	return messageOf(role, quote(text))
}

// messageOf returns a message, as OpenAI and Anthropic have it, with a content that is JSON.
func messageOf(role string, content []byte) []byte {
	return slices.Concat([]byte(`{"role":"`+role+`","content":`), content, []byte("}"))
}
