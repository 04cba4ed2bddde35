package vendorapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Model answers requests. Its errors become responses with status 500. It may be called
// concurrently.
type Model func(ctx context.Context, r Request) (Reply, error)

// Request is a request to a model, of any of the APIs.
type Request struct {
	// System is the system prompt: the texts of all its fields, messages and parts.
	System string
	// Messages are the other messages. Their roles are "user", "assistant" and "tool". The
	// arguments of calls are behind the text.
	Messages []prompt.Message

	Header http.Header
	Body   []byte // as it was received
}

// Reply is a model's answer: a text, calls of tools, or both.
type Reply struct {
	Thinking string // precedes the answer in the APIs that show it
	Text     string
	Calls    []Call
}

// Call is a call of a tool.
type Call struct {
	ID, Name  string
	Arguments string // a JSON object
}

// Server answers requests by a Model. Close it when done.
type Server struct {
	// URL is the address without a path.
	URL string

	model  Model
	server *httptest.Server

	mu       sync.Mutex
	requests []Request
}

// NewServer starts a server.
func NewServer(m Model) *Server {
	s := &Server{model: m}
	s.server = httptest.NewServer(s)
	s.URL = s.server.URL
	return s
}

// Close stops the server. It waits for responses in progress.
func (s *Server) Close() { s.server.Close() }

// Requests returns all requests so far, oldest first. Do not modify what they refer to.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// add adds a request and returns its number, from 1.
func (s *Server) add(r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return len(s.requests)
}

type object = map[string]any

// api is the form of requests and responses. The number n makes the ids of responses unique.
type api interface {
	// read returns what a body says, and whether it asks for a stream.
	read(body []byte) (r Request, stream bool, err error)
	answer(r Reply, n int) object
	events(r Reply, n int) []event
	failure(status int, text string) object
}

// event is an event of a stream. Its data is sent as it is if it is text, or else as JSON.
type event struct {
	name string // "" if the API has no names
	data any
}

func apiOf(path string) api {
	switch {
	case path == "/v1/chat/completions":
		return chatCompletions{}
	case path == "/v1/responses":
		return responses{}
	case path == "/v1/messages":
		return messages{}
	case strings.HasSuffix(path, ":generateContent"):
		return gemini{}
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini{stream: true}
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := apiOf(r.URL.Path)
	if a == nil || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	request, stream, err := a.read(body)
	if err == nil && len(request.Messages) == 0 {
		err = errors.New("no messages")
	}
	if err != nil {
		write(w, http.StatusBadRequest, a.failure(http.StatusBadRequest, err.Error()))
		return
	}
	request.Header, request.Body = r.Header, body
	n := s.add(request)
	reply, err := s.model(r.Context(), request)
	switch {
	case err != nil:
		w.Header().Set("Retry-After-Ms", "1")
		write(w, http.StatusInternalServerError, a.failure(http.StatusInternalServerError, err.Error()))
	case stream:
		writeEvents(w, a.events(reply, n))
	default:
		write(w, http.StatusOK, a.answer(reply, n))
	}
}

func write(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(body))
}

func writeEvents(w http.ResponseWriter, events []event) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		data, ok := e.data.(string)
		if !ok {
			data = string(encode(e.data))
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		_ = http.NewResponseController(w).Flush()
	}
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the JSON of a Call is not valid
	}
	return text
}

// pieces splits a text as streams do, anywhere in a word.
func pieces(text string) (all []string) {
	for piece := range slices.Chunk([]rune(text), 7) {
		all = append(all, string(piece))
	}
	return all
}
