package adaptertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	homeID = "550e8400-e29b-41d4-a716-446655440000"
	newsID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

	system = "You edit a website."
)

// script is a model that gives prepared replies.
type script struct {
	tb testing.TB

	mu       sync.Mutex
	replies  []any // Reply or error
	requests []Request
}

func newScript(tb testing.TB, replies ...any) *script { return &script{tb: tb, replies: replies} }

// answer is a Setup.Model.
func (s *script) answer(_ context.Context, request Request) (Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	request.Messages = slices.Clone(request.Messages)
	s.requests = append(s.requests, request)
	if len(s.replies) == 0 {
		s.tb.Errorf("request %d is one more than the script has: %+v", len(s.requests), request)
		return Reply{Text: "The script has ended."}, nil
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	if err, ok := reply.(error); ok {
		return Reply{}, err
	}
	return reply.(Reply), nil
}

// last returns the last request.
func (s *script) last() Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(s.tb, s.requests)
	return s.requests[len(s.requests)-1]
}

// request returns the request with a number, from 0.
func (s *script) request(n int) Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Greater(s.tb, len(s.requests), n)
	return s.requests[n]
}

// results returns the results of tools behind the model's last message.
func (r Request) results() string {
	var results []string
	for _, m := range slices.Backward(r.Messages) {
		switch m.Role {
		case "assistant", "model":
			return strings.Join(results, "\n")
		case "tool":
			results = append(results, m.Content)
		}
	}
	return strings.Join(results, "\n")
}

// text returns a request as one text.
func (r Request) text() string {
	var b strings.Builder
	b.WriteString(r.System)
	for _, m := range r.Messages {
		b.WriteString("\n" + m.Content)
	}
	return b.String()
}

// blocks returns the number of blocks in a request.
func (r Request) blocks() int { return strings.Count(r.text(), prompt.Title) }

func say(text string) Reply { return Reply{Text: text} }

// get returns a reply that calls tools: each as "id tool page".
func get(calls ...string) (r Reply) {
	for _, c := range calls {
		f := strings.Split(c, " ")
		r.Calls = append(r.Calls, Call{ID: f[0], Name: f[1], Arguments: fmt.Sprintf(`{"page_id":%q}`, f[2])})
	}
	return r
}

var titles = map[string]string{homeID: "Home", newsID: "News"}

// slugs are other names of pages.
var slugs = map[string]string{"home": homeID, "news": newsID}

var errNoPage = errors.New("no such page")

// pages returns a tool that reads pages.
func pages(name string) Tool {
	return Tool{Name: name, Run: func(_ context.Context, arguments string) ([]string, error) {
		text, err := page(arguments)
		return []string{text}, err
	}}
}

// streamedPages returns a tool that reads pages in parts.
func streamedPages(name string) Tool {
	return Tool{Name: name, Streams: true, Run: func(_ context.Context, arguments string) ([]string, error) {
		text, err := page(arguments)
		if err != nil {
			return nil, err
		}
		return []string{text[:20], text[20:]}, nil
	}}
}

func page(arguments string) (string, error) {
	id, err := pageID(arguments)
	if err != nil {
		return "", err
	}
	if id == "missing" {
		return "", errNoPage
	}
	if slug, ok := slugs[id]; ok {
		id = slug
	}
	title, ok := titles[id]
	if !ok {
		title = "Page " + id
	}
	return fmt.Sprintf(`{"page":{"id":%q,"title":%q}}`, id, title), nil
}

func pageID(arguments string) (string, error) {
	var a struct {
		PageID string `json:"page_id"`
	}
	err := json.Unmarshal([]byte(arguments), &a)
	return a.PageID, err
}
