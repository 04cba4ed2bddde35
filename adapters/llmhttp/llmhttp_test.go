package llmhttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const greeting = `{"messages":[{"role":"user","content":"Hi"}]}`

// body is a request's body that knows whether it was closed.
type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

func newRequest(t *testing.T, text io.Reader) (*http.Request, *body) {
	b := &body{Reader: text}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/chat/completions", b)
	require.NoError(t, err)
	return req, b
}

func TestRequestIsReplaced(t *testing.T) {
	t.Parallel()
	req, given := newRequest(t, strings.NewReader(greeting))
	req.Header.Set("Content-Length", "44")
	req.Header.Set("X-Own", "1")
	_, err := llmhttp.New(knowing(t), nil).Middleware(req, func(sent *http.Request) (*http.Response, error) {
		assert.NotSame(t, req, sent)
		assert.Equal(t, "1", sent.Header.Get("X-Own"))
		assert.Empty(t, sent.Header.Get("Content-Length"))
		first, err := io.ReadAll(sent.Body)
		require.NoError(t, err)
		assert.EqualValues(t, len(first), sent.ContentLength)
		retried, err := sent.GetBody()
		require.NoError(t, err)
		again, err := io.ReadAll(retried)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		assert.Contains(t, string(first), "page-1001")
		return nil, nil
	})
	require.NoError(t, err)
	assert.True(t, given.closed)
	assert.Equal(t, "44", req.Header.Get("Content-Length"), "the given request is not changed")
}

// Requests that are too large or compressed pass as a stream.
func TestRequestsThatAreNotRead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*http.Request){
		"large, of known size": func(r *http.Request) { r.ContentLength = int64(len(greeting)) },
		"large":                func(r *http.Request) { r.ContentLength = -1 },
		"compressed":           func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") },
		"signed":               func(r *http.Request) { r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=x") },
		"another method":       func(r *http.Request) { r.Method = http.MethodPut },
	} {
		req, given := newRequest(t, strings.NewReader(greeting))
		change(req)
		_, err := llmhttp.New(knowing(t), &llmhttp.Options{MaxBody: int64(len(greeting)) - 1}).Middleware(req, func(sent *http.Request) (*http.Response, error) {
			text, err := io.ReadAll(sent.Body)
			require.NoError(t, err)
			assert.Equal(t, greeting, string(text), name)
			assert.Equal(t, req.ContentLength, sent.ContentLength)
			return nil, sent.Body.Close()
		})
		require.NoError(t, err)
		assert.True(t, given.closed, name)
	}
}

