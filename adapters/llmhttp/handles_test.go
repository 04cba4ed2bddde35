package llmhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	homeID = "550e8400-e29b-41d4-a716-446655440000" // page#1
	newsID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8" // page#2
)

// withHandles returns a recorder that has given out handles for two pages, and knows of nothing to
// put into a block.
func withHandles(tb testing.TB, opts *handle.Options) *middleware.Recorder {
	table := handle.NewTable(opts)
	table.Apply(handle.Change{IDs: []memory.Ref{{Type: "page", ID: homeID}, {Type: "page", ID: newsID}}})
	rec, err := middleware.NewRecorder(&middleware.Options{Handles: table})
	require.NoError(tb, err)
	return rec
}

// requireShown sends a body whose calls and results are not new, and compares what is sent. HOME
// and NEWS are the ids of the pages.
func requireShown(t *testing.T, w *llmhttp.WorkingMemory, path, body, want string) {
	t.Helper()
	ids := strings.NewReplacer("HOME", homeID, "NEWS", newsID)
	sent := string(send(t, w, path, []byte(ids.Replace(body))))
	require.True(t, json.Valid([]byte(sent)), sent)
	require.Equal(t, ids.Replace(want), sent)
}

// quiet is an extractor that finds nothing, so that there is no block.
func quiet(tb testing.TB, opts middleware.Options) *middleware.Recorder {
	opts.Extractor = extractor.Func(func(context.Context, extractor.Input) (extractor.Extraction, error) {
		return extractor.Extraction{}, nil
	})
	rec, err := middleware.NewRecorder(&opts)
	require.NoError(tb, err)
	return rec
}

