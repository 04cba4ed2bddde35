package llmhttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// conversation returns a request of n messages: in turns a user, a call, its result of 1 KB, and
// an answer.
func conversation(tb testing.TB, p protocol, n int) []byte {
	var messages []any
	for i := 0; len(messages) < n; i++ {
		call := adaptertest.Call{ID: fmt.Sprintf("call_%d", i), Name: "get_page", Arguments: fmt.Sprintf(`{"page_id":"page-%d"}`, 1000+i)}
		result := fmt.Sprintf(`{"page":{"id":"page-%d","title":"Page %d","text":%q}}`, 1000+i, i, strings.Repeat("lorem ipsum ", 80))
		messages = append(messages, p.user("Get the next page."), p.answer(adaptertest.Reply{Calls: []adaptertest.Call{call}}))
		messages = append(messages, p.results([]adaptertest.Call{call}, []string{result}, []bool{false})...)
		messages = append(messages, p.answer(adaptertest.Reply{Text: "Here it is."}))
	}
	body, err := json.Marshal(p.request("You edit a website.", messages))
	require.NoError(tb, err)
	return body
}

// send passes a body through a WorkingMemory, and returns what would be sent.
func send(tb testing.TB, w *llmhttp.WorkingMemory, path string, body []byte) []byte {
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, "http://localhost"+path, bytes.NewReader(body))
	require.NoError(tb, err)
	var sent []byte
	_, err = w.Middleware(req, func(req *http.Request) (*http.Response, error) {
		sent, err = io.ReadAll(req.Body)
		return nil, err
	})
	require.NoError(tb, err)
	return sent
}

// BenchmarkRequestWithHandles is BenchmarkRequest with handles for an id in each result.
func BenchmarkRequestWithHandles(b *testing.B) {
	for _, p := range protocols {
		for _, known := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/known=%v", p.name, known), func(b *testing.B) {
				body := []byte(strings.ReplaceAll(string(conversation(b, p, 1000)), "page-", "6ba7b810-9dad-11d1-80b4-00c04fd4"))
				rec, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil)})
				require.NoError(b, err)
				w := llmhttp.New(rec, nil)
				require.Contains(b, string(send(b, w, p.path, body)), "page#250")
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if !known {
						w = llmhttp.New(rec, nil)
					}
					send(b, w, p.path, body)
				}
			})
		}
	}
}

// BenchmarkStream is what a stream of arguments costs, in events of 20 bytes of them.
func BenchmarkStream(b *testing.B) {
	var all strings.Builder
	text := encode(object{"id": "page#1", "text": strings.Repeat("lorem ipsum dolor sit amet ", 2000)})
	for piece := range slices.Chunk([]byte(text), 20) {
		all.WriteString(chatEvent(0, "function", string(piece)))
	}
	w := llmhttp.New(withHandles(b, nil), nil)
	b.SetBytes(int64(all.Len()))
	b.ReportAllocs()
	for b.Loop() {
		_, err := receive(b, w, chat.path, answering(events, all.String()))
		require.NoError(b, err)
	}
}

// BenchmarkRequest is what a request costs whose conversation is known but for the last four
// messages, and what an unknown one costs.
func BenchmarkRequest(b *testing.B) {
	for _, p := range protocols {
		for _, n := range []int{10, 100, 1000} {
			body := conversation(b, p, n)
			for _, known := range []bool{true, false} {
				b.Run(fmt.Sprintf("%s/messages=%d/known=%v", p.name, n, known), func(b *testing.B) {
					rec := new(middleware.Recorder)
					w := llmhttp.New(rec, nil)
					send(b, w, p.path, body)
					b.SetBytes(int64(len(body)))
					b.ReportAllocs()
					for b.Loop() {
						if !known {
							w = llmhttp.New(rec, nil)
						}
						send(b, w, p.path, body)
					}
				})
			}
		}
	}
}
