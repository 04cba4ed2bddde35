// Package openaitest serves the scripted model on loopback, with the part of OpenAI's chat
// completions protocol that the examples need.
package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/go-workingmemory/workingmemory/examples/internal/scripted"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Server answers POST /chat/completions. Close it when done.
type Server struct {
	*httptest.Server

	mu     sync.Mutex
	system string
}

// NewServer starts a server.
func NewServer() *Server {
	s := &Server{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat/completions", s.complete)
	s.Server = httptest.NewServer(mux)
	return s
}

// System returns the system message of the last request as received.
func (s *Server) System() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.system
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []prompt.Message `json:"messages"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	for _, m := range request.Messages {
		if m.Role == "system" {
			s.system = m.Content
		}
	}
	s.mu.Unlock()

	step := scripted.Next(request.Messages)
	message := map[string]any{"role": "assistant", "content": step.Answer}
	finish := "stop"
	if step.Tool != "" {
		finish = "tool_calls"
		message["tool_calls"] = []any{map[string]any{
			"id": fmt.Sprintf("call_%d", len(request.Messages)), "type": "function",
			"function": map[string]string{"name": step.Tool, "arguments": encode(map[string]string{"__arg1": encode(step.Args)})},
		}}
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, encode(map[string]any{
		"object":  "chat.completion",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
	}))
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings always marshal
	}
	return string(text)
}
