package llmhttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// knowing returns a recorder that knows one page.
func knowing(tb testing.TB) *middleware.Recorder {
	rec := new(middleware.Recorder)
	require.NoError(tb, rec.Context().Add(memory.Entity{Type: "page", ID: "page-1001", Name: "Home"}))
	return rec
}

// TestEdits shows where the block goes. In the wanted bodies, BLOCK is the text of the
// block, quoted.
func TestEdits(t *testing.T) {
	t.Parallel()
	guided, _ := json.Marshal(prompt.WithGuidance(knowing(t).Block()))
	block := string(guided[1 : len(guided)-1])
	const (
		chatPath, responsesPath      = "/v1/chat/completions", "/v1/responses"
		messagesPath, geminiPath     = "/v1/messages", "/v1beta/models/m:streamGenerateContent"
		system, prefix, tail, append = prompt.PlaceSystem, prompt.PlaceAfterPrefix, prompt.PlaceTail, prompt.PlaceAppend
	)
	for _, tc := range []struct {
		name, path string
		at         prompt.Placement
		body, want string
	}{
		{"text", chatPath, system,
			`{"model":"m", "messages" : [ {"role":"system","content":"Edit."} , {"role":"user","content":"Hi"} ]}`,
			`{"model":"m", "messages" : [ {"role":"system","content":"Edit.\n\nBLOCK"} , {"role":"user","content":"Hi"} ]}`},
		{"empty text", chatPath, system,
			`{"messages":[{"role":"system","content":""},{"role":"user","content":"Hi"}]}`,
			`{"messages":[{"role":"system","content":"BLOCK"},{"role":"user","content":"Hi"}]}`},
		{"escapes and unknown fields", chatPath, system,
			`{"z":1e400,"messages":[{"content":"\u00e9\/\ud800","role":"developer","name":"é","x":{"b":1,"a":[ ]}},{"role":"user","content":"Hi"}],"a":null}`,
			`{"z":1e400,"messages":[{"content":"\u00e9\/\ud800\n\nBLOCK","role":"developer","name":"é","x":{"b":1,"a":[ ]}},{"role":"user","content":"Hi"}],"a":null}`},
		{"parts", chatPath, system,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"Edit.","cache_control":{"type":"ephemeral"}} ]},{"role":"user","content":"Hi"}]}`,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"Edit.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"BLOCK"} ]},{"role":"user","content":"Hi"}]}`},
		{"no parts", chatPath, system,
			`{"messages":[{"role":"system","content":[]}]}`,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"BLOCK"}]}]}`},
		{"null", chatPath, system,
			`{"messages":[{"role":"system","content":null}]}`, `{"messages":[{"role":"system","content":"BLOCK"}]}`},
		{"no content", chatPath, system,
			`{"messages":[{"role":"system"}]}`, `{"messages":[{"content":"BLOCK","role":"system"}]}`},
		{"no system message", chatPath, system,
			`{"messages":[{"role":"user","content":"Hi"}]}`,
			`{"messages":[{"role":"system","content":"BLOCK"},{"role":"user","content":"Hi"}]}`},
		{"no messages", chatPath, system, `{"messages":[]}`, `{"messages":[{"role":"system","content":"BLOCK"}]}`},
		{"a block of before", chatPath, system,
			`{"messages":[{"role":"system","content":"Edit.\n\n[WORKING MEMORY]\npages:\n  - \"About\" (page-2002)"},{"role":"user","content":"Hi"}]}`,
			`{"messages":[{"role":"system","content":"Edit.\n\nBLOCK"},{"role":"user","content":"Hi"}]}`},
		{"only the title", chatPath, system,
			`{"messages":[{"role":"system","content":"\u00e9 the [WORKING MEMORY] below"},{"role":"user","content":"Hi"}]}`,
			`{"messages":[{"role":"system","content":"\u00e9 the [WORKING MEMORY] below\n\nBLOCK"},{"role":"user","content":"Hi"}]}`},
		{"a part of before", chatPath, system,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"Edit."},{"type":"text","text":"[WORKING MEMORY]\npages:\n  - \"About\" (page-2002)"}]}]}`,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"Edit."},{"type":"text","text":"BLOCK"}]}]}`},
		{"a message of before", chatPath, prefix,
			`{"messages":[{"role":"system","content":"Edit."},{"role":"user","content":"Hi"},{"role":"system","content":"[WORKING MEMORY]\npages:\n  - \"About\" (page-2002)"}]}`,
			`{"messages":[{"role":"system","content":"Edit."},{"role":"system","content":"BLOCK"},{"role":"user","content":"Hi"}]}`},
		{"after the prefix", chatPath, prefix,
			`{"messages":[{"role":"developer","content":"Edit."},{"role":"user","content":"Hi"}]}`,
			`{"messages":[{"role":"developer","content":"Edit."},{"role":"developer","content":"BLOCK"},{"role":"user","content":"Hi"}]}`},
		{"tail", chatPath, tail,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[]},{"role":"tool","tool_call_id":"1","content":"x"}]}`,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[]},{"role":"tool","tool_call_id":"1","content":"x"},{"role":"system","content":"BLOCK"}]}`},

		{"instructions", responsesPath, system,
			`{"input":"Hi","instructions":"Edit."}`, `{"input":"Hi","instructions":"Edit.\n\nBLOCK"}`},
		{"no instructions", responsesPath, system, `{ "input":"Hi"}`, `{"instructions":"BLOCK", "input":"Hi"}`},
		{"null instructions", responsesPath, system, `{"instructions":null,"input":"Hi"}`, `{"instructions":"BLOCK","input":"Hi"}`},
		{"text of the user", responsesPath, tail,
			`{"instructions":"Edit.","input":"Hi \u00e9"}`,
			`{"instructions":"Edit.","input":[{"role":"system","content":"BLOCK"},{"role":"user","content":"Hi \u00e9"}]}`},
		{"items", responsesPath, tail,
			`{"input":[{"role":"user","content":"Hi"},{"type":"function_call_output","call_id":"1","output":"x"}]}`,
			`{"input":[{"role":"user","content":"Hi"},{"type":"function_call_output","call_id":"1","output":"x"},{"role":"system","content":"BLOCK"}]}`},

		{"system text", messagesPath, system,
			`{"system":"Edit.","messages":[{"role":"user","content":"Hi"}]}`, `{"system":"Edit.\n\nBLOCK","messages":[{"role":"user","content":"Hi"}]}`},
		{"system parts", messagesPath, prefix,
			`{"messages":[{"role":"user","content":"Hi"}],"system":[{"text":"Edit.","type":"text","cache_control":{"type":"ephemeral"}}]}`,
			`{"messages":[{"role":"user","content":"Hi"}],"system":[{"text":"Edit.","type":"text","cache_control":{"type":"ephemeral"}},{"type":"text","text":"BLOCK"}]}`},
		{"no system", messagesPath, system,
			`{"messages":[{"role":"user","content":"Hi"}]}`, `{"system":"BLOCK","messages":[{"role":"user","content":"Hi"}]}`},
		{"before the user's text", messagesPath, tail,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Go on"}]}`,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":[{"type":"text","text":"BLOCK"},{"type":"text","text":"Go on"}]}]}`},
		{"before the user's image", messagesPath, append,
			`{"messages":[{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"Hi"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"BLOCK"},{"type":"image","source":{}},{"type":"text","text":"Hi"}]}]}`},
		{"after results", messagesPath, tail,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"get","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}]}`,
			`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"get","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"BLOCK"}]}]}`},

		{"system instruction", geminiPath, system,
			`{"contents":[{"parts":[{"text":"Hi"}]}],"systemInstruction":{"role":"user","parts":[{"text":"Edit."}]}}`,
			`{"contents":[{"parts":[{"text":"Hi"}]}],"systemInstruction":{"role":"user","parts":[{"text":"Edit."},{"text":"BLOCK"}]}}`},
		{"the other spelling", geminiPath, system,
			`{"system_instruction":{"parts":[{"text":"Edit."}]},"contents":[]}`, `{"system_instruction":{"parts":[{"text":"Edit."},{"text":"BLOCK"}]},"contents":[]}`},
		{"no system instruction", geminiPath, system,
			`{"contents":[]}`, `{"systemInstruction":{"parts":[{"text":"BLOCK"}]},"contents":[]}`},
		{"one part without brackets", geminiPath, system,
			`{"system_instruction":{"parts":{"text":"Edit."}},"contents":{"parts":{"text":"Hi"}}}`,
			`{"system_instruction":{"parts":[{"text":"Edit."},{"text":"BLOCK"}]},"contents":{"parts":{"text":"Hi"}}}`},
		{"one content without brackets", geminiPath, tail,
			`{"contents":{"parts":{"text":"Hi"}}}`,
			`{"contents":[{"role":"user","parts":[{"text":"BLOCK"}]},{"parts":{"text":"Hi"}}]}`},
		{"a cached prompt", geminiPath, system, // beside which there may be no system instruction
			`{"cachedContent":"cachedContents/1","contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`,
			`{"cachedContent":"cachedContents/1","contents":[{"role":"user","parts":[{"text":"BLOCK"}]},{"role":"user","parts":[{"text":"Hi"}]}]}`},
		{"no cached prompt", geminiPath, system,
			`{"cachedContent":"","contents":[]}`, `{"systemInstruction":{"parts":[{"text":"BLOCK"}]},"cachedContent":"","contents":[]}`},
		{"no parts", geminiPath, system,
			`{"systemInstruction":{"role":"user"},"contents":[]}`, `{"systemInstruction":{"parts":[{"text":"BLOCK"}],"role":"user"},"contents":[]}`},
		{"empty system instruction", geminiPath, system,
			`{"systemInstruction":{ },"contents":[]}`, `{"systemInstruction":{"parts":[{"text":"BLOCK"}]},"contents":[]}`},
		{"after responses", geminiPath, tail,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"get","response":{}}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"get","response":{}}}]},{"role":"user","parts":[{"text":"BLOCK"}]}]}`},
	} {
		t.Run(tc.path[strings.LastIndexByte(tc.path, '/')+1:]+" "+tc.at.String()+" "+tc.name, func(t *testing.T) {
			t.Parallel()
			w := llmhttp.New(knowing(t), &llmhttp.Options{Placement: tc.at})
			want := strings.ReplaceAll(tc.want, "BLOCK", block)
			for range 2 {
				assert.Equal(t, want, string(send(t, w, tc.path, []byte(tc.body))))
			}
		})
	}
}

// Bodies that are no requests of the API pass unchanged.
func TestOtherBodiesPass(t *testing.T) {
	t.Parallel()
	w := llmhttp.New(knowing(t), nil)
	for _, body := range []string{
		``, `{`, `[]`, `{}`, `null`, `"text"`, `{"messages":{}}`, `{"messages":"text"}`, `{"messages":[{"role":"user"}`,
		`{"messages":[],"messages":[]}`, `{"messages":[]} {}`, `{"input":null}`,
		`{"systemInstruction":{},"system_instruction":{},"contents":[]}`, `{"input":[1,]}`, `{"input":7}`, "{\"messages\":[\x00]}",
	} {
		for _, p := range protocols {
			assert.Equal(t, body, string(send(t, w, p.path, []byte(body))), p.name)
		}
	}
	twice := `{"system":"a","system":"b","messages":[]}`
	assert.Equal(t, twice, string(send(t, w, anthropic.path, []byte(twice))))
	for _, path := range []string{"/v1/embeddings", "/v1/messages/count_tokens", "/v1/chat/completions/1", "/"} {
		body := `{"messages":[{"role":"user","content":"Hi"}],"input":"Hi"}`
		assert.Equal(t, body, string(send(t, w, path, []byte(body))), path)
	}
}

// TestAppendedBlocksStay plays a conversation whose requests begin with the whole of the one
// before, though the client knows of no blocks.
func TestAppendedBlocksStay(t *testing.T) {
	t.Parallel()
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			rec, err := middleware.NewRecorder(&middleware.Options{Block: prompt.Options{Budget: 4096}}) // nothing is evicted
			require.NoError(t, err)
			w := llmhttp.New(rec, &llmhttp.Options{Placement: prompt.PlaceAppend})
			before := ""
			for n := 3; n < 80; n += 4 {
				sent := string(send(t, w, p.path, conversation(t, p, n)))
				if i := strings.LastIndex(before, `]`); before != "" {
					common := 0
					for common < i && before[common] == sent[common] {
						common++
					}
					assert.GreaterOrEqual(t, common, strings.LastIndex(before[:i], prompt.Title), "request of %d messages", n)
				}
				before = sent
			}
			assert.Greater(t, strings.Count(before, prompt.Title), 1)
		})
	}
}

// What is sent of a conversation is the same, however much of it is known.
func TestKnownBeginnings(t *testing.T) {
	t.Parallel()
	for _, p := range protocols {
		for _, at := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceAfterPrefix, prompt.PlaceTail} {
			t.Run(fmt.Sprintf("%s %s", p.name, at), func(t *testing.T) {
				t.Parallel()
				opts := &llmhttp.Options{Placement: at}
				a, b := new(middleware.Recorder), new(middleware.Recorder)
				known := llmhttp.New(a, opts)
				for _, n := range []int{1, 2, 3, 4, 5, 6, 9, 14, 14, 13, 40, 38, 7, 60, 61} {
					body := conversation(t, p, n)
					want := string(send(t, llmhttp.New(b, opts), p.path, body))
					assert.Equal(t, want, string(send(t, known, p.path, body)), "%d messages", n)
				}
			})
		}
	}
}

// Memory grows while a request is made again, or while the conversation goes on. The blocks that
// are appended may share a place.
func TestMemoryGrowsBetweenRequests(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path   string
		bodies []string
	}{
		"text of the user": {responses.path, []string{`{"input":"Hi"}`, `{"previous_response_id":"r","input":"Next"}`, `{"input":"Next"}`}},
		"made again":       {anthropic.path, []string{`{"messages":[{"role":"user","content":"Hi"}]}`, `{"messages":[{"role":"user","content":"Hi"}]}`}},
		"two users":        {anthropic.path, []string{`{"messages":[{"role":"user","content":"Hi"}]}`, `{"messages":[{"role":"user","content":"Hi"},{"role":"user","content":"Hello?"}]}`}},
		"no messages":      {chat.path, []string{`{"messages":[]}`, `{"messages":[]}`}},
		"no contents":      {gemini.path, []string{`{"contents":[]}`, `{"contents":{"parts":{"text":"Hi"}}}`}},
	} {
		rec := knowing(t)
		w := llmhttp.New(rec, &llmhttp.Options{Placement: prompt.PlaceAppend})
		for i, body := range tc.bodies {
			require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: fmt.Sprintf("page-%d", 2001+i), Name: "News"}))
			sent := string(send(t, w, tc.path, []byte(body)))
			require.True(t, json.Valid([]byte(sent)), "%s: %s", name, sent)
			assert.Contains(t, sent, fmt.Sprintf("page-%d", 2001+i), name)
			assert.Equal(t, 1, strings.Count(sent, "page-1001"), name)
		}
	}
}

// The markers for a provider's cache, which move, do not hide where earlier blocks were.
func TestAppendedBlocksStayThoughMarkersMove(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path, first, rest string // MARK is where a marker is in the first request
	}{
		"last field":  {anthropic.path, `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"MARK}]}`, `,{"role":"assistant","content":"Yes"},{"role":"user","content":"More"}`},
		"in a result": {anthropic.path, `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"text":"x"MARK,"type":"text"}]}]}`, `,{"role":"assistant","content":"Yes"},{"role":"user","content":"More"}`},
		"chat":        {chat.path, `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"MARK}]}`, `,{"role":"assistant","content":"Yes"},{"role":"user","content":"More"}`},
		"responses":   {responses.path, `{"input":[{"role":"user","content":[{"type":"input_text","text":"Hi"MARK}]}`, `,{"role":"assistant","content":"Yes"},{"role":"user","content":"More"}`},
	} {
		for _, marker := range []string{`,"cache_control":{"type":"ephemeral"}`, `, "prompt_cache_breakpoint": true`} {
			rec := knowing(t)
			w := llmhttp.New(rec, &llmhttp.Options{Placement: prompt.PlaceAppend})
			send(t, w, tc.path, []byte(strings.Replace(tc.first, "MARK", marker, 1)+`]}`))
			require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: "page-1002", Name: "News"}))
			sent := string(send(t, w, tc.path, []byte(strings.Replace(tc.first, "MARK", "", 1)+tc.rest+`]}`)))
			assert.Less(t, strings.Index(sent, "page-1001"), strings.Index(sent, "Yes"), "%s: the earlier block is where it was", name)
			assert.Greater(t, strings.Index(sent, "page-1002"), strings.Index(sent, "Yes"), name)
		}
	}
}

