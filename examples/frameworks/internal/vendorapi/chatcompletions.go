package vendorapi

import (
	"encoding/json"
	"fmt"
)

// chatCompletions is OpenAI Chat Completions.
type chatCompletions struct{}

func (chatCompletions) read(body []byte) (r Request, stream bool, err error) {
	var b struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			ToolCalls []struct {
				Function struct {
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return r, false, err
	}
	for _, m := range b.Messages {
		text, _ := contentOf(m.Content)
		for _, c := range m.ToolCalls {
			text += "\n" + c.Function.Arguments
		}
		r.add(m.Role, text)
	}
	return r, b.Stream, nil
}

func (chatCompletions) answer(r Reply, n int) object {
	message := object{"role": "assistant", "content": nil, "refusal": nil, "annotations": []any{}}
	if r.Text != "" {
		message["content"] = r.Text
	}
	var calls []any
	for _, c := range r.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return object{
		"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion", "created": 1767225600, "model": "fake",
		"choices": []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": finishReason(r)}},
		"usage":   object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	}
}

func finishReason(r Reply) string {
	if len(r.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (chatCompletions) events(r Reply, n int) (events []event) {
	send := func(delta object, finish any) {
		events = append(events, event{data: object{
			"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion.chunk", "created": 1767225600, "model": "fake",
			"choices": []any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}},
		}})
	}
	send(object{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(r.Text) {
		send(object{"content": p}, nil)
	}
	for i, c := range r.Calls {
		send(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Arguments) {
			send(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	send(object{}, finishReason(r))
	return append(events, event{data: "[DONE]"})
}

func (chatCompletions) failure(_ int, text string) object {
	return object{"error": object{"message": text, "type": "server_error", "param": nil, "code": nil}}
}
