package eino_test

import (
	"context"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// Without ToolMiddleware, calls are recorded from the messages of the next request.
func TestCallsFromMessages(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	m := newScript(get("call_0 get_page "+homeID, "call_0 get_page "+newsID), get("call_0 get_page "+homeID), say("Found them."))
	a, err := react.NewAgent(t.Context(), &react.AgentConfig{ToolCallingModel: m, MessageModifier: w.ModifyMessages,
		ToolsConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{getPage(t, nil)}}})
	require.NoError(t, err)
	_, err = a.Generate(t.Context(), []*schema.Message{schema.UserMessage("Get the pages.")})
	require.NoError(t, err)
	assert.Equal(t, []string{"get_page " + homeID, "get_page " + homeID, "get_page " + newsID}, r.Names())
	shows(t, m.last(t), homeID, newsID)
}

// A graph of the program's own: a model and a ToolsNode.
func TestGraph(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	m := newScript(get("c1 get_page "+homeID), say("Found it."))
	tools, err := compose.NewToolNode(t.Context(), &compose.ToolsNodeConfig{
		Tools: []tool.BaseTool{getPage(t, nil)}, ToolCallMiddlewares: []compose.ToolMiddleware{w.ToolMiddleware()},
	})
	require.NoError(t, err)
	first, err := compose.NewChain[[]*schema.Message, []*schema.Message]().AppendChatModel(w.Model(m)).AppendToolsNode(tools).Compile(t.Context())
	require.NoError(t, err)
	second, err := compose.NewChain[[]*schema.Message, *schema.Message]().AppendChatModel(w.Model(m)).Compile(t.Context())
	require.NoError(t, err)
	ctx := t.Context()
	_, err = first.Invoke(ctx, []*schema.Message{schema.UserMessage("Get the home page.")})
	require.NoError(t, err)
	_, err = second.Invoke(ctx, []*schema.Message{schema.UserMessage("Rename it.")})
	require.NoError(t, err)
	assert.Equal(t, []string{"get_page " + homeID}, r.Names())
	shows(t, m.last(t), homeID)
}

// typed is a model with a type and callbacks of its own.
type typed struct{ *script }

func (typed) GetType() string          { return "Typed" }
func (typed) IsCallbacksEnabled() bool { return true }

func (m typed) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m typed) Generate(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: messages})
	reply, err := m.script.Generate(ctx, messages, opts...)
	callbacks.OnEnd(ctx, &model.CallbackOutput{Message: reply})
	return reply, err
}

func TestModelKeepsTypeAndCallbacks(t *testing.T) {
	t.Parallel()
	w := eino.New(new(middleware.Recorder), nil)
	for want, m := range map[string]model.ToolCallingChatModel{"script": newScript(say("Hello.")), "Typed": typed{newScript(say("Hello."))}} {
		wrapped, err := w.Model(m).WithTools(nil)
		require.NoError(t, err)
		chain, err := compose.NewChain[[]*schema.Message, *schema.Message]().AppendChatModel(wrapped).Compile(t.Context())
		require.NoError(t, err)
		var started []string
		handler := callbacks.NewHandlerBuilder().OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
			if info.Component == components.ComponentOfChatModel {
				started = append(started, info.Type)
			}
			return ctx
		}).Build()
		_, err = chain.Invoke(t.Context(), []*schema.Message{schema.UserMessage("Hi.")}, compose.WithCallbacks(handler))
		require.NoError(t, err)
		assert.Equal(t, []string{want}, started, "once, by the model or by Eino")
	}
}
