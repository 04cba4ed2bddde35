package llmhttp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// asking returns a request of an API.
func asking(tb testing.TB, path, body string) *http.Request {
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, "http://localhost"+path, strings.NewReader(body))
	require.NoError(tb, err)
	return req
}

// answering returns a response.
func answering(media, body string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		Header: http.Header{"Content-Type": {media}, "Content-Length": {strconv.Itoa(len(body))}, "X-Own": {"1"}},
	}
}

// receive returns what a client receives for an answer.
func receive(tb testing.TB, w *llmhttp.WorkingMemory, path string, resp *http.Response) (string, error) {
	got, err := w.Middleware(asking(tb, path, hello(path)), func(*http.Request) (*http.Response, error) { return resp, nil })
	require.NoError(tb, err)
	body, err := io.ReadAll(got.Body)
	require.NoError(tb, got.Body.Close())
	return string(body), err
}

// hello returns a request of an API.
func hello(path string) string {
	i := slices.IndexFunc(protocols, func(p protocol) bool { return path == p.path || path == p.pathOf(true) })
	return encode(protocols[i].request("Edit.", []any{protocols[i].user("Hi")}))
}

// answers are answers with handles, and the same with ids.
var answers = []struct{ name, path, body, want string }{
	{"chat", chat.path,
		`{ "x":1e400, "choices":[{"index":0,"message":{"role":"assistant","content":"page#1","tool_calls":[{"id":"page#1","type":"function","function":{"name":"get","arguments":"{\"id\": \"page#1\", \"url\":\"a/Page#2?x=\\u003c\"}"}},{"id":"2","type":"custom","custom":{"name":"sh","input":"rm page#2 page#9"}}]}},{"index":1,"message":{"function_call":{"name":"get","arguments":{"id":"page#1"}}}}]}`,
		`{ "x":1e400, "choices":[{"index":0,"message":{"role":"assistant","content":"page#1","tool_calls":[{"id":"page#1","type":"function","function":{"name":"get","arguments":"{\"id\": \"HOME\", \"url\":\"a/NEWS?x=<\"}"}},{"id":"2","type":"custom","custom":{"name":"sh","input":"rm NEWS page#9"}}]}},{"index":1,"message":{"function_call":{"name":"get","arguments":{"id":"HOME"}}}}]}`},
	{"responses", responses.path,
		`{"output":[{"type":"reasoning","summary":["page#1"]},{"type":"function_call","call_id":"1","name":"get","arguments":"{\"page#1\":\"\\u0070age#2\"}"},{"type":"custom_tool_call","call_id":"2","name":"sh","input":" page#1"},{"type":"mcp_call","arguments":"{\"id\":\"page#1\"}"},{"type":"message","content":[{"type":"output_text","text":"page#1"}]}]}`,
		`{"output":[{"type":"reasoning","summary":["page#1"]},{"type":"function_call","call_id":"1","name":"get","arguments":"{\"HOME\":\"NEWS\"}"},{"type":"custom_tool_call","call_id":"2","name":"sh","input":" HOME"},{"type":"mcp_call","arguments":"{\"id\":\"page#1\"}"},{"type":"message","content":[{"type":"output_text","text":"page#1"}]}]}`},
	{"messages", anthropic.path,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"page#1","signature":"page#1"},{"type":"tool_use","id":"1","name":"get","input":{"id": "page#1", "n":1.0}},{"type":"server_tool_use","input":{"q":"page#1"}},{"type":"tool_use","id":"2","name":"get","input":{}},{"type":"text","text":"page#1"}]}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"page#1","signature":"page#1"},{"type":"tool_use","id":"1","name":"get","input":{"id": "HOME", "n":1.0}},{"type":"server_tool_use","input":{"q":"page#1"}},{"type":"tool_use","id":"2","name":"get","input":{}},{"type":"text","text":"page#1"}]}`},
	{"gemini", gemini.path,
		`{"candidates":[{"content":{"parts":[{"text":"page#1"},{"functionCall":{"name":"get","args":{"id":"page#1"}},"thoughtSignature":"page#1"},{"functionCall":{"name":"list"}}]}},{"content":{"parts":[{"function_call":{"name":"get","args":{"id":"page#2"}}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"page#1"},{"functionCall":{"name":"get","args":{"id":"HOME"}},"thoughtSignature":"page#1"},{"functionCall":{"name":"list"}}]}},{"content":{"parts":[{"function_call":{"name":"get","args":{"id":"NEWS"}}}]}}]}`},
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tc := range answers {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			resp := answering("application/json; charset=utf-8", tc.body)
			got, err := receive(t, llmhttp.New(withHandles(t, nil), nil), tc.path, resp)
			require.NoError(t, err)
			assert.Equal(t, strings.NewReplacer("HOME", homeID, "NEWS", newsID).Replace(tc.want), got)
			assert.EqualValues(t, len(got), resp.ContentLength)
			assert.Equal(t, strconv.Itoa(len(got)), resp.Header.Get("Content-Length"))
			assert.Equal(t, "1", resp.Header.Get("X-Own"))

			unchanged, err := receive(t, llmhttp.New(new(middleware.Recorder), nil), tc.path, answering("application/json", tc.body))
			require.NoError(t, err)
			assert.Equal(t, tc.body, unchanged, "without handles")
			unchanged, err = receive(t, llmhttp.New(withHandles(t, nil), nil), tc.path, answering("application/json", got))
			require.NoError(t, err)
			assert.Equal(t, got, unchanged, "with ids")
		})
	}
}

// Answers that are not understood pass.
func TestOtherAnswersPass(t *testing.T) {
	t.Parallel()
	body := answers[0].body
	for name, change := range map[string]func(*http.Response){
		"failure":        func(r *http.Response) { r.StatusCode = http.StatusBadRequest },
		"another type":   func(r *http.Response) { r.Header.Set("Content-Type", "text/plain") },
		"no type":        func(r *http.Response) { r.Header.Del("Content-Type") },
		"compressed":     func(r *http.Response) { r.Header.Set("Content-Encoding", "br") },
		"not of the API": func(r *http.Response) { r.Body = io.NopCloser(strings.NewReader(`{"choices":7,"x":"page#1"`)) },
		"long": func(r *http.Response) {
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(body), strings.NewReader(strings.Repeat(" ", 16<<20))))
		},
	} {
		resp, want := answering("application/json", body), answering("application/json", body)
		change(resp)
		change(want)
		text, err := io.ReadAll(want.Body)
		require.NoError(t, err)
		header := resp.Header.Clone()
		var log bytes.Buffer
		w := llmhttp.New(withHandles(t, nil), &llmhttp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		got, err := receive(t, w, chat.path, resp)
		require.NoError(t, err, name)
		assert.True(t, string(text) == got, name)
		assert.Equal(t, header, resp.Header, name)
		assert.Equal(t, name == "compressed" || name == "long", strings.Contains(log.String(), "not decoded"), "%s: %s", name, log.String())
	}
}

func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	w := llmhttp.New(withHandles(t, nil), nil)
	for _, media := range []string{"application/json", "text/event-stream"} {
		resp := answering(media, "")
		b := &body{Reader: io.MultiReader(strings.NewReader("data: 1\n\n"), errorReader{broken})}
		resp.Body = b
		got, err := receive(t, w, chat.path, resp)
		require.ErrorIs(t, err, broken)
		assert.Equal(t, "data: 1\n\n", got)
		assert.True(t, b.closed)
	}
	_, err := w.Middleware(asking(t, chat.path, hello(chat.path)), func(*http.Request) (*http.Response, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
}

// The transport decompresses what it has asked for itself.
func TestAnswersAreNotCompressed(t *testing.T) {
	t.Parallel()
	for _, rec := range []*middleware.Recorder{withHandles(t, nil), new(middleware.Recorder)} {
		req := asking(t, chat.path, hello(chat.path))
		req.Header.Set("Accept-Encoding", "br")
		_, err := llmhttp.New(rec, nil).Middleware(req, func(sent *http.Request) (*http.Response, error) {
			assert.Equal(t, rec.Handles() == nil, sent.Header.Get("Accept-Encoding") == "br")
			return nil, nil
		})
		require.NoError(t, err)
		assert.Equal(t, "br", req.Header.Get("Accept-Encoding"))
	}
}

// TestAskAgain shows what a model is asked again that has called a tool with an unknown handle. In
// the wanted request, what follows the messages of the first is between ASKED and END.
func TestAskAgain(t *testing.T) {
	t.Parallel()
	const refused, other = "unknown handle page#9: the tool was not called; known handles are page#2, page#1", "not called, because another call of this message was refused"
	for _, tc := range []struct{ name, path, request, answer, want string }{
		{"chat", chat.path, `{"messages":[{"role":"user","content":"Hi"} ], "model":"m"}`,
			`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"get","arguments":"{\"id\":\"page#1\"}"}},{"id":"b","function":{"name":"get","arguments":"{\"id\":\"page#9\"}"}}]}}]}`,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"get","arguments":"{\"id\":\"page#1\"}"}},{"id":"b","function":{"name":"get","arguments":"{\"id\":\"page#9\"}"}}]},{"role":"tool","tool_call_id":"a","content":"OTHER"},{"role":"tool","tool_call_id":"b","content":"REFUSED"}], "model":"m"}`},
		{"chat of before there were tools", chat.path, `{"messages":[{"role":"user","content":"Hi"}]}`,
			`{"choices":[{"message":{"function_call":{"name":"get","arguments":"{}"}}},{"message":{"role":"assistant","function_call":{"name":"get","arguments":"page#9"}}}]}`,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","function_call":{"name":"get","arguments":"page#9"}},{"role":"function","name":"get","content":"REFUSED"}]}`},
		{"chat without ids", chat.path, `{"messages":[]}`,
			`{"choices":[{"message":{"tool_calls":[{"function":{"name":"get","arguments":{"id":"page#9"}}}]}}]}`,
			`{"messages":[{"tool_calls":[{"function":{"name":"get","arguments":{"id":"page#9"}}}]},{"role":"tool","content":"REFUSED"}]}`},
		{"responses", responses.path, `{"input":"Hi","store":false}`,
			`{"output":[{"type":"reasoning","id":"r"},{"type":"reasoning","encrypted_content":"e"},{"type":"custom_tool_call","call_id":"a","input":"page#9"},{"type":"function_call","call_id":"b","arguments":"{}"}]}`,
			`{"input":[{"role":"user","content":"Hi"},{"type":"reasoning","encrypted_content":"e"},{"type":"custom_tool_call","call_id":"a","input":"page#9"},{"type":"function_call","call_id":"b","arguments":"{}"},{"type":"custom_tool_call_output","call_id":"a","output":"REFUSED"},{"type":"function_call_output","call_id":"b","output":"OTHER"}],"store":false}`},
		{"responses in a conversation", responses.path, `{"conversation":"c","input":"Hi"}`,
			`{"output":[{"type":"reasoning","id":"r"},{"type":"function_call","call_id":"b","arguments":"{\"page#9\":1,\"x\":\"page#9\"}"}]}`,
			`{"conversation":"c","input":[{"type":"function_call_output","call_id":"b","output":"REFUSED"}]}`},
		{"messages", anthropic.path, `{"messages":[{"role":"user","content":"Hi"}],"max_tokens":9}`,
			`{"id":"m","role":"assistant","content":[{"type":"thinking","signature":"s"},{"type":"tool_use","id":"a","name":"get","input":{"id":"page#9"}}],"usage":{}}`,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","signature":"s"},{"type":"tool_use","id":"a","name":"get","input":{"id":"page#9"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"REFUSED"}]}],"max_tokens":9}`},
		{"gemini", gemini.path, `{"contents":{"parts":{"text":"Hi"}}}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"a","name":"get","args":{"id":"page#9"}}},{"functionCall":{"name":"list"}}]}}]}`,
			`{"contents":[{"parts":{"text":"Hi"}},{"role":"model","parts":[{"functionCall":{"id":"a","name":"get","args":{"id":"page#9"}}},{"functionCall":{"name":"list"}}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"get","response":{"error":"REFUSED"}}},{"functionResponse":{"name":"list","response":{"error":"OTHER"}}}]}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := llmhttp.New(withHandles(t, nil), nil)
			var sent []string
			var given []*body
			refuses := 1
			next := func(req *http.Request) (*http.Response, error) {
				text, err := io.ReadAll(req.Body)
				require.NoError(t, err)
				assert.EqualValues(t, len(text), req.ContentLength)
				assert.Equal(t, "Bearer x", req.Header.Get("Authorization"))
				sent = append(sent, string(text))
				answer := tc.answer
				if len(sent) > refuses {
					answer = strings.ReplaceAll(tc.answer, "page#9", "page#2")
				}
				resp := answering("application/json", answer)
				given = append(given, &body{Reader: resp.Body})
				resp.Body = given[len(given)-1]
				return resp, nil
			}
			ask := func() (string, http.Header, error) {
				req := asking(t, tc.path, tc.request)
				req.Header.Set("Authorization", "Bearer x")
				resp, err := w.Middleware(req, next)
				require.NoError(t, err)
				text, err := io.ReadAll(resp.Body)
				return string(text), resp.Header, err
			}
			got, _, err := ask()
			require.NoError(t, err)
			assert.Equal(t, strings.NewReplacer("page#9", newsID, "page#1", homeID).Replace(tc.answer), got)
			assert.Equal(t, []string{tc.request, strings.NewReplacer("REFUSED", refused, "OTHER", other).Replace(tc.want)}, sent)

			sent, refuses = nil, 2
			_, _, err = ask()
			require.NoError(t, err)
			assert.Len(t, sent, 3)
			assert.True(t, json.Valid([]byte(sent[2])), sent[2])
			if tc.name != "responses in a conversation" {
				assert.Equal(t, 2, strings.Count(sent[2], refused))
			}

			sent, refuses = nil, 9
			_, header, err := ask()
			var unknown *handle.UnknownError
			require.ErrorAs(t, err, &unknown)
			assert.Equal(t, "page#9", unknown.Handle)
			assert.Len(t, sent, 1+middleware.MaxCorrections)
			assert.Equal(t, "false", header.Get("X-Should-Retry"))
			assert.Empty(t, header.Get("Content-Length"))
			for _, b := range given {
				assert.True(t, b.closed)
			}
		})
	}
}

// If asking again fails, the client receives the failure.
func TestAskAgainFails(t *testing.T) {
	t.Parallel()
	wrong := strings.ReplaceAll(answers[0].body, "page#1", "page#9")
	overloaded := answering("application/json", `{"error":"overloaded"}`)
	overloaded.StatusCode = http.StatusServiceUnavailable
	broken := errors.New("broken")
	for _, tc := range []struct {
		resp *http.Response
		err  error
		want string
	}{
		{resp: overloaded, want: `{"error":"overloaded"}`},
		{resp: answering("text/plain", "page#9"), want: "page#9"},
		{err: broken},
	} {
		asked := 0
		resp, err := llmhttp.New(withHandles(t, nil), nil).Middleware(asking(t, chat.path, hello(chat.path)), func(*http.Request) (*http.Response, error) {
			if asked++; asked == 1 {
				return answering("application/json", wrong), nil
			}
			return tc.resp, tc.err
		})
		assert.Equal(t, 2, asked)
		if tc.err != nil {
			require.ErrorIs(t, err, broken)
			assert.Nil(t, resp)
			continue
		}
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, tc.want, string(text))
		assert.Equal(t, tc.resp.StatusCode, resp.StatusCode)
	}
}

// answerWith returns a server with one answer.
func answerWith(resp *http.Response) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return resp, nil }
}
