package adk_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool/toolconfirmation"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// The plugin passes the suite, as do the callbacks of an agent, alone or beside the plugin.
func TestAdapter(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]struct{ plugin, callback bool }{
		"plugin": {true, false}, "callback": {false, true}, "both": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adaptertest.Run(t, adaptertest.Harness{
				New: func(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
					return newSuiteAgent(tb, s, with.plugin, with.callback)
				},
				Streams: true, StreamingTools: true, Suspends: true,
			})
		})
	}
}

// suiteAgent is an agent of the suite, run by ADK's runner.
type suiteAgent struct {
	runner  *runner.Runner
	history bool
	config  agent.RunConfig

	session  string
	question *genai.FunctionCall // the last confirmation that was asked for
}

// sessionsMade numbers the sessions: those of agents that share a recorder are different.
var sessionsMade atomic.Int64

func newSessionID() string { return fmt.Sprintf("session-%d", sessionsMade.Add(1)) }

func newSuiteAgent(tb testing.TB, s adaptertest.Setup, withPlugin, withCallback bool) adaptertest.Agent {
	memory := adk.New(s.Recorder, nil)
	config := llmagent.Config{Name: "editor", Model: suiteModel{s.Model}, Instruction: s.System}
	if s.ResultTools {
		config.Tools = memory.ResultTools()
	}
	for _, t := range s.Tools {
		converted, err := suiteTool(t)
		require.NoError(tb, err)
		config.Tools = append(config.Tools, converted)
	}
	var plugins []*plugin.Plugin
	if withPlugin {
		plugins = append(plugins, memory.Plugin())
	}
	if withCallback {
		config.BeforeModelCallbacks = []llmagent.BeforeModelCallback{memory.BeforeModel}
		config.BeforeToolCallbacks = []llmagent.BeforeToolCallback{memory.BeforeTool}
	}
	editor, err := llmagent.New(config)
	require.NoError(tb, err)
	r, err := runner.New(runner.Config{
		AppName: "cms", Agent: editor, SessionService: session.InMemoryService(), AutoCreateSession: true,
		PluginConfig: runner.PluginConfig{Plugins: plugins},
	})
	require.NoError(tb, err)
	a := &suiteAgent{runner: r, history: s.History, session: newSessionID()}
	if s.Stream {
		a.config.StreamingMode = agent.StreamingModeSSE
	}
	return a
}

func (a *suiteAgent) Say(ctx context.Context, text string) (string, error) {
	if !a.history {
		a.session = newSessionID()
	}
	return a.run(ctx, genai.NewContentFromText(text, genai.RoleUser))
}

// Resume answers the last question of ADK.
func (a *suiteAgent) Resume(ctx context.Context) (string, error) {
	answer := genai.NewPartFromFunctionResponse(toolconfirmation.FunctionCallName, map[string]any{"confirmed": true})
	answer.FunctionResponse.ID = a.question.ID
	return a.run(ctx, genai.NewContentFromParts([]*genai.Part{answer}, genai.RoleUser))
}

func (a *suiteAgent) run(ctx context.Context, said *genai.Content) (answer string, err error) {
	for event, err := range a.runner.Run(ctx, "anna", a.session, said, a.config) {
		if err != nil {
			return "", err
		}
		if event.Content == nil || event.Partial {
			continue
		}
		for _, p := range event.Content.Parts {
			if p.FunctionCall != nil && p.FunctionCall.Name == toolconfirmation.FunctionCallName {
				a.question = p.FunctionCall
			}
			if p.Text != "" {
				answer = p.Text
			}
		}
	}
	return answer, nil
}
