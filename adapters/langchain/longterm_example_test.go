package langchain_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/prompts"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
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
	e := langchain.NewEmbedder(embedder, "letters/6")

	vectors, err := e.Embed(context.Background(), []string{"seat", "tea"})
	must(err)
	fmt.Println(e.Model(), vectors)
	// Output: letters/6 [[2 2 1 1 2 2] [2 2 1 1 1 2]]
}

func ExampleNewModel() {
	model := langchain.NewModel(fake.NewFakeLLM([]string{`{"memories": []}`}), &langchain.ModelOptions{
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
	embedder := langchain.NewEmbedder(ofOpenAI, "letters/6")
	store := &vectorStore{embedder: embedder} // such as qdrant.New(qdrant.WithEmbedder(embedder), …)

	index := langchain.NewVectorIndex(memindex.New(nil), store, &langchain.VectorIndexOptions{
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

// What is remembered of a user comes into the prompts of each of the user's sessions.
func ExampleSessionMemoryOptions_recall() {
	ctx := context.Background()
	memories, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer memories.Close(ctx)
	manager, err := session.NewManager(memstore.New(nil), nil)
	must(err)
	defer manager.Close(ctx)

	key := session.Key{Namespace: "cms", UserID: "anna", SessionID: "s-2"}
	conversation, err := langchain.NewSessionMemory(manager, key, &langchain.SessionMemoryOptions{
		Recorder: middleware.SessionsOptions{Recall: memories.RecallFor},
	})
	must(err)
	_, err = memories.Put(ctx, longterm.Of("cms", "anna"), []longterm.Record{{ID: "1", Text: "Prefers short page titles."}}, nil)
	must(err)

	chain := chains.NewLLMChain(printing{}, prompts.NewPromptTemplate(
		"{{.working_memory}}\n\nQuestion: {{.input}}", []string{"working_memory", "input"}))
	chain.Memory = conversation
	_, err = chains.Run(ctx, chain, "Give the page a title.")
	must(err)
	// Output:
	// human: [WORKING MEMORY]
	// [NOTES]
	//   - fact: "Prefers short page titles."
	//
	// Question: Give the page a title.
}
