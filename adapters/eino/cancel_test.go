package eino_test

import (
	"context"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// pipeTool streams what the test sends.
type pipeTool struct {
	started chan *schema.StreamWriter[string]
}

func (pipeTool) Info(context.Context) (*schema.ToolInfo, error) { return pageTool("get_page"), nil }

func (p pipeTool) StreamableRun(context.Context, string, ...tool.Option) (*schema.StreamReader[string], error) {
	out, in := schema.Pipe[string](4)
	p.started <- in
	return out, nil
}

// The user cancels a run while a tool streams, and resumes it.
func TestCanceledAndResumedStream(t *testing.T) {
	t.Parallel()
	for _, wrapper := range []string{"handler", "tool middleware"} { // inside and outside Eino's cancellation
		t.Run(wrapper, func(t *testing.T) {
			t.Parallel()
			r, pages := adaptertest.NewRecord(t), pipeTool{make(chan *schema.StreamWriter[string], 1)}
			w := eino.New(r.Recorder, nil)
			m := newScript(get("c1 get_page "+homeID), say("Found it."))
			config := adk.ChatModelAgentConfig{Name: "editor", Description: "edits", Model: w.Model(m),
				ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{pages}}}}
			if wrapper == "handler" {
				config.Handlers = []adk.ChatModelAgentMiddleware{w}
			} else {
				config.ToolsConfig.ToolCallMiddlewares = []compose.ToolMiddleware{w.ToolMiddleware()}
			}
			a, err := adk.NewChatModelAgent(t.Context(), &config)
			require.NoError(t, err)
			runner := adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: true, CheckPointStore: new(checkpoints)})

			option, cancel := adk.WithCancel()
			events := runner.Query(t.Context(), "Get the home page.", option, adk.WithCheckPointID("c"))
			in := <-pages.started
			defer in.Close() // not before: a tool that ends its stream has finished
			in.Send(page(homeID)[:20], nil)
			_, canceled := cancel()
			require.True(t, canceled)
			_, err = read(events)
			require.ErrorAs(t, err, new(*adk.CancelError))
			assert.Empty(t, r.Names())

			events, err = runner.Resume(t.Context(), "c")
			require.NoError(t, err)
			in = <-pages.started
			in.Send(page(homeID), nil)
			in.Close()
			_, err = read(events)
			require.NoError(t, err)
			require.Equal(t, []string{"get_page " + homeID}, r.Names())
			assert.NoError(t, r.Calls()[0].Err)
			shows(t, m.last(t), homeID)
		})
	}
}
