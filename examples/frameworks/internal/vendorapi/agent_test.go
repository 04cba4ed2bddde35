package vendorapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// client is a vendor's client with the messages of a conversation.
type client interface {
	reset()
	addUser(text string)
	// ask sends the conversation, and adds the answer to it.
	ask(ctx context.Context) (vendorapi.Reply, error)
	addResults(results []result)
}

// result is the result of a call.
type result struct {
	vendorapi.Call
	text   string
	failed bool
}

// connection is how a client talks to a server.
type connection struct {
	url     string
	memory  *llmhttp.WorkingMemory // nil for none
	retries int
}

// newAgent returns an agent.
type newAgent func(s adaptertest.Setup, c connection) adaptertest.Agent

// The names of the agents.
const (
	chatAgent      = "openai-go chat completions"
	responsesAgent = "openai-go responses"
	messagesAgent  = "anthropic-sdk-go messages"
	runnerAgent    = "anthropic-sdk-go tool runner"
	geminiAgent    = "google.golang.org/genai"
)

// agents are written on the official clients.
var agents = map[string]newAgent{
	chatAgent:      looped(newChatClient),
	responsesAgent: looped(newResponsesClient),
	messagesAgent:  looped(newMessagesClient),
	runnerAgent:    newToolRunner,
	geminiAgent:    looped(newGeminiClient),
}

// loop is an agent whose loop is written by hand.
type loop struct {
	adaptertest.Setup
	client client
	mu     sync.Mutex
}

func looped(newClient func(adaptertest.Setup, connection) client) newAgent {
	return func(s adaptertest.Setup, c connection) adaptertest.Agent {
		return &loop{Setup: s, client: newClient(s, c)}
	}
}

func (l *loop) Say(ctx context.Context, text string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.History {
		l.client.reset()
	}
	l.client.addUser(text)
	for {
		reply, err := l.client.ask(ctx)
		if err != nil || len(reply.Calls) == 0 {
			return reply.Text, err
		}
		var results []result
		for _, call := range reply.Calls {
			text, err := runTool(ctx, l.Setup, call)
			if err != nil {
				text = "error: " + err.Error()
			}
			results = append(results, result{call, text, err != nil})
		}
		l.client.addResults(results)
	}
}

func runTool(ctx context.Context, s adaptertest.Setup, call vendorapi.Call) (string, error) {
	for _, tool := range s.Tools {
		if tool.Name == call.Name {
			parts, err := tool.Run(ctx, call.Arguments)
			return strings.Join(parts, ""), err
		}
	}
	return "", errors.New("no such tool")
}

// newServer starts a server whose model is that of a suite.
func newServer(tb testing.TB, s adaptertest.Setup) *vendorapi.Server {
	server := vendorapi.NewServer(func(ctx context.Context, r vendorapi.Request) (vendorapi.Reply, error) {
		reply, err := s.Model(ctx, adaptertest.Request{System: r.System, Messages: r.Messages})
		own := vendorapi.Reply{Text: reply.Text}
		for _, c := range reply.Calls {
			own.Calls = append(own.Calls, vendorapi.Call(c))
		}
		return own, err
	})
	tb.Cleanup(server.Close)
	return server
}

// resultTools returns the tools that read stored results.
func resultTools(rec *middleware.Recorder) (all []adaptertest.Tool) {
	for _, t := range middleware.ResultTools(rec) {
		all = append(all, adaptertest.Tool{Name: t.Name, Run: func(ctx context.Context, arguments string) ([]string, error) {
			text, err := t.Call(ctx, arguments)
			return []string{text}, err
		}})
	}
	return all
}

func TestAdapter(t *testing.T) {
	t.Parallel()
	for name, newAgent := range agents {
		for _, at := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceTail} {
			t.Run(fmt.Sprintf("%s %s", name, at), func(t *testing.T) {
				t.Parallel()
				adaptertest.Run(t, adaptertest.Harness{
					New: func(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
						memory := llmhttp.New(s.Recorder, &llmhttp.Options{Placement: at})
						if s.ResultTools {
							s.Tools = append(s.Tools, resultTools(s.Recorder)...)
						}
						return newAgent(s, connection{url: newServer(tb, s).URL, memory: memory})
					},
					MessagesOnly: true, Streams: true, UnknownEndsStream: true,
				})
			})
		}
	}
}
