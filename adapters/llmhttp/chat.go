package llmhttp

import (
	"bytes"
	"slices"
	"strconv"
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

func (chatAPI) calls(message []byte) (all []call) {
	m := object(message)
	for _, c := range elementsIn(message, m["tool_calls"]) {
		all = append(all, chatCallOf(message, within(message, c)))
	}
	if function := present(message, m["function_call"]); function != (span{}) {
		all = append(all, chatCallOf(message, map[string]span{"function_call": function}))
	}
	return all
}

// chatCallOf returns a call by its fields.
func chatCallOf(message []byte, fields map[string]span) call {
	for _, kind := range []string{"function", "custom", "function_call"} {
		if at, ok := fields[kind]; ok {
			f := within(message, at)
			c := call{kind: kind, id: string(fields["id"].of(message)), name: string(f["name"].of(message)), arguments: f["arguments"]}
			if kind == "custom" {
				c.arguments = f["input"]
			}
			c.arguments = present(message, c.arguments)
			return c
		}
	}
	return call{id: string(fields["id"].of(message))}
}

func (chatAPI) results(message []byte) []passage {
	m := object(message)
	switch string(m["role"].of(message)) {
	case `"tool"`, `"function"`:
		return []passage{{values: textValues(message, m["content"]), isResult: true}}
	}
	return nil
}

func (chatAPI) answers(response []byte) (all [][]span) {
	for _, choice := range elementsIn(response, object(response)["choices"]) {
		if m := within(response, choice)["message"]; m != (span{}) {
			all = append(all, []span{m})
		}
	}
	return all
}

func (chatAPI) repeat(message, _ []byte) []byte { return message }

func (chatAPI) newResults(calls []call, results []string) (all [][]byte) {
	for i, c := range calls {
		head := `{"role":"tool",` + fieldOf("tool_call_id", c.id)
		if c.kind == "function_call" {
			head = `{"role":"function",` + fieldOf("name", c.name)
		}
		all = append(all, slices.Concat([]byte(head+`"content":`), quote(results[i]), []byte("}")))
	}
	return all
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

func (chatAPI) mayCall(event []byte) bool {
	return bytes.Contains(event, []byte("tool_calls")) || bytes.Contains(event, []byte("function_call"))
}

func (a chatAPI) readEvent(_ *stream, event []byte) (f fragments) {
	choices := object(event)["choices"]
	for i, at := range elementsIn(event, choices) {
		choice := within(event, at)
		index := indexOf(event, choice, i)
		begin, end := `[{"index":`+index+`,"delta":{`, `},"finish_reason":null}]`
		delta := within(event, choice["delta"])
		for j, at := range elementsIn(event, delta["tool_calls"]) {
			c := within(event, at)
			n := indexOf(event, c, j)
			f.addPiece(event, within(event, c["function"])["arguments"], piece{
				key: index + "/" + n + "/", rest: choices,
				head: begin + `"tool_calls":[{"index":` + n + `,"function":{"arguments":`, tail: "}}]" + end,
			})
			f.addPiece(event, within(event, c["custom"])["input"], piece{
				key: index + "/" + n + "/", rest: choices, isText: true,
				head: begin + `"tool_calls":[{"index":` + n + `,"custom":{"input":`, tail: "}}]" + end,
			})
		}
		f.addPiece(event, within(event, delta["function_call"])["arguments"], piece{
			key: index + "//", rest: choices, head: begin + `"function_call":{"arguments":`, tail: "}" + end,
		})
		f.addCalls(a, event, choice["message"])
		if present(event, choice["finish_reason"]) != (span{}) {
			f.ended = append(f.ended, index+"/")
		}
	}
	return f
}

// indexOf returns the field "index" of an object, or else its number in a list.
func indexOf(event []byte, fields map[string]span, number int) string {
	if at, ok := fields["index"]; ok {
		return string(at.of(event))
	}
	return strconv.Itoa(number)
}
