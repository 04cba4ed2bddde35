package adk_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"
)

// script is a model that gives prepared replies, and keeps the requests.
type script struct {
	mu       sync.Mutex
	replies  []any // *genai.Content or error
	requests []*model.LLMRequest
}

func newScript(replies ...any) *script { return &script{replies: replies} }

func (*script) Name() string { return "scripted" }

func (s *script) GenerateContent(_ context.Context, req *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		kept := *req
		s.requests = append(s.requests, &kept)
		if len(s.replies) == 0 {
			yield(nil, errors.New("the script has ended"))
			return
		}
		reply := s.replies[0]
		s.replies = s.replies[1:]
		if err, ok := reply.(error); ok {
			yield(nil, err)
			return
		}
		yield(&model.LLMResponse{Content: reply.(*genai.Content), TurnComplete: true}, nil)
	}
}

// request returns a request, the last one if i is -1.
func (s *script) request(i int) *model.LLMRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < 0 {
		i += len(s.requests)
	}
	return s.requests[i]
}

// system returns the system instruction of the last request.
func (s *script) system() string { return systemOf(s.request(-1)) }

func say(text string) *genai.Content { return genai.NewContentFromText(text, genai.RoleModel) }

// call returns a reply that calls tools: each as "tool page".
func call(calls ...string) *genai.Content {
	content := &genai.Content{Role: genai.RoleModel}
	for _, c := range calls {
		name, page, _ := strings.Cut(c, " ")
		content.Parts = append(content.Parts, genai.NewPartFromFunctionCall(name, map[string]any{"page_id": page}))
	}
	return content
}

func functionCall(name string, args map[string]any) *genai.Content {
	return genai.NewContentFromParts([]*genai.Part{genai.NewPartFromFunctionCall(name, args)}, genai.RoleModel)
}

type page struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type pageResult struct {
	Page page `json:"page"`
}

var errNoPage = errors.New("no such page")

func getPage(_ agent.Context, args pageArgs) (pageResult, error) {
	title, ok := map[string]string{homeID: "Home", newsID: "News"}[args.PageID]
	if !ok {
		return pageResult{}, errNoPage
	}
	return pageResult{page{args.PageID, title}}, nil
}

// newTool returns a tool with a function of ADK's kind.
func newTool[In, Out any](t *testing.T, config functiontool.Config, run functiontool.Func[In, Out]) tool.Tool {
	t.Helper()
	made, err := functiontool.New(config, run)
	require.NoError(t, err)
	return made
}

func newStream(t *testing.T, name string, parts ...string) tool.Tool {
	t.Helper()
	made, err := functiontool.NewStreaming(functiontool.Config{Name: name}, func(_ agent.Context, args pageArgs) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, part := range parts {
				var err error
				if part == errNoPage.Error() {
					part, err = "", errNoPage
				}
				if !yield(strings.ReplaceAll(part, "ID", args.PageID), err) {
					return
				}
			}
		}
	})
	require.NoError(t, err)
	return made
}

func streamPage(ctx agent.Context, args pageArgs) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		found, err := getPage(ctx, args)
		yield(found.Page.Title, err)
	}
}
