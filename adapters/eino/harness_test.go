package eino_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// checkpoints is a store of checkpoints in memory.
type checkpoints struct{ sync.Map }

func (c *checkpoints) Get(_ context.Context, id string) ([]byte, bool, error) {
	data, ok := c.Load(id)
	if !ok {
		return nil, false, nil
	}
	return data.([]byte), true, nil
}

func (c *checkpoints) Set(_ context.Context, id string, data []byte) error {
	c.Store(id, data)
	return nil
}

// chatModelAgent is an adk.ChatModelAgent for the suite.
type chatModelAgent struct {
	runner   *adk.Runner
	history  bool
	messages []*schema.Message
}

// newChatModelAgent returns the constructor of agents to which attach attaches working memory.
func newChatModelAgent(attach func(*eino.WorkingMemory, *adk.ChatModelAgentConfig)) func(testing.TB, adaptertest.Setup) adaptertest.Agent {
	return func(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
		memory := eino.New(s.Recorder, nil)
		config := &adk.ChatModelAgentConfig{
			Name: "editor", Description: "edits a website", Instruction: s.System, Model: suiteModel{s.Model},
			ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: suiteTools(s, memory)}},
		}
		attach(memory, config)
		a, err := adk.NewChatModelAgent(tb.Context(), config)
		require.NoError(tb, err)
		return &chatModelAgent{history: s.History, runner: adk.NewRunner(tb.Context(), adk.RunnerConfig{
			Agent: a, EnableStreaming: s.Stream, CheckPointStore: new(checkpoints),
		})}
	}
}

func attachHandler(w *eino.WorkingMemory, config *adk.ChatModelAgentConfig) {
	config.Handlers = append(config.Handlers, w)
}

func attachToModelAndTools(w *eino.WorkingMemory, config *adk.ChatModelAgentConfig) {
	config.Model = w.Model(config.Model.(model.ToolCallingChatModel))
	config.ToolsConfig.ToolCallMiddlewares = append(config.ToolsConfig.ToolCallMiddlewares, w.ToolMiddleware())
}

// attachToModel attaches working memory to the model alone. Errors of tools are made results, so
// that they are in messages.
func attachToModel(w *eino.WorkingMemory, config *adk.ChatModelAgentConfig) {
	config.Model = w.Model(config.Model.(model.ToolCallingChatModel))
	config.ToolsConfig.ToolCallMiddlewares = append(config.ToolsConfig.ToolCallMiddlewares, compose.ToolMiddleware{
		Invokable: func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
				out, err := next(ctx, in)
				if _, suspended := compose.IsInterruptRerunError(err); err != nil && !suspended {
					return &compose.ToolOutput{Result: err.Error()}, nil
				}
				return out, err
			}
		},
	})
}

func attachAll(w *eino.WorkingMemory, config *adk.ChatModelAgentConfig) {
	attachHandler(w, config)
	attachToModelAndTools(w, config)
}

func (a *chatModelAgent) Say(ctx context.Context, text string) (string, error) {
	if !a.history {
		a.messages = nil
	}
	a.messages = append(a.messages, schema.UserMessage(text))
	return a.finish(a.runner.Run(ctx, a.messages, adk.WithCheckPointID("c")))
}

func (a *chatModelAgent) Resume(ctx context.Context) (string, error) {
	events, err := a.runner.Resume(ctx, "c")
	if err != nil {
		return "", err
	}
	return a.finish(events)
}

// finish reads the events of a run to its end.
func (a *chatModelAgent) finish(events *adk.AsyncIterator[*adk.AgentEvent]) (answer string, err error) {
	messages, err := read(events)
	a.messages = append(a.messages, messages...)
	if len(messages) > 0 {
		answer = messages[len(messages)-1].Content
	}
	return answer, err
}

// read reads the messages of a run to its end, and returns its error.
func read(events *adk.AsyncIterator[*adk.AgentEvent]) (messages []*schema.Message, err error) {
	for {
		event, ok := events.Next()
		if !ok {
			return messages, err
		}
		if event.Err != nil {
			err = event.Err
		}
		if event.Output != nil && event.Output.MessageOutput != nil {
			message, failed := event.Output.MessageOutput.GetMessage()
			if failed != nil {
				err = failed
				continue
			}
			messages = append(messages, message)
		}
	}
}

// reactAgent is a react.Agent for the suite, in a graph with checkpoints.
type reactAgent struct {
	graph    compose.Runnable[[]*schema.Message, *schema.Message]
	stream   bool
	history  bool
	system   *schema.Message
	messages []*schema.Message
	turns    int
}

func newReactAgent(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
	a := &reactAgent{stream: s.Stream, history: s.History, system: schema.SystemMessage(s.System)}
	memory := eino.New(s.Recorder, nil)
	agent, err := react.NewAgent(tb.Context(), &react.AgentConfig{
		ToolCallingModel: suiteModel{s.Model}, MessageModifier: memory.ModifyMessages, MaxStep: 40,
		// The rewriter sees the messages of the conversation, which the agent itself does not return.
		MessageRewriter: func(_ context.Context, messages []*schema.Message) []*schema.Message {
			a.messages = messages
			return messages
		},
		ToolsConfig: compose.ToolsNodeConfig{Tools: suiteTools(s, memory), ToolCallMiddlewares: []compose.ToolMiddleware{memory.ToolMiddleware()}},
	})
	require.NoError(tb, err)
	graph, opts := agent.ExportGraph()
	a.graph, err = compose.NewChain[[]*schema.Message, *schema.Message]().AppendGraph(graph, opts...).
		Compile(tb.Context(), compose.WithCheckPointStore(new(checkpoints)))
	require.NoError(tb, err)
	return a
}

func (a *reactAgent) Say(ctx context.Context, text string) (string, error) {
	messages := []*schema.Message{a.system}
	if a.history && len(a.messages) > 0 {
		messages = a.messages
	}
	a.turns++
	return a.run(ctx, append(messages, schema.UserMessage(text)))
}

func (a *reactAgent) Resume(ctx context.Context) (string, error) { return a.run(ctx, nil) }

func (a *reactAgent) run(ctx context.Context, messages []*schema.Message) (string, error) {
	answer, err := a.answer(ctx, messages, compose.WithCheckPointID(fmt.Sprint(a.turns)))
	if err != nil {
		return "", err
	}
	a.messages = append(a.messages, answer)
	return answer.Content, nil
}

func (a *reactAgent) answer(ctx context.Context, messages []*schema.Message, opts ...compose.Option) (*schema.Message, error) {
	if !a.stream {
		return a.graph.Invoke(ctx, messages, opts...)
	}
	chunks, err := a.graph.Stream(ctx, messages, opts...)
	if err != nil {
		return nil, err
	}
	return schema.ConcatMessageStream(chunks)
}

// drain reads a stream to its end, and returns its error.
func drain[T any](r *schema.StreamReader[T]) (parts []T, err error) {
	defer r.Close()
	for {
		part, err := r.Recv()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return parts, err
		}
		parts = append(parts, part)
	}
}
