package vendorapi

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// responses is OpenAI Responses.
type responses struct{}

func (responses) read(body []byte) (r Request, stream bool, err error) {
	var b struct {
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return r, false, err
	}
	if b.Instructions != "" {
		r.add("system", b.Instructions)
	}
	if bytes.HasPrefix(b.Input, []byte(`"`)) {
		text, _ := contentOf(b.Input)
		r.add("user", text)
		return r, b.Stream, nil
	}
	var items []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`

		Arguments string `json:"arguments"`
	}
	if err := json.Unmarshal(b.Input, &items); err != nil {
		return r, false, err
	}
	for _, item := range items {
		switch item.Type {
		case "", "message":
			text, _ := contentOf(item.Content)
			r.add(item.Role, text)
		case "function_call_output":
			text, _ := contentOf(item.Output)
			r.add("tool", text)
		default:
			r.add("assistant", item.Arguments)
		}
	}
	return r, b.Stream, nil
}

func (s responses) answer(r Reply, n int) object {
	output := []any{}
	for i := range items(r) {
		output = append(output, s.item(r, n, i, "completed"))
	}
	return s.response(n, "completed", output)
}

func (responses) response(n int, status string, output []any) object {
	return object{
		"id": fmt.Sprintf("resp_%d", n), "object": "response", "created_at": 1767225600, "status": status, "model": "fake",
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "output": output,
		"parallel_tool_calls": true, "previous_response_id": nil, "temperature": 1, "tool_choice": "auto", "tools": []any{}, "top_p": 1,
		"usage": object{"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2},
	}
}

// itemKind is what an item of the output is: an index of Reply.Calls, or one of these.
type itemKind int

const (
	reasoningItem itemKind = -2
	messageItem   itemKind = -1
)

// items returns the items of the output for a reply.
func items(r Reply) (kinds []itemKind) {
	if r.Thinking != "" {
		kinds = append(kinds, reasoningItem)
	}
	if r.Text != "" {
		kinds = append(kinds, messageItem)
	}
	for i := range r.Calls {
		kinds = append(kinds, itemKind(i))
	}
	return kinds
}

// item returns the item at an index, without its text or arguments while it is in progress.
func (responses) item(r Reply, n, index int, status string) object {
	id := fmt.Sprintf("_%d_%d", n, index)
	complete := status == "completed"
	switch kind := items(r)[index]; kind {
	case reasoningItem:
		item := object{"id": "rs" + id, "type": "reasoning", "summary": []any{}}
		if complete {
			item["summary"] = []any{object{"type": "summary_text", "text": r.Thinking}}
		}
		return item
	case messageItem:
		item := object{"id": "msg" + id, "type": "message", "status": status, "role": "assistant", "content": []any{}}
		if complete {
			item["content"] = []any{outputText(r.Text)}
		}
		return item
	default:
		c := r.Calls[kind]
		item := object{"id": "fc" + id, "type": "function_call", "status": status, "call_id": c.ID, "name": c.Name, "arguments": ""}
		if complete {
			item["arguments"] = c.Arguments
		}
		return item
	}
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (s responses) events(r Reply, n int) (events []event) {
	send := func(name string, data object) {
		data["type"], data["sequence_number"] = name, len(events)
		events = append(events, event{name, data})
	}
	send("response.created", object{"response": s.response(n, "in_progress", []any{})})
	send("response.in_progress", object{"response": s.response(n, "in_progress", []any{})})
	for i, kind := range items(r) {
		begun := s.item(r, n, i, "in_progress")
		sendOf := func(name string, data object) {
			data["item_id"], data["output_index"] = begun["id"], i
			send(name, data)
		}
		send("response.output_item.added", object{"output_index": i, "item": begun})
		switch kind {
		case reasoningItem:
			sendReasoning(sendOf, r.Thinking)
		case messageItem:
			sendText(sendOf, r.Text)
		default:
			for _, p := range pieces(r.Calls[kind].Arguments) {
				sendOf("response.function_call_arguments.delta", object{"delta": p})
			}
			sendOf("response.function_call_arguments.done", object{"name": r.Calls[kind].Name, "arguments": r.Calls[kind].Arguments})
		}
		send("response.output_item.done", object{"output_index": i, "item": s.item(r, n, i, "completed")})
	}
	send("response.completed", object{"response": s.answer(r, n)})
	return events
}

func sendReasoning(send func(string, object), text string) {
	send("response.reasoning_summary_part.added", object{"summary_index": 0, "part": object{"type": "summary_text", "text": ""}})
	for _, p := range pieces(text) {
		send("response.reasoning_summary_text.delta", object{"summary_index": 0, "delta": p})
	}
	send("response.reasoning_summary_text.done", object{"summary_index": 0, "text": text})
	send("response.reasoning_summary_part.done", object{"summary_index": 0, "part": object{"type": "summary_text", "text": text}})
}

func sendText(send func(string, object), text string) {
	send("response.content_part.added", object{"content_index": 0, "part": outputText("")})
	for _, p := range pieces(text) {
		send("response.output_text.delta", object{"content_index": 0, "delta": p, "logprobs": []any{}})
	}
	send("response.output_text.done", object{"content_index": 0, "text": text, "logprobs": []any{}})
	send("response.content_part.done", object{"content_index": 0, "part": outputText(text)})
}

func (responses) failure(status int, text string) object {
	return chatCompletions{}.failure(status, text)
}
