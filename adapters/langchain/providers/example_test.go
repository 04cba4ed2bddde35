package providers_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/fake"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// client is an example of an embedding model: it counts some letters.
func client(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		for _, letter := range "aeinst" {
			vectors[i] = append(vectors[i], float32(1+strings.Count(text, string(letter))))
		}
	}
	return vectors, nil
}

func ExampleNewEmbedder() {
	embedder, err := embeddings.NewEmbedder(embeddings.EmbedderClientFunc(client)) // such as openai.New()
	must(err)
	e := providers.NewEmbedder(embedder, "letters/6")

	vectors, err := e.Embed(context.Background(), []string{"seat", "tea"})
	must(err)
	fmt.Println(e.Model(), vectors)
	// Output: letters/6 [[2 2 1 1 2 2] [2 2 1 1 1 2]]
}

func ExampleNewLanguageModel() {
	model := providers.NewLanguageModel(fake.NewFakeLLM([]string{`{"memories": []}`}), &providers.LanguageModelOptions{
		CallOptions: []llms.CallOption{llms.WithJSONMode()},
	})
	answer, err := model.Generate(context.Background(), "Which memories are in this conversation? Answer in JSON: …", 500)
	must(err)
	fmt.Println(answer)
	// Output: {"memories": []}
}

// The vector store finds what is near, the index has the records.
func ExampleNewVectorIndex() {
	ctx := context.Background()
	ofOpenAI, err := embeddings.NewEmbedder(embeddings.EmbedderClientFunc(client))
	must(err)
	embedder := providers.NewEmbedder(ofOpenAI, "letters/6")
	store := &vectorStore{embedder: embedder} // such as qdrant.New(qdrant.WithEmbedder(embedder), …)

	index := providers.NewVectorIndex(memindex.New(nil), store, &providers.VectorIndexOptions{
		NameSpace: func(namespace, userID string) string { return namespace + "/" + userID },
	})
	memories, err := longterm.New(index, &longterm.Options{Embedder: embedder, MergeDistance: -1})
	must(err)
	defer memories.Close(ctx)

	anna := longterm.Of("travel", "anna")
	_, err = memories.Put(ctx, anna, []longterm.Record{
		{ID: "1", Text: "Anna likes aisle seats."},
		{ID: "2", Text: "Anna eats no nuts."},
	}, nil)
	must(err)
	found, err := memories.Search(ctx, anna, longterm.Query{Text: "aisle seats", Mode: longterm.ModeSemantic, Limit: 1})
	must(err)
	fmt.Println(found.Hits[0].Record.Text)
	// Output: Anna likes aisle seats.
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
