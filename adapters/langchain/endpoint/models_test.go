package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/endpoint"
)

const secret = "hunter2"

// heard holds the last arguments of a Config's OnCall.
type heard struct {
	kind string
	err  error
}

// configOf returns a Config for a handler, what its OnCall receives, and its log.
func configOf(t *testing.T, handler http.HandlerFunc) (endpoint.Config, *heard, *bytes.Buffer) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	var logs bytes.Buffer
	last := &heard{}
	return endpoint.Config{
		Model: "m", EmbeddingModel: "e", BaseURL: server.URL, Key: "sk-" + secret,
		MaxAnswerBytes: 100_000,
		OnCall:         func(kind string, _ time.Duration, err error) { *last = heard{kind, err} },
		Logger:         slog.New(slog.NewTextHandler(&logs, nil)),
	}, last, &logs
}

func TestNoModels(t *testing.T) {
	t.Parallel()
	var none endpoint.Config
	chat, err := none.Chat()
	require.NoError(t, err)
	assert.Nil(t, chat)
	embedder, err := none.Embedder()
	require.NoError(t, err)
	assert.Nil(t, embedder, "also as an interface")
}

// TestCalls checks that the key and the names reach the endpoint, and that answers are returned.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-" + secret, ""} {
		var got atomic.Pointer[string]
		config, last, logs := configOf(t, func(w http.ResponseWriter, r *http.Request) {
			var body struct{ Model string }
			_ = json.NewDecoder(r.Body).Decode(&body)
			text := r.URL.Path + " " + body.Model + " " + r.Header.Get("Authorization")
			got.Store(&text)
			if strings.HasSuffix(r.URL.Path, "embeddings") {
				_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[0.5,1]}]}`)
				return
			}
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"yes"}}]}`)
		})
		if config.Key = key; key == "" {
			key = "none"
		}
		chat, err := config.Chat()
		require.NoError(t, err)
		answer, err := llms.GenerateFromSinglePrompt(t.Context(), chat, "?")
		require.NoError(t, err)
		assert.Equal(t, "yes", answer)
		assert.Equal(t, "/chat/completions m Bearer "+key, *got.Load())
		assert.Equal(t, heard{endpoint.Chat, nil}, *last)

		embedder, err := config.Embedder()
		require.NoError(t, err)
		vectors, err := embedder.Embed(t.Context(), []string{"text"})
		require.NoError(t, err)
		assert.Equal(t, [][]float32{{0.5, 1}}, vectors)
		assert.Equal(t, "/embeddings e Bearer "+key, *got.Load())
		assert.Equal(t, heard{endpoint.Embeddings, nil}, *last)
		assert.Empty(t, logs.String())
	}
}

// TestFailures checks that errors and logs contain nothing from the endpoint, for any answer.
func TestFailures(t *testing.T) {
	t.Parallel()
	answers := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"500":                  {answers(500, `{"error":{"message":"`+secret+`"}}`), "the endpoint answered with status 500"},
		"429":                  {answers(429, secret), "the endpoint answered with status 429"},
		"malformed":            {answers(200, `{"choices": `+secret), "the endpoint cannot be used"},
		"a page":               {answers(200, `<html>`+secret), "the endpoint cannot be used"},
		"nothing":              {answers(200, ``), "the endpoint cannot be used"},
		"an answer of another": {answers(200, `{"choices":[],"data":[]}`), ""},
		"cut":                  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the endpoint cannot be used"},
		"endless":              {endless, "the endpoint's answer is longer than 100000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, last, logs := configOf(t, tc.handler)
			chat, err := config.Chat()
			require.NoError(t, err)
			embedder, err := config.Embedder()
			require.NoError(t, err)
			for kind, call := range map[string]func() error{
				endpoint.Chat:       func() error { _, err := llms.GenerateFromSinglePrompt(t.Context(), chat, secret); return err },
				endpoint.Embeddings: func() error { _, err := embedder.Embed(t.Context(), []string{secret}); return err },
			} {
				err := call()
				require.Error(t, err, kind)
				assert.Contains(t, err.Error(), tc.want)
				assert.NotContains(t, err.Error(), secret)
				assert.Contains(t, logs.String(), tc.want)
				assert.NotContains(t, logs.String(), secret)
				if tc.want != "" {
					require.Error(t, last.err)
					assert.Equal(t, kind, last.kind)
				}
			}
		})
	}
}

// endless sends an answer without end.
func endless(w http.ResponseWriter, _ *http.Request) {
	_, err := io.WriteString(w, `{"choices":[{"message":{"content":"`)
	chunk := strings.Repeat(secret, 10_000)
	for sent := 0; err == nil && sent < 2_000_000; sent += len(chunk) {
		_, err = io.WriteString(w, chunk)
	}
	_, _ = io.WriteString(w, `"}}]}`)
}

// TestCancelled checks that a canceled call returns the context's error and logs nothing.
func TestCancelled(t *testing.T) {
	t.Parallel()
	config, _, logs := configOf(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // who has not read it does not hear that the client left
		<-r.Context().Done()
	})
	chat, err := config.Chat()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = llms.GenerateFromSinglePrompt(ctx, chat, secret)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NotContains(t, fmt.Sprint(err), secret)
	assert.Empty(t, logs.String())
}
