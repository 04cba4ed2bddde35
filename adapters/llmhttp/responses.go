package llmhttp

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// responsesAPI is OpenAI Responses.
type responsesAPI struct{}

var (
	_ api       = responsesAPI{}
	_ systemAPI = responsesAPI{}
	_ textAPI   = responsesAPI{}
)

func (responsesAPI) name() string         { return "responses" }
func (responsesAPI) listField() string    { return "input" }
func (responsesAPI) systemField() string  { return "instructions" }
func (responsesAPI) systemMessages() bool { return true }

// responsesItem is an item of the input, of any type.
type responsesItem struct {
	Type    string         `json:"type"`
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`

	ID          string         `json:"id"`
	CallID      string         `json:"call_id"`
	Name        string         `json:"name"`
	Arguments   jsontext.Value `json:"arguments"`
	Input       jsontext.Value `json:"input"` // of a custom tool
	Output      jsontext.Value `json:"output"`
	Error       jsontext.Value `json:"error"`        // of mcp_call
	ServerLabel string         `json:"server_label"` // of mcp_call
}

func (responsesAPI) readMessage(t *transcript, raw []byte) prompt.Message {
	var m responsesItem
	if !unmarshal(raw, &m) {
		return prompt.Message{}
	}
	switch m.Type {
	case "", "message":
		return m.readMessage(t)
	case "function_call":
		t.history.AddRequests(middleware.ToolCall{ID: m.CallID, Name: m.Name, Arguments: plain(m.Arguments)})
	case "custom_tool_call":
		t.history.AddRequests(middleware.ToolCall{ID: m.CallID, Name: m.Name, Arguments: plain(m.Input)})
	case "function_call_output", "custom_tool_call_output":
		t.result(m.CallID, "", textsOf(m.Output), false)
		return prompt.Message{Role: "tool"}
	case "mcp_call": // called by the server
		t.history.AddRequests(middleware.ToolCall{ID: m.ID, Name: m.Name, Source: m.ServerLabel, Arguments: plain(m.Arguments)})
		failed := len(m.Error) > 0 && m.Error.Kind() != 'n'
		if failed {
			m.Output = m.Error
		}
		if len(m.Output) > 0 {
			t.result(m.ID, m.Name, textsOf(m.Output), failed)
		}
	case "reasoning":
		t.history.AddRequests()
	default:
		return prompt.Message{}
	}
	return prompt.Message{Role: "assistant"}
}

func (m *responsesItem) readMessage(t *transcript) prompt.Message {
	texts := textsOf(m.Content)
	switch m.Role {
	case "system", "developer":
		return prompt.Message{Role: "system", Content: strings.Join(texts, "\n")}
	case "assistant":
		t.history.AddRequests()
	case "user":
	default:
		return prompt.Message{}
	}
	t.said(m.Role, texts)
	return prompt.Message{Role: m.Role}
}

// readText reads an input that is one text of the user.
func (responsesAPI) readText(t *transcript, raw []byte) bool {
	if raw[0] != '"' {
		return false
	}
	t.said("user", textsOf(raw))
	return true
}

func (responsesAPI) newSystem(text string) []byte { return quote(text) }

func (responsesAPI) editSystem(s *splices, body []byte, value span, text string) {
	editText(s, body, value, text, nil)
}

func (responsesAPI) newMessage(text string, developer bool) []byte {
	return systemMessage(text, developer)
}

func (responsesAPI) newList(raw []byte) []byte {
	return messageOf("user", raw)
}
