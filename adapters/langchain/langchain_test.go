package langchain_test

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
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	homeID  = "550e8400-e29b-41d4-a716-446655440000"
	aboutID = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
)

// fakeTool is a tool with the result of a function.
type fakeTool struct {
	name string
	call func(ctx context.Context, input string) (string, error)
}

func (t fakeTool) Name() string        { return t.name }
func (t fakeTool) Description() string { return "describes " + t.name }
func (t fakeTool) Call(ctx context.Context, input string) (string, error) {
	return t.call(ctx, input)
}

var _ tools.Tool = fakeTool{}

func pageJSON(id, name string) string {
	return fmt.Sprintf(`{"success":true,"page":{"id":%q,"name":%q}}`, id, name)
}

// getPage finds a page by a slug anywhere in the input.
func getPage() tools.Tool {
	return fakeTool{name: "cms_getPage", call: func(_ context.Context, input string) (string, error) {
		switch {
		case strings.Contains(input, "home"):
			return pageJSON(homeID, "Home"), nil
		case strings.Contains(input, "about"):
			return pageJSON(aboutID, "About"), nil
		}
		return "", errNoPage
	}}
}

var errNoPage = errors.New("no such page")

// reply is one answer of a scriptedModel, given the prompt's messages.
type reply func(messages []llms.MessageContent) *llms.ContentChoice

// scriptedModel answers with its replies, one after the other, and keeps what it was sent.
type scriptedModel struct {
	mu      sync.Mutex
	replies []reply
	prompts [][]llms.MessageContent
	options []llms.CallOptions
}

func script(replies ...reply) *scriptedModel { return &scriptedModel{replies: replies} }

func (m *scriptedModel) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	m.prompts = append(m.prompts, messages)
	m.options = append(m.options, opts)
	if len(m.replies) == 0 {
		return nil, errors.New("the script is over")
	}
	choice := m.replies[0](messages)
	m.replies = m.replies[1:]
	if opts.StreamingFunc != nil {
		for _, word := range strings.SplitAfter(choice.Content, " ") {
			if err := opts.StreamingFunc(ctx, []byte(word)); err != nil {
				return nil, err
			}
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

func (m *scriptedModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// last is the last prompt as text, one line "role: text" a part.
func (m *scriptedModel) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return textOf(m.prompts[len(m.prompts)-1])
}

func textOf(messages []llms.MessageContent) string {
	var b strings.Builder
	for _, msg := range messages {
		for _, part := range msg.Parts {
			fmt.Fprintf(&b, "%s: %v\n", msg.Role, part)
		}
	}
	return b.String()
}

// say returns a text, which ends a run.
func say(text string) reply {
	return func([]llms.MessageContent) *llms.ContentChoice { return &llms.ContentChoice{Content: text} }
}

// calls asks for tool calls the native way; specs are "id tool argument".
func calls(specs ...string) reply {
	return func([]llms.MessageContent) *llms.ContentChoice {
		choice := &llms.ContentChoice{}
		for _, spec := range specs {
			f := strings.Fields(spec)
			args, _ := json.Marshal(map[string]string{"__arg1": f[2]})
			choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
				ID: strings.TrimPrefix(f[0], "-"), Type: "function",
				FunctionCall: &llms.FunctionCall{Name: f[1], Arguments: string(args)},
			})
		}
		return choice
	}
}

// acts asks for a tool call as the text agents' models do.
func acts(tool, input string) reply {
	return say("Thought: look\nAction: " + tool + "\nAction Input: " + input)
}

