package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

const endpointKey = "sk-hunter2"

// endpoint serves the necessary part of OpenAI's protocol.
type endpoint struct {
	*httptest.Server
	fails           atomic.Bool
	chats, embedded atomic.Int64
}

func newEndpoint(t *testing.T) *endpoint {
	e := &endpoint{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", e.chat)
	mux.HandleFunc("POST /v1/embeddings", e.embed)
	e.Server = httptest.NewServer(mux)
	t.Cleanup(e.Close)
	return e
}

// refuses answers with an error that quotes the key and the request.
func (e *endpoint) refuses(w http.ResponseWriter, r *http.Request, model, want string, asked any) bool {
	if r.Header.Get("Authorization") == "Bearer "+endpointKey && model == want && !e.fails.Load() {
		return false
	}
	w.WriteHeader(http.StatusUnauthorized)
	message := fmt.Sprintf("model %q, %s: %v", model, r.Header.Get("Authorization"), asked)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message}})
	return true
}

func (e *endpoint) chat(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string
		Messages []any
	}
	if json.NewDecoder(r.Body).Decode(&request) != nil || e.refuses(w, r, request.Model, "chat-7", request.Messages) {
		return
	}
	answer := `{"memories":[]}`
	if strings.Contains(fmt.Sprint(request.Messages), "SUMMARISE") {
		answer = "A summary by chat-7."
		e.chats.Add(1)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
		"message": map[string]any{"role": "assistant", "content": answer}, "finish_reason": "stop",
	}}})
}

// embed returns vectors by which texts about the sea are similar.
func (e *endpoint) embed(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model string
		Input []string
	}
	if json.NewDecoder(r.Body).Decode(&request) != nil || e.refuses(w, r, request.Model, "vectors-7", request.Input) {
		return
	}
	e.embedded.Add(int64(len(request.Input)))
	data := []any{}
	for i, text := range request.Input {
		vector := []float64{1, 0}
		for _, word := range []string{"sail", "ocean"} {
			if strings.Contains(text, word) {
				vector = []float64{0, 1}
			}
		}
		data = append(data, map[string]any{"index": i, "embedding": vector})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// serveWithModels runs wmem serve with both models. A file has the key.
func serveWithModels(t *testing.T, e *endpoint, args ...string) *served {
	t.Helper()
	file := filepath.Join(t.TempDir(), "wmem.yaml")
	require.NoError(t, os.WriteFile(file, []byte("openai-api-key: "+endpointKey+"\n"), 0o600))
	return startServe(t, append([]string{
		"--config", file, "--base-url", e.URL + "/v1", "--model", "chat-7", "--embedding-model", "vectors-7", "--promote-after", "0s",
	}, args...)...)
}

// The model writes the summary, and search finds a memory that shares no word with the question.
func TestServeModels(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t)
	s := serveWithModels(t, e, "--summary-prompt", "SUMMARISE {prev_summary} {messages_joined}")
	assert.Contains(t, s.errs.String(), "model chat-7, embedder vectors-7, auth none")
	c := s.client(t, "")

	var err error
	var session *wire.Session
	for i := range 8 {
		text := strings.Repeat("The harbour of Rotterdam is large. ", 10)
		session, err = c.Append(t.Context(), "s-1", message(fmt.Sprint("m-", i), text), &client.WriteOptions{Window: 500})
		require.NoError(t, err)
	}
	require.NotNil(t, session.Context)
	assert.Contains(t, *session.Context, "A summary by chat-7.")
	assert.Positive(t, e.chats.Load())

	require.NoError(t, c.CreateMemories(t.Context(), &wire.MemoryBody{Memories: []wire.Memory{
		{ID: "boat", Text: "Anna learned to sail."}, {ID: "tea", Text: "Anna drinks tea."},
	}}, nil))
	question := "Who knows the ocean?"
	found, err := c.Search(t.Context(), &wire.Search{Text: &question})
	require.NoError(t, err)
	require.NotEmpty(t, found.Memories)
	assert.Equal(t, "boat", found.Memories[0].ID)
	assert.Equal(t, "semantic", *found.Memories[0].ScoreType)
	assert.Positive(t, e.embedded.Load())
	assert.Equal(t, exitOK, s.stop())
	assert.NotContains(t, s.errs.String(), "hunter2")
}