func TestNoLimit(t *testing.T) {
	t.Parallel()
	w := llmhttp.New(knowing(t), &llmhttp.Options{MaxBody: math.MaxInt64})
	assert.Contains(t, string(send(t, w, chat.path, []byte(greeting))), "page-1001")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var log bytes.Buffer
	w := llmhttp.New(knowing(t), &llmhttp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	req, given := newRequest(t, io.MultiReader(strings.NewReader(greeting), errorReader{broken}))
	_, err := w.Middleware(req, func(*http.Request) (*http.Response, error) { panic("nothing to send") })
	require.ErrorIs(t, err, broken)
	assert.True(t, given.closed)

	_, err = w.Transport(roundTripper(func(*http.Request) (*http.Response, error) { return nil, broken })).RoundTrip(must(newRequest(t, strings.NewReader(greeting))))
	require.ErrorIs(t, err, broken)

	assert.Empty(t, log.String())
	send(t, w, chat.path, []byte(`{"messages":[{"role":"user","content":{"secret":tru}}]}`))
	assert.Contains(t, log.String(), "request not understood")
	assert.Contains(t, log.String(), "invalid JSON at byte")
	assert.NotContains(t, log.String(), "secret")
}

func must(req *http.Request, _ *body) *http.Request { return req }

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestRecorderOfTheContext(t *testing.T) {
	t.Parallel()
	chosen := llmhttp.New(new(middleware.Recorder), &llmhttp.Options{Recorder: func(context.Context) *middleware.Recorder { return knowing(t) }})
	assert.Contains(t, string(send(t, chosen, chat.path, []byte(greeting))), "page-1001", "the option precedes the fallback")
	none := llmhttp.New(nil, nil)
	assert.Equal(t, greeting, string(send(t, none, chat.path, []byte(greeting))))
}

// What the APIs say of a call is recorded as such.
func TestRecordedCalls(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path, body string
		want       middleware.ToolCall
		fails      string
	}{
		"function": {chat.path,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"get","arguments":"{\"n\":1}"}}]},{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x"}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Arguments: `{"n":1}`, Result: "x"}, ""},
		"arguments as an object": {chat.path,
			`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"get","arguments":{"n":1}}}]},{"role":"tool","content":"x"}]}`,
			middleware.ToolCall{Name: "get", Arguments: `{"n":1}`, Result: "x"}, ""},
		"custom tool": {chat.path,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"custom","custom":{"name":"sh","input":"ls"}}]},{"role":"tool","tool_call_id":"1","content":"x"}]}`,
			middleware.ToolCall{ID: "1", Name: "sh", Arguments: "ls", Result: "x"}, ""},
		"function of before there were tools": {chat.path,
			`{"messages":[{"role":"assistant","function_call":{"name":"get","arguments":"{}"}},{"role":"function","name":"get","content":"x"}]}`,
			middleware.ToolCall{Name: "get", Arguments: "{}", Result: "x"}, ""},
		"items": {responses.path,
			`{"input":[{"type":"function_call","call_id":"1","name":"get","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"x"},{"type":"input_image"},{"type":"input_text","text":"y"}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Arguments: "{}", Result: []string{"x", "y"}}, ""},
		"custom tool of items": {responses.path,
			`{"input":[{"type":"custom_tool_call","call_id":"1","name":"sh","input":"ls"},{"type":"custom_tool_call_output","call_id":"1","output":"x"}]}`,
			middleware.ToolCall{ID: "1", Name: "sh", Arguments: "ls", Result: "x"}, ""},
		"output without its call": {responses.path,
			`{"previous_response_id":"r","input":[{"type":"function_call_output","call_id":"1","output":"x"}]}`,
			middleware.ToolCall{ID: "1", Result: "x"}, ""},
		"call by the server": {responses.path,
			`{"input":[{"type":"mcp_call","id":"1","server_label":"cms","name":"get","arguments":"{}","output":"x","error":null}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Source: "cms", Arguments: "{}", Result: "x"}, ""},
		"failed call by the server": {responses.path,
			`{"input":[{"type":"mcp_call","id":"1","server_label":"cms","name":"get","arguments":"{}","error":"no page"}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Source: "cms", Arguments: "{}"}, "no page"},
		"tool_use": {anthropic.path,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"get","input":{"n": 1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"},{"type":"image"}]}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Arguments: `{"n": 1}`, Result: "x"}, ""},
		"is_error": {anthropic.path,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"get","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":"no page"}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Arguments: `{}`}, "no page"},
		"mcp_tool_use": {anthropic.path,
			`{"messages":[{"role":"assistant","content":[{"type":"mcp_tool_use","id":"1","name":"get","server_name":"cms","input":{}},{"type":"mcp_tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"}]}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Source: "cms", Arguments: `{}`, Result: "x"}, ""},
		"search results": {anthropic.path,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"get","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"search_result","title":"T","source":"s","content":[{"type":"text","text":"x"}]},{"type":"text","text":"y"}]}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Arguments: `{}`, Result: []string{"x", "y"}}, ""},
		"documents": {anthropic.path,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"get","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}},{"type":"document","source":{"type":"content","content":"y"}},{"type":"document","source":{"type":"base64","data":"eA=="}}]}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Arguments: `{}`, Result: []string{"x", "y"}}, ""},
		"functionCall": {gemini.path,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"get","args":{"n":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"output":"x"}}}]}]}`,
			middleware.ToolCall{Name: "get", Arguments: `{"n":1}`, Result: "x"}, ""},
		"function_call": {gemini.path,
			`{"contents":[{"role":"model","parts":[{"function_call":{"id":"1","name":"get","args":{}}}]},{"role":"function","parts":[{"function_response":{"id":"1","name":"get","response":{"error":"no page"}}}]}]}`,
			middleware.ToolCall{ID: "1", Name: "get", Arguments: `{}`}, "no page"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls []middleware.ToolCall
			rec, err := middleware.NewRecorder(&middleware.Options{OnCall: func(_ context.Context, c middleware.ToolCall, _ extractor.Extraction, _ error) {
				calls = append(calls, c)
			}})
			require.NoError(t, err)
			w := llmhttp.New(rec, &llmhttp.Options{Placement: prompt.PlaceTail})
			for range 2 {
				send(t, w, tc.path, []byte(tc.body))
			}
			require.Len(t, calls, 1)
			if tc.fails != "" {
				require.EqualError(t, calls[0].Err, tc.fails)
				calls[0].Err = nil
			}
			assert.Equal(t, tc.want, calls[0])
		})
	}
}
