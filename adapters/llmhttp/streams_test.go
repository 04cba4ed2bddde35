package llmhttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

const events = "text/event-stream"

// parts is a body that is received in parts, one with each Read.
type parts struct{ left []string }

func (p *parts) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.left[0])
	if p.left[0] = p.left[0][n:]; p.left[0] == "" {
		p.left = p.left[1:]
	}
	return n, nil
}

func (p *parts) Close() error { return nil }

// stream returns what a client receives of a stream that arrives in parts.
func stream(tb testing.TB, rec *middleware.Recorder, path string, left ...string) (string, error) {
	resp := answering(events, "")
	resp.Body = &parts{left}
	got, err := receive(tb, llmhttp.New(rec, nil), path, resp)
	assert.EqualValues(tb, -1, resp.ContentLength)
	return got, err
}

// replyOf returns what the events of a stream say.
func replyOf(tb testing.TB, p protocol, text string) adaptertest.Reply {
	reply, err := (&client{protocol: p}).readEvents(strings.NewReader(text))
	require.NoError(tb, err)
	return reply
}

// cut returns a text in parts.
func cut(random *rand.Rand, text string) (all []string) {
	most := 1 + random.IntN(60)
	for len(text) > 0 {
		n := min(1+random.IntN(most), len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		all, text = append(all, text[:n]), text[n:]
	}
	return all
}

// source draws a source of random numbers.
func source(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

// texts are what strings in arguments consist of.
var texts = []string{
	"page#1", "Page#2", "page#3", "page#9", "#", "page", "#1", "1", "a", "-", "_", "/", `\`, "%2F", `"`, "{", "}", "[", ":", ",", " ", "\n", "é", "日", "😀",
	homeID, "\\n", strings.Repeat("x", 50), strings.Repeat("word ", 30), strings.Repeat("w", 300), `{"id":"page#1"}`, `["page#2 x"]`, `"page#1"`,
}

// drawText returns a text for arguments.
func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(texts), 0, 7).Draw(t, "text"), "")
}

// drawArguments returns arguments as JSON, with some escapes that are not necessary.
func drawArguments(t *rapid.T) string {
	value := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		value[drawText(t)] = []any{drawText(t), map[string]any{"n": 1.5, drawText(t): drawText(t)}, nil, true}
	}
	text := encode(value)
	if rapid.Bool().Draw(t, "nested") {
		text = encode(map[string]any{"arguments": text})
	}
	if rapid.Bool().Draw(t, "escapes") {
		text = strings.NewReplacer("#", `\u0023`, "p", `\u0070`, "/", `\/`).Replace(text)
	}
	return text
}

// chatEvent returns an event with a piece of arguments.
func chatEvent(index int, kind, piece string) string {
	field := map[string]string{"function": "arguments", "custom": "input"}[kind]
	return "data: " + encode(object{"id": "c", "choices": []any{object{"index": 0, "delta": object{"tool_calls": []any{
		object{"index": index, kind: object{field: piece}},
	}}}}}) + "\n\n"
}

// chatPieces returns the pieces of arguments in events.
func chatPieces(tb testing.TB, index int, text string) string {
	var all strings.Builder
	for _, event := range strings.Split(text, "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			ID      string
			Choices []struct {
				Delta struct {
					ToolCalls []struct {
						Index    int
						Function struct{ Arguments string }
						Custom   struct{ Input string }
					} `json:"tool_calls"`
				}
			}
		}
		require.NoError(tb, json.Unmarshal([]byte(data), &chunk))
		require.Equal(tb, "c", chunk.ID)
		for _, c := range chunk.Choices[0].Delta.ToolCalls {
			if c.Index == index {
				all.WriteString(c.Function.Arguments + c.Custom.Input)
			}
		}
	}
	return all.String()
}