// TestShownMessages shows which bytes of a request change with handles: those of arguments and of
// results.
func TestShownMessages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, path, body, want string }{
		{"chat", chat.path,
			`{"z" : 1e400, "messages":[{"role":"system","content":"HOME"},{"role":"user","content":"HOME"},{"role":"assistant","content":"HOME","reasoning_content":"HOME","tool_calls":[{"id":"HOME","function":{"arguments":"{\"id\": \"HOME\"}","name":"get"}},{"id":"2","custom":{"name":"sh","input":"rm NEWS"}}]},{"role":"tool","tool_call_id":"HOME","content":"{\"id\":\"HOME\",\"next\":\"x/NEWS?\"}"},{"role":"tool","content":[{"type":"text","text":"NEWS"},{"type":"image","url":"NEWS"},{"text":"HOMEx","type":"text"}]}]}`,
			`{"z" : 1e400, "messages":[{"role":"system","content":"HOME"},{"role":"user","content":"HOME"},{"role":"assistant","content":"HOME","reasoning_content":"HOME","tool_calls":[{"id":"HOME","function":{"arguments":"{\"id\": \"page#1\"}","name":"get"}},{"id":"2","custom":{"name":"sh","input":"rm page#2"}}]},{"role":"tool","tool_call_id":"HOME","content":"{\"id\":\"page#1\",\"next\":\"x/page#2?\"}"},{"role":"tool","content":[{"type":"text","text":"page#2"},{"type":"image","url":"NEWS"},{"text":"HOMEx","type":"text"}]}]}`},
		{"chat of before there were tools", chat.path,
			`{"messages":[{"role":"assistant","content":null,"function_call":{"name":"get","arguments":{"id" : "HOME"}}},{"role":"function","name":"get","content":"HOME"}]}`,
			`{"messages":[{"role":"assistant","content":null,"function_call":{"name":"get","arguments":{"id" : "page#1"}}},{"role":"function","name":"get","content":"page#1"}]}`},
		{"responses", responses.path,
			`{"input":[{"role":"user","content":"HOME"},{"type":"reasoning","encrypted_content":"HOME"},{"type":"function_call","call_id":"HOME","name":"get","arguments":"{\"HOME\":1}"},{"type":"function_call_output","call_id":"HOME","output":"HOME"},{"type":"custom_tool_call","call_id":"2","name":"sh","input":"HOME"},{"type":"custom_tool_call_output","call_id":"2","output":[{"type":"input_text","text":"HOME"},{"type":"input_image","image_url":"HOME"}]},{"type":"mcp_call","id":"3","arguments":"{\"id\":\"HOME\"}","output":"HOME"}]}`,
			`{"input":[{"role":"user","content":"HOME"},{"type":"reasoning","encrypted_content":"HOME"},{"type":"function_call","call_id":"HOME","name":"get","arguments":"{\"page#1\":1}"},{"type":"function_call_output","call_id":"HOME","output":"page#1"},{"type":"custom_tool_call","call_id":"2","name":"sh","input":"page#1"},{"type":"custom_tool_call_output","call_id":"2","output":[{"type":"input_text","text":"page#1"},{"type":"input_image","image_url":"HOME"}]},{"type":"mcp_call","id":"3","arguments":"{\"id\":\"HOME\"}","output":"HOME"}]}`},
		{"messages", anthropic.path,
			`{"messages":[{"role":"user","content":"HOME"},{"role":"assistant","content":[{"type":"thinking","thinking":"HOME","signature":"HOME"},{"type":"text","text":"HOME"},{"type":"tool_use","id":"HOME","name":"get","input":{ "id":"HOME", "n":[1.0] }},{"type":"mcp_tool_use","id":"2","name":"get","input":{"id":"HOME"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"HOME","content":"HOME"},{"type":"tool_result","content":[{"type":"text","text":"HOME"},{"type":"image","source":{"data":"HOME"}},{"type":"search_result","title":"HOME","content":[{"type":"text","text":"NEWS"}]},{"type":"document","source":{"type":"text","data":"HOME"}}],"is_error":true},{"type":"text","text":"HOME"}]}]}`,
			`{"messages":[{"role":"user","content":"HOME"},{"role":"assistant","content":[{"type":"thinking","thinking":"HOME","signature":"HOME"},{"type":"text","text":"HOME"},{"type":"tool_use","id":"HOME","name":"get","input":{ "id":"page#1", "n":[1.0] }},{"type":"mcp_tool_use","id":"2","name":"get","input":{"id":"HOME"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"HOME","content":"page#1"},{"type":"tool_result","content":[{"type":"text","text":"page#1"},{"type":"image","source":{"data":"HOME"}},{"type":"search_result","title":"HOME","content":[{"type":"text","text":"page#2"}]},{"type":"document","source":{"type":"text","data":"page#1"}}],"is_error":true},{"type":"text","text":"HOME"}]}]}`},
		{"gemini", gemini.path,
			`{"contents":[{"role":"user","parts":[{"text":"HOME"}]},{"role":"model","parts":[{"text":"HOME","thoughtSignature":"HOME"},{"functionCall":{"name":"get","args":{"id":"HOME"}}},{"function_call":{"name":"get","args":{"id":"NEWS"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"output":"HOME"}}},{"function_response":{"name":"get","response":{"pages":[{"id":"NEWS"}]}}},{"functionResponse":{"name":"get","response":{"error":"no HOME"}}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"HOME"}]},{"role":"model","parts":[{"text":"HOME","thoughtSignature":"HOME"},{"functionCall":{"name":"get","args":{"id":"page#1"}}},{"function_call":{"name":"get","args":{"id":"page#2"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"output":"page#1"}}},{"function_response":{"name":"get","response":{"pages":[{"id":"page#2"}]}}},{"functionResponse":{"name":"get","response":{"error":"no page#1"}}}]}]}`},
		{"gemini without brackets", gemini.path,
			`{"contents":{"role":"user","parts":{"functionResponse":{"name":"get","response":{"output":"HOME"}}}}}`,
			`{"contents":{"role":"user","parts":{"functionResponse":{"name":"get","response":{"output":"page#1"}}}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := quiet(t, middleware.Options{Handles: withHandles(t, nil).Handles()})
			w := llmhttp.New(rec, nil)
			for range 2 {
				requireShown(t, w, tc.path, tc.body, tc.want)
			}
			requireShown(t, llmhttp.New(quiet(t, middleware.Options{}), nil), tc.path, tc.body, tc.body)
			shownBefore := strings.NewReplacer("HOME", "page#1", "NEWS", "page#2").Replace
			if !strings.Contains(tc.want, "HOME") {
				requireShown(t, w, tc.path, shownBefore(tc.body), shownBefore(tc.body))
			}
		})
	}
}

// TestStoredResults compares what the model sees in place of a stored result. STUB is the first
// part of it.
func TestStoredResults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lorem ipsum ", 300)
	for _, tc := range []struct{ name, path, body, want string }{
		{"text", chat.path, `{"messages":[{"role":"tool","tool_call_id":"1","content":"LONG"}]}`, `{"messages":[{"role":"tool","tool_call_id":"1","content":"STUB"}]}`},
		{"parts", chat.path,
			`{"messages":[{"role":"tool","tool_call_id":"1","content":[ {"type":"text","text":"LONG"} , {"type":"image"}, {"type":"text","text":"more","cache_control":{}} ]}]}`,
			`{"messages":[{"role":"tool","tool_call_id":"1","content":[ {"type":"image"}, {"type":"text","text":"STUB","cache_control":{}} ]}]}`},
		{"output", responses.path, `{"input":[{"type":"function_call_output","call_id":"1","output":"LONG"}]}`, `{"input":[{"type":"function_call_output","call_id":"1","output":"STUB"}]}`},
		{"documents", anthropic.path,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"search_result","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"type":"text","text":"LONG"},{"type":"document","source":{"type":"text","data":"x"}},{"type":"image"}]},{"type":"text","text":"Hi"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"STUB"},{"type":"image"}]},{"type":"text","text":"Hi"}]}]}`},
		{"object", gemini.path,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"a":"LONG","b":1}}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"output":"STUB"}}}]}]}`},
		{"field", gemini.path,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"output":["LONG"]}}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"output":"STUB"}}}]}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := quiet(t, middleware.Options{Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 200})})
			w := llmhttp.New(rec, nil)
			sent := string(send(t, w, tc.path, []byte(strings.ReplaceAll(tc.body, "LONG", long))))
			require.True(t, json.Valid([]byte(sent)), sent)
			at := strings.Index(sent, "[STORED RESULT] result#1")
			require.GreaterOrEqual(t, at, 0, sent)
			end := at + strings.Index(strings.ReplaceAll(sent[at:], `\"`, "  "), `"`)
			assert.Equal(t, tc.want, sent[:at]+"STUB"+sent[end:])
			assert.Equal(t, sent, string(send(t, w, tc.path, []byte(strings.ReplaceAll(tc.body, "LONG", long)))))
		})
	}
}

// What a model was shown stays as it was, so that what the provider has cached of a prompt is
// valid: a result that was sent before an id in it got a handle keeps the id.
func TestEarlierResultsStay(t *testing.T) {
	t.Parallel()
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			rec := quiet(t, middleware.Options{Handles: handle.NewTable(nil)})
			w := llmhttp.New(rec, nil)
			before := ""
			for n := 4; n < 60; n += 4 {
				body := strings.NewReplacer("page-1000", homeID, "page-1005", newsID).Replace(string(conversation(t, p, n)))
				sent := string(send(t, w, p.path, []byte(body)))
				common := 0
				for common < len(before) && before[common] == sent[common] {
					common++
				}
				require.GreaterOrEqual(t, common, strings.LastIndex(before, "Here it is."), "request of %d messages", n)
				before = sent
				if n == 16 {
					rec.Handles().Apply(handle.Change{IDs: []memory.Ref{{Type: "page", ID: homeID}, {Type: "page", ID: newsID}}})
				}
			}
			assert.Contains(t, before, homeID)
			assert.NotContains(t, before, newsID)
			fresh := string(send(t, llmhttp.New(rec, nil), p.path, []byte(strings.ReplaceAll(string(conversation(t, p, 59)), "page-1000", homeID))))
			assert.NotContains(t, fresh, homeID)
		})
	}
}

// What is sent with handles is the same, however much of a conversation is known, and wherever the
// block is.
func TestKnownBeginningsWithHandles(t *testing.T) {
	t.Parallel()
	for _, p := range protocols {
		for _, at := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceAfterPrefix, prompt.PlaceTail, prompt.PlaceAppend} {
			t.Run(fmt.Sprintf("%s %s", p.name, at), func(t *testing.T) {
				t.Parallel()
				opts := &llmhttp.Options{Placement: at}
				rec := withHandles(t, nil)
				require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: homeID, Name: "Home"}))
				known := llmhttp.New(rec, opts)
				for _, n := range []int{1, 3, 5, 9, 14, 14, 40, 38, 7, 61} {
					body := []byte(strings.ReplaceAll(string(conversation(t, p, n)), "page-1000", homeID))
					sent := string(send(t, known, p.path, body))
					require.True(t, json.Valid([]byte(sent)), sent)
					assert.Equal(t, sent, string(send(t, known, p.path, body)), "%d messages", n)
					assert.NotContains(t, sent, homeID, "%d messages", n)
					if at != prompt.PlaceAppend {
						assert.Equal(t, string(send(t, llmhttp.New(rec, opts), p.path, body)), sent, "%d messages", n)
					}
				}
			})
		}
	}
}

// A client that goes on with the messages that were sent, blocks and all.
func TestBlocksAmongShownMessages(t *testing.T) {
	t.Parallel()
	rec := withHandles(t, nil)
	require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: homeID, Name: "Home"}))
	w := llmhttp.New(rec, &llmhttp.Options{Placement: prompt.PlaceTail})
	body := `{"messages":[{"role":"user","content":"Hi"},{"role":"system","content":"[WORKING MEMORY]\npages:\n  - \"About\" (page-2002)"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"get","arguments":"{\"id\":\"HOME\"}"}}]},{"role":"tool","tool_call_id":"1","content":"HOME"}]}`
	sent := string(send(t, w, chat.path, []byte(strings.ReplaceAll(body, "HOME", homeID))))
	require.True(t, json.Valid([]byte(sent)), sent)
	assert.NotContains(t, sent, homeID)
	assert.NotContains(t, sent, "page-2002")
	assert.Equal(t, 1, strings.Count(sent, prompt.Title))
}
