package providers_test

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
)

// textEmbedder is an embeddings.Embedder of the vectors that tests have.
type textEmbedder struct{ drivertest.Embedder }

func (e *textEmbedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return e.Embed(ctx, texts)
}

func (e *textEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func newEmbedder() *providers.Embedder {
	return providers.NewEmbedder(&textEmbedder{drivertest.Embedder{Dimension: 32}}, "words/32")
}

// vectorStore is a vector store in the process, which finds by cosine.
type vectorStore struct {
	embedder embeddings.Embedder

	mu        sync.Mutex
	documents []storedDocument
	searches  []int                                           // how many documents were asked for
	filters   any                                             // of the last search
	fail      func() error                                    // of every call, may be nil
	spoil     func(found []schema.Document) []schema.Document // changes what is found, may be nil
}

type storedDocument struct {
	schema.Document
	space  string
	vector []float32
}

var _ vectorstores.VectorStore = (*vectorStore)(nil)

func (s *vectorStore) AddDocuments(ctx context.Context, docs []schema.Document, options ...vectorstores.Option) ([]string, error) {
	opts := s.optionsOf(options)
	texts := make([]string, len(docs))
	for i := range docs {
		texts[i] = docs[i].PageContent
	}
	vectors, err := opts.Embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail()
	}
	for i := range docs {
		s.documents = append(s.documents, storedDocument{docs[i], opts.NameSpace, vectors[i]})
	}
	return make([]string, len(docs)), nil
}

func (s *vectorStore) SimilaritySearch(ctx context.Context, query string, n int, options ...vectorstores.Option) ([]schema.Document, error) {
	opts := s.optionsOf(options)
	vector, err := opts.Embedder.EmbedQuery(ctx, query)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searches, s.filters = append(s.searches, n), opts.Filters
	if s.fail != nil {
		return nil, s.fail()
	}
	var found []schema.Document
	for _, d := range s.documents {
		if d.space == opts.NameSpace && len(d.vector) == len(vector) {
			for i := range vector {
				d.Score += vector[i] * d.vector[i]
			}
			found = append(found, d.Document)
		}
	}
	slices.SortStableFunc(found, func(a, b schema.Document) int { return cmp.Compare(b.Score, a.Score) })
	if s.spoil != nil {
		found = s.spoil(found)
	}
	return found[:min(n, len(found))], nil
}

func (s *vectorStore) optionsOf(options []vectorstores.Option) vectorstores.Options {
	opts := vectorstores.Options{Embedder: s.embedder}
	for _, o := range options {
		o(&opts)
	}
	return opts
}

func (s *vectorStore) asked() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.searches)
}

// entryOf is a record as a Memory would write it.
func entryOf(embedder *providers.Embedder, r longterm.Record) *driver.Entry {
	r.Hash = driver.HashOf(&r, false)
	vectors, err := embedder.Embed(context.Background(), []string{r.Text})
	if err != nil {
		panic(err)
	}
	return &driver.Entry{Record: r, Terms: driver.QueryTerms(r.Text), Vector: vectors[0], Model: embedder.Model()}
}
