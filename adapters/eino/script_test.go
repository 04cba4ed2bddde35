package eino_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	homeID = "550e8400-e29b-41d4-a716-446655440000"
	newsID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
)

// script is a model that gives prepared replies.
type script struct {
	mu       sync.Mutex
	replies  []*schema.Message
	requests [][]*schema.Message
}

func newScript(replies ...*schema.Message) *script { return &script{replies: replies} }

func (s *script) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return s, nil }

func (s *script) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, slices.Clone(messages))
	if len(s.replies) == 0 {
		return nil, errors.New("the script has ended")
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return reply, nil
}

func (s *script) Stream(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	reply, err := s.Generate(ctx, messages, opts...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{reply}), nil
}

// last returns the last request.
func (s *script) last(tb testing.TB) []*schema.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(tb, s.requests)
	return s.requests[len(s.requests)-1]
}

func say(text string) *schema.Message { return schema.AssistantMessage(text, nil) }

// get returns a reply that calls tools: each as "id tool page".
func get(calls ...string) *schema.Message {
	var all []schema.ToolCall
	for _, c := range calls {
		f := strings.Split(c, " ")
		all = append(all, call(f[0], f[1], fmt.Sprintf(`{"page_id":%q}`, f[2])))
	}
	return schema.AssistantMessage("", all)
}

func call(id, name, arguments string) schema.ToolCall {
	return schema.ToolCall{ID: id, Type: "function", Function: schema.FunctionCall{Name: name, Arguments: arguments}}
}

type pageArguments struct {
	PageID string `json:"page_id"`
}

func page(id string) string {
	title := map[string]string{homeID: "Home", newsID: "News"}[id]
	return fmt.Sprintf(`{"page":{"id":%q,"title":%q}}`, id, title)
}

// getPage returns a tool that reads pages, after prepare, which may be nil.
func getPage(tb testing.TB, prepare func(ctx context.Context) error) tool.BaseTool {
	return newTool(tb, "get_page", func(ctx context.Context, id string) (string, error) {
		if prepare != nil {
			if err := prepare(ctx); err != nil {
				return "", err
			}
		}
		return page(id), nil
	})
}

// newTool returns a tool with the parameter page_id.
func newTool(tb testing.TB, name string, run func(ctx context.Context, id string) (string, error)) tool.BaseTool {
	t, err := utils.InferTool(name, "Works on a page.", func(ctx context.Context, a pageArguments) (string, error) {
		return run(ctx, a.PageID)
	})
	require.NoError(tb, err)
	return t
}

// newAgent returns an agent that follows a script.
func newAgent(tb testing.TB, name string, m model.BaseChatModel, tools []tool.BaseTool, handlers ...adk.ChatModelAgentMiddleware) *adk.ChatModelAgent {
	a, err := adk.NewChatModelAgent(tb.Context(), &adk.ChatModelAgentConfig{
		Name: name, Description: "The " + name + " of a website.", Instruction: "You are the " + name + ".", Model: m,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: tools}}, Handlers: handlers,
	})
	require.NoError(tb, err)
	return a
}

// ask runs an agent to its end, and returns its messages.
func ask(tb testing.TB, ctx context.Context, a adk.Agent, messages ...*schema.Message) []*schema.Message {
	tb.Helper()
	got, err := read(adk.NewRunner(ctx, adk.RunnerConfig{Agent: a}).Run(ctx, messages))
	require.NoError(tb, err)
	return got
}

// blocks returns the number of blocks in messages.
func blocks(messages []*schema.Message) (n int) {
	for _, m := range messages {
		n += strings.Count(m.String(), prompt.Title)
	}
	return n
}

// shows checks that the first message of a request has its block, with ids.
func shows(tb testing.TB, request []*schema.Message, ids ...string) {
	tb.Helper()
	assert.Equal(tb, 1, blocks(request))
	for _, id := range ids {
		assert.Contains(tb, request[0].Content, id)
	}
}