func FuzzRequest(f *testing.F) {
	for _, p := range protocols {
		f.Add(bytes.ReplaceAll(conversation(f, p, 9), []byte("lorem ipsum "), nil), 3)
	}
	f.Add([]byte(`{"messages":[{"role":"system","content":"[WORKING MEMORY]\npages:\n  - \"About\" (page-2002)"}]}`), 1)
	f.Add([]byte(`{"system":[{"text":"\ud800"}],"messages":[{"role":"user","content":[]}]}`), 2)
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		for _, p := range protocols {
			rec := knowing(t)
			w := llmhttp.New(rec, &llmhttp.Options{Placement: prompt.Placement(at & 3)})
			sent := send(t, w, p.path, body)
			again := send(t, w, p.path, body)
			require.Equal(t, sent, again)
			require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: "page-1002", Name: "News"}))
			grown := send(t, w, p.path, body)
			require.True(t, json.Valid(grown) || !json.Valid(body), "%s", grown)
			if string(sent) == string(body) {
				continue
			}
			require.True(t, json.Valid(sent) || !json.Valid(body), "%s", sent)
			require.Contains(t, string(sent), prompt.Title)
			if !strings.Contains(string(body), prompt.Title) {
				requireInserted(t, string(body), string(sent))
			}
		}
	})
}

// requireInserted requires that sent is body with text inserted in one place. TestEdits has the
// cases in which a text of the user becomes one of two parts or messages.
func requireInserted(t *testing.T, body, sent string) {
	n := 0
	for n < len(body) && body[n] == sent[n] {
		n++
	}
	if !strings.HasSuffix(sent, body[n:]) {
		require.Regexp(t, `\[\{"(type":"text","text|role":"system","content)":"`, sent)
	}
}
