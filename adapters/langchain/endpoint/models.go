// Package endpoint provides models behind an endpoint with OpenAI's protocol: OpenAI's own, or
// one of Ollama, vLLM, llama.cpp, LiteLLM and others.
package endpoint

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Config configures the models of an endpoint. The zero value has none.
type Config struct {
	// Model and EmbeddingModel are the names of the models. An empty name means none.
	Model, EmbeddingModel string
	// BaseURL is the URL of the endpoint. "" means OpenAI's.
	BaseURL string
	// Key is the API key. It may be empty if the endpoint needs none.
	Key string
	// MaxAnswerBytes is the length of the longest answer that is read. 0 means 64 MiB.
	MaxAnswerBytes int
	// OnCall receives the kind, the duration and the error of each call. It may be nil.
	OnCall func(kind string, took time.Duration, err error)
	// Logger receives failed calls, without the endpoint's text. It must not be nil.
	Logger *slog.Logger
}

// Kinds of calls.
const (
	Chat       = "chat"
	Embeddings = "embeddings"
)

// timeout limits a call of the client. The callers of models have shorter limits.
const timeout = 10 * time.Minute

// noKey is sent to an endpoint that needs no key, because the client requires one.
const noKey = "none"

// options returns the options of the client. They leave nothing to be read from the
// environment.
func (c Config) options() []openai.Option {
	key, base := c.Key, c.BaseURL
	if key == "" {
		key = noKey
	}
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	return []openai.Option{openai.WithToken(key), openai.WithBaseURL(base), openai.WithHTTPClient(&http.Client{Timeout: timeout, Transport: bounded{http.DefaultTransport, c.maxAnswer()}})}
}

// Chat returns the model for text, or nil if Model is empty. Its errors contain no text from
// the endpoint.
func (c Config) Chat() (llms.Model, error) {
	if c.Model == "" {
		return nil, nil
	}
	m, err := openai.New(append(c.options(), openai.WithModel(c.Model))...)
	if err != nil {
		return nil, err
	}
	return &discreet{model: m, done: c.done}, nil
}

// Embedder returns the embedding model, or nil if EmbeddingModel is empty.
func (c Config) Embedder() (longterm.Embedder, error) {
	if c.EmbeddingModel == "" {
		return nil, nil
	}
	client, err := openai.New(append(c.options(), openai.WithEmbeddingModel(c.EmbeddingModel))...)
	if err != nil {
		return nil, err
	}
	create := embeddings.EmbedderClientFunc(func(ctx context.Context, texts []string) ([][]float32, error) {
		start := time.Now()
		vectors, err := client.CreateEmbedding(ctx, texts)
		return vectors, c.done(ctx, Embeddings, start, err)
	})
	e, err := embeddings.NewEmbedder(create)
	if err != nil {
		return nil, err
	}
	return providers.NewEmbedder(e, c.EmbeddingModel), nil
}
