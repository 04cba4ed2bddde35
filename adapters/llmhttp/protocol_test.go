package llmhttp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

type object = map[string]any

// protocol writes the requests of an API as a small client does, and reads them as a server.
type protocol struct {
	name, path string
	noIDs      bool
	// request returns a body for messages that user, answer and results returned.
	request func(system string, messages []any) object
	user    func(text string) any
	answer  func(reply adaptertest.Reply) any
	results func(calls []adaptertest.Call, texts []string, failed []bool) []any
	// read returns what a request says.
	read func(body object) adaptertest.Request
	// respond returns a response with what answer returned, and events a streamed one.
	respond func(answer any) object
	events  func(reply adaptertest.Reply) []string
	// reply returns what a response says, and replyTo what the events of a stream add to it.
	reply   func(response object) adaptertest.Reply
	replyTo func(reply *adaptertest.Reply, event object)
}

// protocols are those of the package.
var protocols []protocol

func init() { // whose functions refer to them
	responses.events, responses.replyTo = responsesEvents, responsesReplyTo
	gemini.events, gemini.replyTo = geminiEvents, geminiReplyTo
	protocols = []protocol{chat, responses, anthropic, gemini}
}

// pathOf returns the path for plain or streamed answers.
func (p *protocol) pathOf(stream bool) string {
	if stream {
		return strings.Replace(p.path, ":generateContent", ":streamGenerateContent", 1)
	}
	return p.path
}

func arguments(c adaptertest.Call) (value any) {
	_ = json.Unmarshal([]byte(c.Arguments), &value)
	return value
}

// list returns the elements of a list, or none.
func list(v any) []object {
	if v == nil {
		return nil
	}
	var all []object
	for _, e := range v.([]any) {
		all = append(all, e.(object))
	}
	return all
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // made of JSON
	}
	return string(text)
}

