package langchain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
)

// openAIServer speaks the chat completions protocol, answers with a script, and keeps the
// messages of each request as they left the client.
type openAIServer struct {
	script   *scriptedModel
	requests [][]openAIMessage
}

type openAIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (s *openAIServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []openAIMessage `json:"messages"`
		Stream   bool            `json:"stream"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.requests = append(s.requests, request.Messages)
	answer, err := s.script.GenerateContent(r.Context(), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	choice := answer.Choices[0]
	message := map[string]any{"role": "assistant", "content": choice.Content}
	if len(choice.ToolCalls) > 0 {
		message["tool_calls"] = []any{map[string]any{"id": choice.ToolCalls[0].ID, "type": "function", "function": choice.ToolCalls[0].FunctionCall}}
	}
	if !request.Stream {
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": message}}})
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
}

type streamed struct {
	callbacks.SimpleHandler
	chunks []string
}

func (s *streamed) HandleStreamingFunc(_ context.Context, chunk []byte) {
	s.chunks = append(s.chunks, string(chunk))
}

func TestAgentOnOpenAIsProtocol(t *testing.T) {
	t.Parallel()
	server := &openAIServer{script: script(calls("c1 cms_getPage home"), say("Here it is."), say("Which title?"))}
	listening := httptest.NewServer(server)
	defer listening.Close()
	model, err := openai.New(openai.WithBaseURL(listening.URL), openai.WithToken("test"), openai.WithModel("test"))
	require.NoError(t, err)
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	agent := w.Agent(agents.NewOpenAIFunctionsAgent(model, []tools.Tool{getPage()}))
	executor := agents.NewExecutor(agent, agents.WithMemory(w.Memory(memory.NewConversationBuffer(memory.WithReturnMessages(true)))))
	_, err = chains.Run(t.Context(), executor, "get the home page")
	require.NoError(t, err)
	handler := &streamed{}
	_, err = chains.Call(t.Context(), executor, map[string]any{"input": "now change its title"}, chains.WithCallback(handler))
	require.NoError(t, err)
	assert.Equal(t, []string{"Which title?"}, handler.chunks)
	assert.Len(t, told.all(), 1)

	require.Contains(t, rec.Block(), homeID)
	require.Len(t, server.requests, 3)
	for _, messages := range server.requests[1:] { // from the very next step on
		assert.Equal(t, openAIMessage{"system", "You are a helpful AI assistant.\n\n" + guided(rec)}, messages[0])
		for _, m := range messages[1:] {
			assert.NotEqual(t, "system", m.Role)
			assert.False(t, strings.Contains(m.Content, "[WORKING MEMORY]"))
		}
	}
}
