package llmhttp

import (
	"bytes"
	"slices"
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

func (responsesAPI) calls(item []byte) []call {
	m := object(item)
	c := call{id: string(m["call_id"].of(item))}
	switch string(m["type"].of(item)) {
	case `"function_call"`:
		c.kind, c.arguments = "function_call", present(item, m["arguments"])
	case `"custom_tool_call"`:
		c.kind, c.arguments = "custom_tool_call", present(item, m["input"])
	default:
		return nil
	}
	return []call{c}
}

func (responsesAPI) results(item []byte) []passage {
	m := object(item)
	switch string(m["type"].of(item)) {
	case `"function_call_output"`, `"custom_tool_call_output"`:
		return []passage{{values: textValues(item, m["output"]), isResult: true}}
	}
	return nil
}

func (responsesAPI) answers(response []byte) [][]span {
	return [][]span{elementsIn(response, object(response)["output"])}
}

// repeat leaves out reasoning that the server has not kept.
func (responsesAPI) repeat(item, request []byte) []byte {
	m, r := object(item), object(request)
	if string(m["type"].of(item)) == `"reasoning"` && string(r["store"].of(request)) == "false" && present(item, m["encrypted_content"]) == (span{}) {
		return nil
	}
	return item
}

func (responsesAPI) newResults(calls []call, results []string) (all [][]byte) {
	for i, c := range calls {
		all = append(all, slices.Concat([]byte(`{"type":"`+c.kind+`_output",`+fieldOf("call_id", c.id)+`"output":`), quote(results[i]), []byte("}")))
	}
	return all
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

func (responsesAPI) mayCall(event []byte) bool {
	return bytes.Contains(event, []byte("function_call")) || bytes.Contains(event, []byte("custom_tool_call"))
}

func (a responsesAPI) readEvent(_ *stream, event []byte) (f fragments) {
	e := object(event)
	p := piece{key: string(e["output_index"].of(event)) + "/", rest: e["delta"]}
	switch textOf(e["type"].of(event)) {
	case "response.function_call_arguments.delta":
		f.addPiece(event, e["delta"], p)
	case "response.custom_tool_call_input.delta":
		p.isText = true
		f.addPiece(event, e["delta"], p)
	case "response.function_call_arguments.done":
		f.whole, f.ended = []span{e["arguments"]}, []string{p.key}
	case "response.custom_tool_call_input.done":
		f.whole, f.ended = []span{e["input"]}, []string{p.key}
	case "response.output_item.added":
		f.addCalls(a, event, e["item"])
	case "response.output_item.done":
		f.addCalls(a, event, e["item"])
		f.ended = []string{p.key}
	default:
		if response := e["response"]; response != (span{}) {
			for _, item := range elementsIn(event, within(event, response)["output"]) {
				f.addCalls(a, event, item)
			}
			f.ended = []string{""}
		}
	}
	return f
}