// textOf returns a content: a text, or the texts of parts.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, p := range list(v) {
			switch {
			case p["text"] != nil:
				texts = append(texts, p["text"].(string))
			case p["content"] != nil:
				texts = append(texts, textOf(p["content"]))
			default:
				for _, name := range []string{"functionResponse", "functionCall", "input"} {
					if p[name] != nil {
						texts = append(texts, encode(p[name]))
					}
				}
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

var chat = protocol{
	name: "chat", path: "/v1/chat/completions",
	request: func(system string, messages []any) object {
		return object{"model": "m", "messages": append([]any{object{"role": "system", "content": system}}, messages...)}
	},
	user: func(text string) any { return object{"role": "user", "content": text} },
	answer: func(r adaptertest.Reply) any {
		m := object{"role": "assistant", "content": r.Text}
		var calls []any
		for _, c := range r.Calls {
			calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
		}
		if calls != nil {
			m["tool_calls"] = calls
		}
		return m
	},
	results: func(calls []adaptertest.Call, texts []string, _ []bool) (all []any) {
		for i, c := range calls {
			all = append(all, object{"role": "tool", "tool_call_id": c.ID, "content": texts[i]})
		}
		return all
	},
	read: func(body object) (r adaptertest.Request) {
		for _, m := range list(body["messages"]) {
			text := textOf(m["content"])
			for _, c := range list(m["tool_calls"]) {
				text += "\n" + c["function"].(object)["arguments"].(string)
			}
			if m["role"] == "system" {
				r.System += text
			} else {
				r.Messages = append(r.Messages, prompt.Message{Role: m["role"].(string), Content: text})
			}
		}
		return r
	},
	respond: func(answer any) object {
		return object{"id": "c", "choices": []any{object{"index": 0, "message": answer, "finish_reason": "stop"}}}
	},
	events: chatEvents,
	reply: func(response object) (r adaptertest.Reply) {
		m := list(response["choices"])[0]["message"].(object)
		r.Text = textOf(m["content"])
		for _, c := range list(m["tool_calls"]) {
			f := c["function"].(object)
			r.Calls = append(r.Calls, adaptertest.Call{ID: c["id"].(string), Name: f["name"].(string), Arguments: f["arguments"].(string)})
		}
		return r
	},
	replyTo: func(r *adaptertest.Reply, event object) {
		delta := list(event["choices"])[0]["delta"].(object)
		r.Text += textOf(delta["content"])
		for _, c := range list(delta["tool_calls"]) {
			n := int(c["index"].(float64))
			f := c["function"].(object)
			if n == len(r.Calls) {
				r.Calls = append(r.Calls, adaptertest.Call{ID: c["id"].(string), Name: f["name"].(string)})
			}
			r.Calls[n].Arguments += f["arguments"].(string)
		}
	},
}

func chatEvents(r adaptertest.Reply) (events []string) {
	send := func(delta object, finish any) {
		events = append(events, "data: "+encode(object{"id": "c", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})+"\n\n")
	}
	for _, p := range pieces(r.Text) {
		send(object{"content": p}, nil)
	}
	for i, c := range r.Calls {
		send(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Arguments) {
			send(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	send(object{}, "stop")
	return append(events, "data: [DONE]\n\n")
}

var responses = protocol{
	name: "responses", path: "/v1/responses",
	request: func(system string, messages []any) object {
		var items []any
		for _, m := range messages {
			if several, ok := m.([]any); ok {
				items = append(items, several...)
			} else {
				items = append(items, m)
			}
		}
		return object{"model": "m", "instructions": system, "input": items}
	},
	user: func(text string) any { return object{"role": "user", "content": text} },
	answer: func(r adaptertest.Reply) any {
		var items []any
		for _, c := range r.Calls {
			items = append(items, object{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": c.Arguments})
		}
		if r.Text != "" {
			items = append(items, object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": r.Text}}})
		}
		return items
	},
	results: func(calls []adaptertest.Call, texts []string, _ []bool) (all []any) {
		for i, c := range calls {
			all = append(all, object{"type": "function_call_output", "call_id": c.ID, "output": texts[i]})
		}
		return all
	},
	read: func(body object) (r adaptertest.Request) {
		r.System, _ = body["instructions"].(string)
		for _, m := range list(body["input"]) {
			role, _ := m["role"].(string)
			text := textOf(m["content"])
			switch m["type"] {
			case "function_call_output":
				role, text = "tool", m["output"].(string)
			case "function_call":
				role, text = "assistant", m["arguments"].(string)
			}
			r.Messages = append(r.Messages, prompt.Message{Role: role, Content: text})
		}
		return r
	},
	respond: func(answer any) object { return object{"id": "r", "output": answer} },
	reply: func(response object) (r adaptertest.Reply) {
		for _, item := range list(response["output"]) {
			if item["type"] == "function_call" {
				r.Calls = append(r.Calls, adaptertest.Call{ID: item["call_id"].(string), Name: item["name"].(string), Arguments: item["arguments"].(string)})
			} else {
				r.Text += textOf(item["content"])
			}
		}
		return r
	},
}

func responsesReplyTo(r *adaptertest.Reply, event object) {
	item, _ := event["item"].(object)
	switch event["type"] {
	case "response.output_text.delta":
		r.Text += event["delta"].(string)
	case "response.output_item.added":
		r.Calls = append(r.Calls, adaptertest.Call{ID: item["call_id"].(string), Name: item["name"].(string)})
	case "response.function_call_arguments.delta":
		r.Calls[len(r.Calls)-1].Arguments += event["delta"].(string)
	case "response.function_call_arguments.done":
		requireSame(r.Calls[len(r.Calls)-1].Arguments, event["arguments"])
	case "response.output_item.done":
		requireSame(r.Calls[len(r.Calls)-1].Arguments, item["arguments"])
	case "response.completed":
		for i, c := range responses.reply(event["response"].(object)).Calls {
			requireSame(r.Calls[i].Arguments, c.Arguments)
		}
	}
}

// requireSame checks that all events of a stream say the same.
func requireSame(a string, b any) {
	if a != b {
		panic(fmt.Sprintf("%q is not %q", a, b))
	}
}

func responsesEvents(r adaptertest.Reply) (events []string) {
	send := func(name string, data object) {
		data["type"], data["sequence_number"] = name, len(events)
		events = append(events, "event: "+name+"\ndata: "+encode(data)+"\n\n")
	}
	send("response.created", object{"response": object{"output": []any{}}})
	for _, p := range pieces(r.Text) {
		send("response.output_text.delta", object{"delta": p})
	}
	for i, c := range r.Calls {
		item := func(arguments string) object {
			return object{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": arguments}
		}
		send("response.output_item.added", object{"output_index": i, "item": item("")})
		for _, p := range pieces(c.Arguments) {
			send("response.function_call_arguments.delta", object{"output_index": i, "delta": p})
		}
		send("response.function_call_arguments.done", object{"output_index": i, "arguments": c.Arguments})
		send("response.output_item.done", object{"output_index": i, "item": item(c.Arguments)})
	}
	send("response.completed", object{"response": responses.respond(responses.answer(r))})
	return events
}

var anthropic = protocol{
	name: "messages", path: "/v1/messages",
	request: func(system string, messages []any) object {
		return object{"model": "m", "max_tokens": 100, "system": []any{object{"type": "text", "text": system}}, "messages": messages}
	},
	user: func(text string) any { return object{"role": "user", "content": text} },
	answer: func(r adaptertest.Reply) any {
		var blocks []any
		if r.Text != "" {
			blocks = append(blocks, object{"type": "text", "text": r.Text})
		}
		for _, c := range r.Calls {
			blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": arguments(c)})
		}
		return object{"role": "assistant", "content": blocks}
	},
	results: func(calls []adaptertest.Call, texts []string, failed []bool) []any {
		var blocks []any
		for i, c := range calls {
			blocks = append(blocks, object{"type": "tool_result", "tool_use_id": c.ID, "content": texts[i], "is_error": failed[i]})
		}
		return []any{object{"role": "user", "content": blocks}}
	},
	read: func(body object) (r adaptertest.Request) {
		r.System = textOf(body["system"])
		for _, m := range list(body["messages"]) {
			role := m["role"].(string)
			if strings.Contains(fmt.Sprint(m["content"]), "tool_result") {
				role = "tool"
			}
			r.Messages = append(r.Messages, prompt.Message{Role: role, Content: textOf(m["content"])})
		}
		return r
	},
	respond: func(answer any) object { return answer.(object) },
	events:  messagesEvents,
	reply: func(response object) (r adaptertest.Reply) {
		for _, b := range list(response["content"]) {
			if b["type"] == "tool_use" {
				r.Calls = append(r.Calls, adaptertest.Call{ID: b["id"].(string), Name: b["name"].(string), Arguments: encode(b["input"])})
			} else {
				r.Text += b["text"].(string)
			}
		}
		return r
	},
	replyTo: func(r *adaptertest.Reply, event object) {
		block, _ := event["content_block"].(object)
		delta, _ := event["delta"].(object)
		switch {
		case block["type"] == "tool_use":
			r.Calls = append(r.Calls, adaptertest.Call{ID: block["id"].(string), Name: block["name"].(string)})
		case delta["type"] == "text_delta":
			r.Text += delta["text"].(string)
		case delta["type"] == "input_json_delta":
			r.Calls[len(r.Calls)-1].Arguments += delta["partial_json"].(string)
		}
	},
}

func messagesEvents(r adaptertest.Reply) (events []string) {
	send := func(name string, data object) {
		data["type"] = name
		events = append(events, "event: "+name+"\ndata: "+encode(data)+"\n\n")
	}
	send("message_start", object{"message": object{"role": "assistant", "content": []any{}}})
	send("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
	for _, p := range pieces(r.Text) {
		send("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": p}})
	}
	send("content_block_stop", object{"index": 0})
	for i, c := range r.Calls {
		send("content_block_start", object{"index": i + 1, "content_block": object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}})
		for _, p := range pieces(c.Arguments) {
			send("content_block_delta", object{"index": i + 1, "delta": object{"type": "input_json_delta", "partial_json": p}})
		}
		send("content_block_stop", object{"index": i + 1})
	}
	send("message_stop", object{})
	return events
}

var gemini = protocol{
	name: "gemini", path: "/v1beta/models/m:generateContent", noIDs: true,
	request: func(system string, messages []any) object {
		return object{"contents": messages, "systemInstruction": object{"parts": []any{object{"text": system}}}}
	},
	user: func(text string) any { return object{"role": "user", "parts": []any{object{"text": text}}} },
	answer: func(r adaptertest.Reply) any {
		var parts []any
		if r.Text != "" {
			parts = append(parts, object{"text": r.Text})
		}
		for _, c := range r.Calls {
			parts = append(parts, object{"functionCall": object{"name": c.Name, "args": arguments(c)}})
		}
		return object{"role": "model", "parts": parts}
	},
	results: func(calls []adaptertest.Call, texts []string, failed []bool) []any {
		var parts []any
		for i, c := range calls {
			field := map[bool]string{false: "output", true: "error"}[failed[i]]
			parts = append(parts, object{"functionResponse": object{"name": c.Name, "response": object{field: texts[i]}}})
		}
		return []any{object{"role": "user", "parts": parts}}
	},
	read: func(body object) (r adaptertest.Request) {
		r.System = textOf(body["systemInstruction"].(object)["parts"])
		for _, m := range list(body["contents"]) {
			role, _ := m["role"].(string)
			if strings.Contains(fmt.Sprint(m["parts"]), "functionResponse") {
				role = "tool"
			}
			r.Messages = append(r.Messages, prompt.Message{Role: role, Content: textOf(m["parts"])})
		}
		return r
	},
	respond: func(answer any) object { return object{"candidates": []any{object{"content": answer}}} },
	reply: func(response object) (r adaptertest.Reply) {
		for _, p := range list(list(response["candidates"])[0]["content"].(object)["parts"]) {
			if c, ok := p["functionCall"].(object); ok {
				r.Calls = append(r.Calls, adaptertest.Call{Name: c["name"].(string), Arguments: encode(c["args"])})
			} else {
				r.Text += p["text"].(string)
			}
		}
		return r
	},
}

func geminiEvents(r adaptertest.Reply) (events []string) {
	for _, p := range pieces(r.Text) {
		events = append(events, "data: "+encode(object{"candidates": []any{object{"content": object{"parts": []any{object{"text": p}}}}}})+"\r\n\r\n")
	}
	r.Text = ""
	return append(events, "data: "+encode(geminiResponse(r))+"\r\n\r\n")
}

func geminiResponse(r adaptertest.Reply) object { return gemini.respond(gemini.answer(r)) }

func geminiReplyTo(r *adaptertest.Reply, event object) {
	more := gemini.reply(event)
	r.Text, r.Calls = r.Text+more.Text, append(r.Calls, more.Calls...)
}

// pieces splits a text as streams do, anywhere in a word.
func pieces(text string) (all []string) {
	for piece := range slices.Chunk([]rune(text), 3) {
		all = append(all, string(piece))
	}
	return all
}