// kinds are langchaingo's agents, with the replies of their models: a call of cms_getPage,
// and an answer, which ends a run.
var kinds = []struct {
	name   string
	native bool // its calls are native tool calls, which a wrapped model sees
	make   func(m llms.Model, ts []tools.Tool, history ...prompts.MessageFormatter) agents.Agent
	get    func(step int, slug string) reply
	answer func(text string) reply
}{
	{
		"functions", true,
		func(m llms.Model, ts []tools.Tool, history ...prompts.MessageFormatter) agents.Agent {
			return agents.NewOpenAIFunctionsAgent(m, ts, agents.NewOpenAIOption().WithExtraMessages(history))
		},
		func(step int, slug string) reply { return calls(fmt.Sprintf("c%d cms_getPage %s", step, slug)) },
		say,
	},
	{
		"react", false,
		func(m llms.Model, ts []tools.Tool, _ ...prompts.MessageFormatter) agents.Agent {
			return agents.NewOneShotAgent(m, ts)
		},
		func(_ int, slug string) reply { return acts("CMS_GetPage", slug) }, // executors ignore the case
		func(text string) reply { return say("Final Answer: " + text) },
	},
	{
		"conversational", false,
		func(m llms.Model, ts []tools.Tool, _ ...prompts.MessageFormatter) agents.Agent {
			return agents.NewConversationalAgent(m, ts)
		},
		func(_ int, slug string) reply { return acts("cms_getPage", slug) },
		func(text string) reply { return say("AI: " + text) },
	},
}

// recorded collects the calls of a recorder.
type recorded struct {
	mu    sync.Mutex
	calls []middleware.ToolCall
}

func (r *recorded) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]string, len(r.calls))
	for i, c := range r.calls {
		out[i] = fmt.Sprint(c.Name, " ", c.Arguments)
	}
	return out
}

func (r *recorded) all() []middleware.ToolCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

func recorderWith(opts *middleware.Options) *middleware.Recorder {
	rec, err := middleware.NewRecorder(opts)
	if err != nil {
		panic(err)
	}
	return rec
}

// newRecorder returns a recorder and the list of its calls.
func newRecorder() (*middleware.Recorder, *recorded) {
	told := &recorded{}
	rec := recorderWith(&middleware.Options{
		OnCall: func(_ context.Context, call middleware.ToolCall, _ extractor.Extraction, _ error) {
			told.mu.Lock()
			defer told.mu.Unlock()
			told.calls = append(told.calls, call)
		},
	})
	return rec, told
}

// knowingHome returns a recorder that has seen the home page.
func knowingHome(t *testing.T) *middleware.Recorder {
	t.Helper()
	rec, _ := newRecorder()
	learn(t, rec, homeID, "Home")
	return rec
}

func learn(t *testing.T, rec *middleware.Recorder, id, name string) {
	t.Helper()
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{
		Name: "cms_getPage", Arguments: name, Result: pageJSON(id, name),
	}))
	require.Contains(t, rec.Block(), id)
}

// learnRaw puts an entity of any name into a recorder's context.
func learnRaw(t *testing.T, rec *middleware.Recorder, name string) {
	t.Helper()
	require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: homeID, Name: name}))
}

func system(text string) llms.MessageContent {
	return llms.TextParts(llms.ChatMessageTypeSystem, text)
}
func human(text string) llms.MessageContent {
	return llms.TextParts(llms.ChatMessageTypeHuman, text)
}
func asks(id, tool, args string) llms.MessageContent {
	return llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{
		ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: args},
	}}}
}
func answers(id, tool, result string) llms.MessageContent {
	return llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
		llms.ToolCallResponse{ToolCallID: id, Name: tool, Content: result},
	}}
}

func userSays(text string) llms.ChatMessage { return llms.HumanChatMessage{Content: text} }

func modelSays(text string) llms.ChatMessage { return llms.AIChatMessage{Content: text} }

func callsFor(ids ...string) llms.ChatMessage {
	m := llms.AIChatMessage{}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, llms.ToolCall{ID: id, FunctionCall: &llms.FunctionCall{Name: "get"}})
	}
	return m
}

func resultOf(id, text string) llms.ChatMessage {
	return llms.ToolChatMessage{ID: id, Content: text}
}

func messagesOf(t require.TestingT, h schema.ChatMessageHistory) []llms.ChatMessage {
	messages, err := h.Messages(context.Background())
	require.NoError(t, err)
	return messages
}

// guided returns what a prompt shows of a recorder's block.
func guided(rec *middleware.Recorder) string { return prompt.WithGuidance(rec.Block()) }
