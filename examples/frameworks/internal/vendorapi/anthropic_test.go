package vendorapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func newAnthropic(c connection) anthropic.Client {
	opts := []option.RequestOption{option.WithBaseURL(c.url), option.WithAPIKey("none"), option.WithMaxRetries(c.retries)}
	if c.memory != nil {
		opts = append(opts, option.WithMiddleware(c.memory.Middleware))
	}
	return anthropic.NewClient(opts...)
}

// messagesClient is anthropic-sdk-go with Messages.
type messagesClient struct {
	adaptertest.Setup
	anthropic anthropic.Client
	messages  []anthropic.MessageParam
}

func newMessagesClient(s adaptertest.Setup, c connection) client {
	return &messagesClient{Setup: s, anthropic: newAnthropic(c)}
}

func (c *messagesClient) reset() { c.messages = nil }

func (c *messagesClient) addUser(text string) {
	c.messages = append(c.messages, anthropic.NewUserMessage(anthropic.NewTextBlock(text)))
}

func (c *messagesClient) ask(ctx context.Context) (vendorapi.Reply, error) {
	message, err := c.send(ctx, anthropic.MessageNewParams{
		Model: "fake", MaxTokens: 1000, System: []anthropic.TextBlockParam{{Text: c.System}}, Messages: c.messages,
	})
	if err != nil {
		return vendorapi.Reply{}, err
	}
	c.messages = append(c.messages, message.ToParam())
	var reply vendorapi.Reply
	for _, block := range message.Content {
		switch block := block.AsAny().(type) {
		case anthropic.TextBlock:
			reply.Text += block.Text
		case anthropic.ToolUseBlock:
			reply.Calls = append(reply.Calls, vendorapi.Call{ID: block.ID, Name: block.Name, Arguments: string(block.Input)})
		}
	}
	return reply, nil
}

func (c *messagesClient) send(ctx context.Context, params anthropic.MessageNewParams) (*anthropic.Message, error) {
	if !c.Stream {
		return c.anthropic.Messages.New(ctx, params)
	}
	stream := c.anthropic.Messages.NewStreaming(ctx, params)
	defer stream.Close()
	message := new(anthropic.Message)
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			return nil, err
		}
	}
	return message, stream.Err()
}

func (c *messagesClient) addResults(results []result) {
	var blocks []anthropic.ContentBlockParamUnion
	for _, r := range results {
		blocks = append(blocks, anthropic.NewToolResultBlock(r.ID, r.text, r.failed))
	}
	c.messages = append(c.messages, anthropic.NewUserMessage(blocks...))
}

// toolRunner is an agent with the tool runner of anthropic-sdk-go.
type toolRunner struct {
	adaptertest.Setup
	anthropic anthropic.Client

	mu       sync.Mutex
	messages []anthropic.BetaMessageParam
}

func newToolRunner(s adaptertest.Setup, c connection) adaptertest.Agent {
	return &toolRunner{Setup: s, anthropic: newAnthropic(c)}
}

func (a *toolRunner) Say(ctx context.Context, text string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.History {
		a.messages = nil
	}
	var tools []anthropic.BetaTool
	for _, t := range a.Tools {
		tools = append(tools, tool{t})
	}
	params := anthropic.BetaToolRunnerParams{BetaMessageNewParams: anthropic.BetaMessageNewParams{
		Model: "fake", MaxTokens: 1000, System: []anthropic.BetaTextBlockParam{{Text: a.System}},
		Messages: append(a.messages, anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock(text))),
	}}
	message, err := a.run(ctx, tools, params)
	if err != nil {
		return "", err
	}
	var answer string
	for _, block := range message.Content {
		answer += block.Text
	}
	return answer, nil
}

func (a *toolRunner) run(ctx context.Context, tools []anthropic.BetaTool, params anthropic.BetaToolRunnerParams) (*anthropic.BetaMessage, error) {
	if !a.Stream {
		runner := a.anthropic.Beta.Messages.NewToolRunner(tools, params)
		defer func() { a.messages = runner.Messages() }()
		return runner.RunToCompletion(ctx)
	}
	runner := a.anthropic.Beta.Messages.NewToolRunnerStreaming(tools, params)
	defer func() { a.messages = runner.Messages() }()
	for events := range runner.AllStreaming(ctx) {
		for _, err := range events {
			if err != nil {
				return nil, err
			}
		}
	}
	return runner.LastMessage(), runner.Err()
}

// tool is a tool of a suite for the tool runner.
type tool struct{ own adaptertest.Tool }

var _ anthropic.BetaTool = tool{}

func (t tool) Name() string        { return t.own.Name }
func (t tool) Description() string { return "reads a page" }
func (t tool) InputSchema() anthropic.BetaToolInputSchemaParam {
	return anthropic.BetaToolInputSchemaParam{Properties: map[string]any{"page_id": map[string]string{"type": "string"}}}
}

func (t tool) Execute(ctx context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	parts, err := t.own.Run(ctx, string(input))
	return []anthropic.BetaToolResultBlockParamContentUnion{{OfText: &anthropic.BetaTextBlockParam{Text: strings.Join(parts, "")}}}, err
}