// Arguments in pieces are decoded as whole ones are, wherever they are cut, and wherever the stream
// is cut. Two calls arrive by turns.
func TestStreamedArguments(t *testing.T) {
	t.Parallel()
	rec := withHandles(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		random := source(rt)
		var all []string
		calls, kinds := make([]string, 2), make([]string, 2)
		for i := range calls {
			calls[i], kinds[i] = drawArguments(rt), "function"
			if rapid.Bool().Draw(rt, "custom") {
				calls[i], kinds[i] = drawText(rt), "custom"
			}
			at := 0
			for _, piece := range cut(random, calls[i]) {
				at = min(at+1+random.IntN(2), len(all))
				all = slices.Insert(all, at, chatEvent(i, kinds[i], piece))
			}
		}
		got, err := stream(t, rec, chat.path, cut(random, strings.Join(all, "")+chatEnd)...)
		want := make([]any, len(calls))
		for i, call := range calls {
			var wrong error
			if want[i], wrong = rec.DecodeArguments(t.Context(), call); wrong != nil {
				require.ErrorAs(rt, err, new(*handle.UnknownError))
				require.NotContains(rt, got, "[DONE]")
				return
			}
		}
		require.NoError(rt, err)
		for i := range calls {
			requireSameArguments(rt, want[i].(string), chatPieces(t, i, got), kinds[i])
		}
	})
}

// With handle.Options.WholeOnly, handles inside of longer strings stay.
func TestStreamedArgumentsInWholeStrings(t *testing.T) {
	t.Parallel()
	rec := withHandles(t, &handle.Options{WholeOnly: true})
	for _, arguments := range []any{
		object{"id": "page#1", "page#2": []string{"a/page#1", "see page#1", "page#1."}},
		object{"text": encode(object{"id": "page#1", "text": "see page#1"})},
		object{"text": encode(object{"text": encode(object{"id": "page#1", "text": "see page#1"})})},
	} {
		for _, size := range []int{1, 7, 1000} {
			var all []string
			for part := range slices.Chunk([]byte(encode(arguments)), size) {
				all = append(all, chatEvent(0, "function", string(part)))
			}
			got, err := stream(t, rec, chat.path, append(all, chatEnd)...)
			require.NoError(t, err)
			want, err := rec.DecodeArguments(t.Context(), encode(arguments))
			require.NoError(t, err)
			assert.JSONEq(t, want.(string), chatPieces(t, 0, got))
		}
	}
}

// A handle is decoded whatever length of word follows it, with and without escapes.
func TestStreamedArgumentsInLongWords(t *testing.T) {
	t.Parallel()
	rec := withHandles(t, nil)
	for _, n := range []int{1, 60, 80, 100, 127, 128, 129, 200, 511, 512, 700, 2000} {
		for _, w := range []string{"w", `\u0077`} {
			arguments := `{"text":"page#1#` + strings.Repeat(w, n) + ` page#1"}`
			var all []string
			for part := range slices.Chunk([]byte(arguments), 7) {
				all = append(all, chatEvent(0, "function", string(part)))
			}
			got, err := stream(t, rec, chat.path, append(all, chatEnd)...)
			require.NoError(t, err)
			want, err := rec.DecodeArguments(t.Context(), arguments)
			require.NoError(t, err)
			assert.NotContains(t, want, "page#1")
			assert.JSONEq(t, want.(string), chatPieces(t, 0, got), "%d of %s", n, w)
		}
	}
}

// chatEnd is the end of a stream of calls.
const chatEnd = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// requireSameArguments compares JSON, in which escapes may differ, or texts.
func requireSameArguments(t *rapid.T, want, got, kind string) {
	if kind == "custom" {
		require.Equal(t, want, got)
		return
	}
	require.JSONEq(t, want, got)
}

