package langchain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
)

// endpoint speaks the chat completions protocol on loopback, answers with a
// script, and keeps the messages of each request as they left the client.
type endpoint struct {
	model *openai.LLM

	mu       sync.Mutex
	replies  []reply
	requests [][]wireMessage
}

type wireMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func serve(t *testing.T, replies ...reply) *endpoint {
	t.Helper()
	e := &endpoint{replies: replies}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	model, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("test"), openai.WithModel("test"))
	require.NoError(t, err)
	e.model = model
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []wireMessage `json:"messages"`
		Stream   bool          `json:"stream"`
	}
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &request); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, request.Messages)
	if len(e.replies) == 0 {
		http.Error(w, "the script is over", http.StatusTeapot)
		return
	}
	choice := e.replies[0](nil)
	e.replies = e.replies[1:]

	message := map[string]any{"role": "assistant", "content": choice.Content}
	var toolCalls []map[string]any
	for i, c := range choice.ToolCalls {
		toolCalls = append(toolCalls, map[string]any{"index": i, "id": c.ID, "type": "function", "function": c.FunctionCall})
	}
	if toolCalls != nil {
		message["tool_calls"] = toolCalls
	}
	if request.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": message}}})
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}}})
}

// lastSystem is the system message of the last request.
func (e *endpoint) lastSystem(t *testing.T) string {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	require.NotEmpty(t, e.requests)
	messages := e.requests[len(e.requests)-1]
	require.NotEmpty(t, messages)
	require.Equal(t, "system", messages[0].Role)
	for _, m := range messages[1:] {
		require.NotEqual(t, "system", m.Role)
		require.NotContains(t, m.Content, "[WORKING MEMORY]")
	}
	require.Equal(t, 1, strings.Count(messages[0].Content, "[WORKING MEMORY]"))
	return messages[0].Content
}

func TestWireFunctionsAgent(t *testing.T) {
	t.Parallel()
	e := serve(t, calls("c1 cms_getPage home"), say("Here it is."), say("Which title?"))
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	agent := w.Agent(agents.NewOpenAIFunctionsAgent(e.model, []tools.Tool{getPage()}))
	executor := agents.NewExecutor(agent, agents.WithMemory(w.Memory(memory.NewConversationBuffer(memory.WithReturnMessages(true)))))
	_, err := chains.Run(t.Context(), executor, "get the home page")
	require.NoError(t, err)
	assert.Contains(t, e.lastSystem(t), homeID, "from the very next step on")

	_, err = chains.Call(t.Context(), executor, map[string]any{"input": "now change its title"})
	require.NoError(t, err)
	assert.Equal(t, "You are a helpful AI assistant.\n\n"+rec.Block(), e.lastSystem(t))
	assert.Contains(t, e.lastSystem(t), `"Home" (`+homeID+`)`)
	assert.Len(t, told.all(), 1)
}

func TestWireHandWrittenLoop(t *testing.T) {
	t.Parallel()
	e := serve(t, calls("c1 cms_getPage home"), say("Here it is."), say("Which title?"))
	rec, told := newRecorder()
	model := langchain.New(rec, nil).Model(e.model)
	history := runLoop(t, model, getPage(), system("Edit."), human("get the home page"))
	runLoop(t, model, getPage(), append(history, human("now change its title"))...)
	assert.Equal(t, "Edit.\n\n"+rec.Block(), e.lastSystem(t))
	assert.Contains(t, e.lastSystem(t), homeID)
	assert.Len(t, told.all(), 1)
}

func TestWireChainWithMemory(t *testing.T) {
	t.Parallel()
	e := serve(t, say("Here it is."), say("Which title?"))
	rec, _ := newRecorder()
	w := langchain.New(rec, nil)
	chain := chains.NewLLMChain(e.model, prompts.NewPromptTemplate("{{.working_memory}}\n\n{{.input}}",
		[]string{"working_memory", "input"}))
	chain.Memory = w.Memory(nil)
	ask := func(question string) {
		_, err := chains.Call(t.Context(), chain, map[string]any{"input": question})
		require.NoError(t, err)
	}
	ask("get the home page")
	_, err := w.Tool(getPage()).Call(t.Context(), "home")
	require.NoError(t, err)
	ask("now change its title")
	// A chain sends one message of the user's, whatever its prompt.
	assert.Equal(t, []wireMessage{{Role: "user", Content: rec.Block() + "\n\nnow change its title"}}, e.requests[1])
	assert.Contains(t, rec.Block(), homeID)
}

type streamed struct {
	callbacks.SimpleHandler
	chunks []string
}

func (s *streamed) HandleStreamingFunc(_ context.Context, chunk []byte) {
	s.chunks = append(s.chunks, string(chunk))
}

func TestWireStreaming(t *testing.T) {
	t.Parallel()
	e := serve(t, say("Which title?"), say("Final Answer: none"), say("Well"))
	w := langchain.New(knowingHome(t), nil)
	handler := &streamed{}
	functions := agents.NewOpenAIFunctionsAgent(e.model, []tools.Tool{getPage()})
	_, err := chains.Run(t.Context(), agents.NewExecutor(w.Agent(functions)), "now change its title", chains.WithCallback(handler))
	require.NoError(t, err)
	assert.Contains(t, e.lastSystem(t), homeID)
	react := agents.NewOneShotAgent(e.model, []tools.Tool{getPage()}, agents.WithCallbacksHandler(handler))
	_, err = chains.Run(t.Context(), agents.NewExecutor(w.Agent(react)), "now change its title")
	require.NoError(t, err)
	_, err = w.Model(e.model).GenerateContent(t.Context(), []llms.MessageContent{human("x")},
		llms.WithStreamingFunc(func(ctx context.Context, chunk []byte) error {
			handler.HandleStreamingFunc(ctx, chunk)
			return nil
		}))
	require.NoError(t, err)
	assert.Equal(t, []string{"Which title?", "Final Answer: none", "Well"}, handler.chunks)
}
