package vendorapi

import (
	"encoding/json"
	"errors"
	"fmt"
)

// messages is Anthropic Messages.
type messages struct{}

func (messages) read(body []byte) (r Request, stream bool, err error) {
	var b struct {
		Stream    bool            `json:"stream"`
		MaxTokens int             `json:"max_tokens"`
		System    json.RawMessage `json:"system"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return r, false, err
	}
	if b.MaxTokens <= 0 {
		return r, false, errors.New("max_tokens: field required")
	}
	if text, _ := contentOf(b.System); text != "" {
		r.add("system", text)
	}
	for _, m := range b.Messages {
		text, parts := contentOf(m.Content)
		for i := range parts {
			switch {
			case parts[i].isResult() && i > 0 && !parts[i-1].isResult():
				return r, false, errors.New("messages: tool_result blocks must come first")
			case parts[i].isResult():
				m.Role = "tool"
			}
		}
		r.add(m.Role, text)
	}
	return r, b.Stream, nil
}

func (s messages) answer(r Reply, n int) object {
	reason := "end_turn"
	if len(r.Calls) > 0 {
		reason = "tool_use"
	}
	return s.message(n, blocks(r), reason)
}

func (messages) message(n int, content []object, reason any) object {
	return object{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": "fake", "content": content,
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1},
	}
}

// signature is that of all thinking.
const signature = "c2lnbmF0dXJl"

// blocks returns the content of a reply.
func blocks(r Reply) []object {
	content := []object{}
	if r.Thinking != "" {
		content = append(content, object{"type": "thinking", "thinking": r.Thinking, "signature": signature})
	}
	if r.Text != "" {
		content = append(content, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	return content
}

func (s messages) events(r Reply, n int) (events []event) {
	send := func(name string, data object) {
		data["type"] = name
		events = append(events, event{name, data})
	}
	send("message_start", object{"message": s.message(n, []object{}, nil)})
	send("ping", object{})
	for i, block := range blocks(r) {
		begun, deltas := streamed(block)
		send("content_block_start", object{"index": i, "content_block": begun})
		for _, d := range deltas {
			send("content_block_delta", object{"index": i, "delta": d})
		}
		send("content_block_stop", object{"index": i})
	}
	send("message_delta", object{
		"delta": object{"stop_reason": s.answer(r, n)["stop_reason"], "stop_sequence": nil},
		"usage": object{"output_tokens": 1},
	})
	send("message_stop", object{})
	return events
}

// streamed returns a block as it begins, and what is added to it.
func streamed(block object) (begun object, deltas []object) {
	add := func(kind, field, text string) {
		for _, p := range pieces(text) {
			deltas = append(deltas, object{"type": kind, field: p})
		}
	}
	switch block["type"] {
	case "thinking":
		add("thinking_delta", "thinking", block["thinking"].(string))
		deltas = append(deltas, object{"type": "signature_delta", "signature": signature})
		return object{"type": "thinking", "thinking": "", "signature": ""}, deltas
	case "text":
		add("text_delta", "text", block["text"].(string))
		return object{"type": "text", "text": ""}, deltas
	default:
		deltas = append(deltas, object{"type": "input_json_delta", "partial_json": ""})
		add("input_json_delta", "partial_json", string(block["input"].(json.RawMessage)))
		return object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}, deltas
	}
}

func (messages) failure(_ int, text string) object {
	return object{"type": "error", "error": object{"type": "api_error", "message": text}}
}