// A stream in which there is nothing to decode is passed byte for byte.
func TestOtherEventsPass(t *testing.T) {
	t.Parallel()
	body := ": comment page#1\n\nretry: 7\nid: page#1\nevent: x\ndata: page#1\n\n\n\r\n" +
		"data: {\"choices\":[{\"delta\":{\"content\":\"page#1\"}}]}\r\n\r\ndata:{\"tool_calls\":\ndata: 1}\n\nid:7\rdata: [\"tool_calls\"]\r\r" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"n\\\": \\u0031\"}}]}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\",\\\"id\\\":\\\"a b \\\"}\"}}]}}]}\n\ndata: [DONE]\n\ndata: page#1"
	rec := withHandles(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		got, err := stream(t, rec, chat.path, cut(source(rt), body)...)
		require.NoError(rt, err)
		require.Equal(rt, body, got)
	})
}

// decodedStreams are streams and what becomes of them.
var decodedStreams = []struct{ name, path, body, want string }{
	{"several lines of data", chat.path,
		"id: 1\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":\ndata:   {\"arguments\":\"{\\\"id\\\":\\\"page#1\\\"}\"}}]}}]}\nx: y\n\n",
		"id: 1\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":\ndata:   {\"arguments\":\"{\\\"id\\\":\\\"HOME\\\"}\"}}]}}]}\nx: y\n\n"},
	{"whole objects and messages", chat.path,
		`data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"id": "page#1"}}}]},"message":{"tool_calls":[{"function":{"arguments":"{\"id\":\"page#2\"}"}}]}}]}`,
		`data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"id": "HOME"}}}]},"message":{"tool_calls":[{"function":{"arguments":"{\"id\":\"NEWS\"}"}}]}}]}`},
	{"two calls of one index", chat.path,
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"arguments\":\"{\\\"id\\\":\\\"page#1\\\"}\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"arguments\":\"{\\\"id\\\":\\\"page#2\\\"}\"}}]}}]}\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"arguments\":\"{\\\"id\\\":\\\"HOME\\\"}\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"arguments\":\"{\\\"id\\\":\\\"NEWS\\\"}\"}}]}}]}\n\n"},
	{"arguments that end before their string does", chat.path,
		"data: {\"id\":\"c\",\"choices\":[{\"index\":1,\"delta\":{\"role\":\"assistant\",\"function_call\":{\"name\":\"get\",\"arguments\":\"{\\\"id\\\":\\\"page#1\"}}}]}\n\ndata: {\"id\":\"c\",\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
		"data: {\"id\":\"c\",\"choices\":[{\"index\":1,\"delta\":{\"role\":\"assistant\",\"function_call\":{\"name\":\"get\",\"arguments\":\"{\\\"id\\\":\\\"\"}}}]}\n\ndata: {\"id\":\"c\",\"choices\":[{\"index\":1,\"delta\":{\"function_call\":{\"arguments\":\"HOME\"}},\"finish_reason\":null}]}\n\ndata: {\"id\":\"c\",\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"},
	{"the last piece with the end", chat.path,
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"rm page#\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"1\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"rm \"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"HOME\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"},
	{"no end at all", chat.path,
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"custom\":{\"input\":\"page#1\"}}]}}]}\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"custom\":{\"input\":\"\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"HOME\"}}]},\"finish_reason\":null}]}\n\n"},
	{"custom tool", responses.path,
		"event: a\ndata: {\"type\":\"response.custom_tool_call_input.delta\",\"output_index\":1,\"delta\":\"page#1\",\"sequence_number\":1}\n\ndata: {\"type\":\"response.custom_tool_call_input.done\",\"output_index\":1,\"input\":\"page#1\"}\n\ndata: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"custom_tool_call\",\"input\":\"page#1\"}}\n\n",
		"event: a\ndata: {\"type\":\"response.custom_tool_call_input.delta\",\"output_index\":1,\"delta\":\"\",\"sequence_number\":1}\n\nevent: a\ndata: {\"type\":\"response.custom_tool_call_input.delta\",\"output_index\":1,\"delta\":\"HOME\",\"sequence_number\":1}\n\ndata: {\"type\":\"response.custom_tool_call_input.done\",\"output_index\":1,\"input\":\"HOME\"}\n\ndata: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"custom_tool_call\",\"input\":\"HOME\"}}\n\n"},
	{"tools of the server", anthropic.path,
		"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"q\\\":\\\"page#1\\\"}\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"input\":{\"id\":\"page#1\"}}}\n\n",
		"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"q\\\":\\\"page#1\\\"}\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"input\":{\"id\":\"HOME\"}}}\n\n"},
}

func TestStreams(t *testing.T) {
	t.Parallel()
	for _, tc := range decodedStreams {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := withHandles(t, nil)
			got, err := stream(t, rec, tc.path, strings.Split(tc.body, "")...)
			require.NoError(t, err)
			assert.Equal(t, strings.NewReplacer("HOME", homeID, "NEWS", newsID).Replace(tc.want), got)
			resp := answering(events, tc.body)
			unchanged, err := receive(t, llmhttp.New(new(middleware.Recorder), nil), tc.path, resp)
			require.NoError(t, err)
			assert.Equal(t, tc.body, unchanged, "without handles")
			assert.EqualValues(t, len(tc.body), resp.ContentLength, "without handles")
		})
	}
}

// Text passes at once, and arguments but for the word at their end.
func TestStreamsAreNotHeldBack(t *testing.T) {
	t.Parallel()
	words := strings.Fields("The page has moved to page#1 and it is about ink, 3/4 of a gallon-sized jar of Ink-Blue-550e8400-e29b.")
	call := adaptertest.Call{ID: "1", Name: "set_text", Arguments: encode(object{"text": strings.Join(words, " ")})}
	for _, p := range []protocol{chat, responses, anthropic} {
		all := p.events(adaptertest.Reply{Text: strings.Join(words, " "), Calls: []adaptertest.Call{call}})
		resp := answering(events, "")
		resp.Body = &parts{slices.Clone(all)}
		resp, err := llmhttp.New(withHandles(t, nil), nil).Middleware(asking(t, p.path, hello(p.path)), answerWith(resp))
		require.NoError(t, err)
		got, buffer := "", make([]byte, 1<<20)
		for i := range all {
			n, err := resp.Body.Read(buffer)
			require.NoError(t, err)
			got += string(buffer[:n])
			if strings.Contains(all[i], ".done") || strings.Contains(all[i], "completed") {
				break
			}
			said, shown := replyOf(t, p, strings.Join(all[:i+1], "")), replyOf(t, p, got)
			assert.Equal(t, said.Text, shown.Text, p.name)
			require.Len(t, shown.Calls, len(said.Calls))
			if len(said.Calls) == 0 {
				continue
			}
			before, after := said.Calls[0].Arguments, strings.ReplaceAll(shown.Calls[0].Arguments, homeID, "page#1")
			require.True(t, strings.HasPrefix(before, after), "%q %q", before, after)
			held := before[len(after):]
			assert.NotContains(t, held, " ", "%s: %q of %q", p.name, held, before)
			assert.Less(t, len(held), 10, held)
		}
	}
}

// An unknown handle ends a stream before the call is complete.
func TestUnknownHandleInStream(t *testing.T) {
	t.Parallel()
	for _, p := range protocols {
		for _, arguments := range []object{{"id": "page#9"}, {"a": "page#1", "z": encode(object{"id": []string{"page#9"}})}} {
			call := adaptertest.Call{ID: "1", Name: "get_page", Arguments: encode(arguments)}
			got, err := stream(t, withHandles(t, nil), p.pathOf(true), p.events(adaptertest.Reply{Text: "Let me see.", Calls: []adaptertest.Call{call}})...)
			var unknown *handle.UnknownError
			require.ErrorAs(t, err, &unknown, p.name)
			assert.Equal(t, "page#9", unknown.Handle)
			assert.ErrorContains(t, err, "llmhttp: ")
			reply := replyOf(t, p, got)
			assert.Equal(t, "Let me see.", reply.Text)
			for _, c := range reply.Calls {
				assert.False(t, json.Valid([]byte(c.Arguments)), c.Arguments)
			}
		}
	}
}

// Gemini streams a list unless it is asked for events.
func TestStreamedList(t *testing.T) {
	t.Parallel()
	body := "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"}{\\\"page#1\"}]}}]}\n,\r\n{\"candidates\": [{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"get\",\"args\":{\"id\":\"page#1\"}}}]}}]}\n]\n"
	for _, body := range []string{body, `{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"id":"page#1"}}}]}}]}`, `[]`, ``} {
		resp := answering("application/json", "")
		resp.Body = &parts{strings.Split(body, "")}
		got, err := receive(t, llmhttp.New(withHandles(t, nil), nil), gemini.pathOf(true), resp)
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(body, `"id":"page#1`, `"id":"`+homeID), got)
	}
	resp := answering("application/json", "")
	resp.Body = &parts{strings.SplitAfter(strings.ReplaceAll(body, `"id":"page#1`, `"id":"page#9`), "\n")}
	got, err := receive(t, llmhttp.New(withHandles(t, nil), nil), gemini.pathOf(true), resp)
	var unknown *handle.UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, body[:strings.Index(body, "\n")], got)
}

