package llmhttp_test

import (
	"bufio"
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
		if err != nil || r.URL.Path != p.pathOf(s.Stream) {
			tb.Errorf("%s %s: %v", r.URL.Path, raw, err)
		}
		reply, err := s.Model(r.Context(), p.read(body))
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case s.Stream:
			w.Header().Set("Content-Type", "text/event-stream")
			for _, e := range p.events(reply) {
				_, _ = io.WriteString(w, e)
				_ = http.NewResponseController(w).Flush()
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(p.respond(p.answer(reply)))
		}
	}))
	tb.Cleanup(server.Close)
	for _, tool := range middleware.ResultTools(s.Recorder) {
		if s.ResultTools {
			s.Tools = append(s.Tools, adaptertest.Tool{Name: tool.Name, Run: func(ctx context.Context, arguments string) ([]string, error) {
				text, err := tool.Call(ctx, arguments)
				return []string{text}, err
			}})
		}
	}
	return &client{Setup: s, protocol: p, http: &http.Client{Transport: t}, url: server.URL + p.pathOf(s.Stream)}
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
	if c.Stream {
		return c.readEvents(resp.Body)
	}
	var response object
	if err := json.NewDecoder(resp.Body).Decode(&response); err != nil {
		return reply, err
	}
	return c.reply(response), nil
}

// readEvents returns what a stream says.
func (c *client) readEvents(body io.Reader) (reply adaptertest.Reply, err error) {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var event object
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return reply, err
		}
		c.replyTo(&reply, event)
	}
	return reply, lines.Err()
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
					MessagesOnly: true, NoIDs: p.noIDs, Streams: true, UnknownEndsStream: true,
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
				Streams: true, UnknownEndsStream: true,
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
