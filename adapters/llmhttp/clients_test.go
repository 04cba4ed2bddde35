package llmhttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/middleware"
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
}

// protocols are those of the package.
var protocols = []protocol{chat, responses, anthropic, gemini}

func arguments(c adaptertest.Call) (value any) {
	_ = json.Unmarshal([]byte(c.Arguments), &value)
	return value
}

func list(v any) []object {
	var all []object
	for _, e := range v.([]any) {
		all = append(all, e.(object))
	}
	return all
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
			case p["functionResponse"] != nil:
				encoded, _ := json.Marshal(p["functionResponse"])
				texts = append(texts, string(encoded))
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
			if text := textOf(m["content"]); m["role"] == "system" {
				r.System += text
			} else {
				r.Messages = append(r.Messages, prompt.Message{Role: m["role"].(string), Content: text})
			}
		}
		return r
	},
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
			if m["type"] == "function_call_output" {
				role, text = "tool", m["output"].(string)
			}
			r.Messages = append(r.Messages, prompt.Message{Role: role, Content: text})
		}
		return r
	},
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
}

// client is an agent that talks to a server of its own.
type client struct {
	adaptertest.Setup
	protocol
	http *http.Client
	url  string

	mu       sync.Mutex
	messages []any
}

// newClient returns an agent whose http.Client has the transport, and whose server asks s.Model.
func newClient(tb testing.TB, p protocol, s adaptertest.Setup, t http.RoundTripper) *client {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body object
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(raw, &body)
		}
		if err != nil || r.URL.Path != p.path {
			tb.Errorf("%s %s: %v", r.URL.Path, raw, err)
		}
		reply, err := s.Model(r.Context(), p.read(body))
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(reply)
	}))
	tb.Cleanup(server.Close)
	return &client{Setup: s, protocol: p, http: &http.Client{Transport: t}, url: server.URL + p.path}
}

func (c *client) Say(ctx context.Context, text string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.History {
		c.messages = nil
	}
	c.messages = append(c.messages, c.user(text))
	for {
		reply, err := c.ask(ctx)
		if err != nil {
			return "", err
		}
		c.messages = append(c.messages, c.answer(reply))
		if len(reply.Calls) == 0 {
			return reply.Text, nil
		}
		var texts []string
		var failed []bool
		for _, call := range reply.Calls {
			text, err := c.run(ctx, call)
			if err != nil {
				text = "error: " + err.Error()
			}
			texts, failed = append(texts, text), append(failed, err != nil)
		}
		c.messages = append(c.messages, c.results(reply.Calls, texts, failed)...)
	}
}

func (c *client) run(ctx context.Context, call adaptertest.Call) (string, error) {
	for _, tool := range c.Tools {
		if tool.Name == call.Name {
			parts, err := tool.Run(ctx, call.Arguments)
			return strings.Join(parts, ""), err
		}
	}
	return "", errors.New("no such tool")
}

func (c *client) ask(ctx context.Context) (reply adaptertest.Reply, err error) {
	body, err := json.Marshal(c.request(c.System, c.messages))
	if err != nil {
		return reply, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return reply, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return reply, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return reply, errors.New(resp.Status)
	}
	return reply, json.NewDecoder(resp.Body).Decode(&reply)
}

func TestAdapter(t *testing.T) {
	t.Parallel()
	for _, p := range protocols {
		for _, at := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceTail} {
			t.Run(fmt.Sprintf("%s %s", p.name, at), func(t *testing.T) {
				t.Parallel()
				adaptertest.Run(t, adaptertest.Harness{
					New: func(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
						return newClient(tb, p, s, llmhttp.New(s.Recorder, &llmhttp.Options{Placement: at}).Transport(nil))
					},
					MessagesOnly: true, NoIDs: p.noIDs,
				})
			})
		}
	}
}

// Tools that are wrapped too are recorded once, with their errors.
func TestWrappedTools(t *testing.T) {
	t.Parallel()
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			adaptertest.Run(t, adaptertest.Harness{
				New: func(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
					for i, tool := range s.Tools {
						s.Tools[i].Run = wrap(s.Recorder, tool)
					}
					return newClient(tb, p, s, llmhttp.New(s.Recorder, nil).Transport(nil))
				},
				NoIDs: p.noIDs || p.name != "", // tools are not given the ids of their calls
			})
		})
	}
}

func wrap(rec *middleware.Recorder, tool adaptertest.Tool) func(context.Context, string) ([]string, error) {
	run := middleware.Chain(func(ctx context.Context, call middleware.ToolCall) (any, error) {
		parts, err := tool.Run(ctx, call.Arguments.(string))
		return strings.Join(parts, ""), err
	}, middleware.RecordCalls(rec))
	return func(ctx context.Context, arguments string) ([]string, error) {
		text, err := run(ctx, middleware.ToolCall{Name: tool.Name, Arguments: arguments})
		result, _ := text.(string)
		return []string{result}, err
	}
}