// An event that is too long passes as it is, and so does what follows it.
func TestLongEvent(t *testing.T) {
	t.Parallel()
	long, last := "data: {\"x\":\""+strings.Repeat("x", 17<<20)+"\"}\n\n", chatEvent(0, "function", `{"id":"page#1"}`)
	got, err := stream(t, withHandles(t, nil), chat.path, long, last)
	require.NoError(t, err)
	assert.True(t, got == long+last)

	got, err = stream(t, withHandles(t, nil), chat.path, chatEvent(0, "custom", "rm page#1"), long)
	require.NoError(t, err)
	assert.Equal(t, "rm "+homeID, chatPieces(t, 0, strings.TrimSuffix(got, long)))
	assert.True(t, strings.HasSuffix(got, long))
}

// Calls that never end do not make a stream slow.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 400 {
		all = append(all, chatEvent(i, "custom", "rm page#1"))
	}
	got, err := stream(t, withHandles(t, nil), chat.path, all...)
	require.NoError(t, err)
	for i := range 400 {
		require.Equal(t, 1, strings.Count(got, fmt.Sprintf(`"index":%d,"custom":{"input":"%s"}`, i, homeID)))
	}
}

// FuzzResponse passes any answer, plain and streamed, without handles and with.
func FuzzResponse(f *testing.F) {
	for _, tc := range answers {
		f.Add([]byte(tc.body), 1)
	}
	for _, tc := range decodedStreams {
		f.Add([]byte(tc.body), 2)
	}
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"\\ud800\"}}]}}]}\r\r"), 5)
	f.Fuzz(func(t *testing.T, body []byte, size int) {
		size = 1 + size&63
		for _, p := range protocols {
			for _, media := range []string{"application/json", events} {
				for _, path := range []string{p.path, p.pathOf(true)} {
					split := func() *parts {
						all := new(parts)
						for piece := range slices.Chunk(body, size) {
							all.left = append(all.left, string(piece))
						}
						return all
					}
					resp := answering(media, "")
					resp.Body = split()
					got, err := receive(t, llmhttp.New(new(middleware.Recorder), nil), path, resp)
					require.NoError(t, err)
					require.Equal(t, string(body), got)
					resp = answering(media, "")
					resp.Body = split()
					got, err = receive(t, llmhttp.New(withHandles(t, nil), nil), path, resp)
					if err != nil {
						require.ErrorAs(t, err, new(*handle.UnknownError))
						continue
					}
					require.True(t, json.Valid([]byte(got)) || !json.Valid(body), "%s", got)
					if !bytes.ContainsAny(body, `#\`) && !bytes.Contains(body, []byte("tool")) && !bytes.Contains(body, []byte("delta")) {
						require.Equal(t, string(body), got)
					}
				}
			}
		}
	})
}
