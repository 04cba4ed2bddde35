// Package endpoint connects commands with models behind an endpoint that speaks OpenAI's
// protocol: OpenAI's own, or that of Ollama, vLLM, llama.cpp, LiteLLM and others.
package endpoint

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Config says which models. The zero value has none.
type Config struct {
	// Model and EmbeddingModel are "" where there is none.
	Model, EmbeddingModel string
	// BaseURL is that of the endpoint, "" for OpenAI's.
	BaseURL string
	// Key is the endpoint's; "" where it needs none.
	Key string
	// MaxAnswerBytes is the longest answer that is read; 0 means 64 MiB.
	MaxAnswerBytes int
	// OnCall is told of each call: of which kind it was, how long it took and, if it failed,
	// that. nil means that nobody is.
	OnCall func(kind string, took time.Duration, err error)
	// Logger is told why a call failed, in words of ours. It must not be nil.
	Logger *slog.Logger
}

// Kinds of calls.
const (
	Chat       = "chat"
	Embeddings = "embeddings"
)

// timeout is longer than any of our calls may take: what calls a model has a limit of its own.
const timeout = 10 * time.Minute

// noKey goes to an endpoint that needs no key: the client insists on one.
const noKey = "none"

// options of the client name everything, so that it looks nothing up in the environment.
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

// Chat returns the model that writes, nil if there is none. Its errors have nothing of what an
// endpoint said.
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

// Embedder returns what makes vectors, nil if there is none.
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
	return langchain.NewEmbedder(e, c.EmbeddingModel), nil
}
