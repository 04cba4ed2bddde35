package eino_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// graphInterrupt returns the error of a graph that was interrupted.
func graphInterrupt(t *testing.T) error {
	graph, err := compose.NewChain[string, string]().AppendLambda(compose.InvokableLambda(func(ctx context.Context, _ string) (string, error) {
		return "", compose.Interrupt(ctx, "may it run?")
	})).Compile(t.Context(), compose.WithCheckPointStore(new(checkpoints)))
	require.NoError(t, err)
	_, err = graph.Invoke(t.Context(), "", compose.WithCheckPointID("c"))
	require.Error(t, err)
	return err
}

//lint:ignore SA1019 programs still use it
var legacyInterrupt = compose.InterruptAndRerun

func TestSuspendedCallIsNeitherSuccessNorFailure(t *testing.T) {
	t.Parallel()
	for name, suspended := range map[string]error{
		"tool.Interrupt":                tool.Interrupt(t.Context(), "may it run?"),
		"tool.StatefulInterrupt":        tool.StatefulInterrupt(t.Context(), "may it run?", "state"),
		"tool.CompositeInterrupt":       tool.CompositeInterrupt(t.Context(), "", "", tool.Interrupt(t.Context(), "inner")),
		"compose.Interrupt":             compose.Interrupt(t.Context(), "may it run?"),
		"compose.InterruptAndRerun":     legacyInterrupt,
		"compose.NewInterruptAndRerun":  compose.NewInterruptAndRerunErr("extra"),
		"compose.WrapInterruptAndRerun": compose.WrapInterruptAndRerunIfNeeded(t.Context(), compose.AddressSegment{ID: "c1"}, legacyInterrupt),
		"wrapped":                       fmt.Errorf("get_page: %w", tool.Interrupt(t.Context(), nil)),
		"joined":                        errors.Join(errors.New("other"), tool.Interrupt(t.Context(), nil)),
		"graph in a tool":               graphInterrupt(t),
		"adk.ErrStreamCanceled":         fmt.Errorf("get_page: %w", adk.ErrStreamCanceled),
		"adk.CancelError":               fmt.Errorf("get_page: %w", &adk.CancelError{Info: &adk.AgentCancelInfo{}}),
		"middleware.ErrSuspended":       fmt.Errorf("get_page: %w", middleware.ErrSuspended),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, approved := adaptertest.NewRecord(t), false
			w := eino.New(r.Recorder, nil)
			run, err := w.WrapInvokableToolCall(t.Context(), func(context.Context, string, ...tool.Option) (string, error) {
				if !approved {
					return "", suspended
				}
				return page(homeID), nil
			}, &adk.ToolContext{Name: "get_page", CallID: "c1"})
			require.NoError(t, err)
			_, err = run(t.Context(), arguments)
			require.Equal(t, suspended, err)
			result, in := schema.Pipe[string](2)
			in.Send("", suspended)
			in.Close()
			_, err = drain(runStreaming(t, streamings["tool middleware"], w, result))
			require.Equal(t, suspended, err)
			assert.Empty(t, r.Names())
			approved = true
			_, err = run(t.Context(), arguments)
			require.NoError(t, err)
			require.Equal(t, []string{"get_page " + homeID}, r.Names())
			assert.NoError(t, r.Calls()[0].Err)
		})
	}
}

func TestOtherErrorsAreFailures(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{errors.New("no such page"), context.Canceled, context.DeadlineExceeded, adk.ErrExceedMaxIterations} {
		r := adaptertest.NewRecord(t)
		run, err := eino.New(r.Recorder, nil).WrapInvokableToolCall(t.Context(), func(context.Context, string, ...tool.Option) (string, error) {
			return "", failure
		}, &adk.ToolContext{Name: "get_page", CallID: "c1"})
		require.NoError(t, err)
		_, err = run(t.Context(), arguments)
		require.Equal(t, failure, err)
		require.Len(t, r.Calls(), 1)
		assert.ErrorIs(t, r.Calls()[0].Err, failure)
	}
}

// approval interrupts a call until it is resumed with "yes".
func approval(ctx context.Context) error {
	if _, _, answer := tool.GetResumeContext[string](ctx); answer == "yes" {
		return nil
	}
	return tool.StatefulInterrupt(ctx, "may it run?", "asked")
}

// interrupted runs an agent until it is interrupted, and returns the id of the interrupt.
func interrupted(t *testing.T, events *adk.AsyncIterator[*adk.AgentEvent]) (id string) {
	for {
		event, ok := events.Next()
		if !ok {
			require.NotEmpty(t, id)
			return id
		}
		require.NoError(t, event.Err)
		if event.Output != nil && event.Output.MessageOutput != nil {
			_, err := event.Output.MessageOutput.GetMessage()
			require.NoError(t, err)
		}
		if event.Action != nil && event.Action.Interrupted != nil {
			for _, c := range event.Action.Interrupted.InterruptContexts {
				if c.IsRootCause {
					id = c.ID
				}
			}
		}
	}
}

// A run with parallel calls is interrupted after one of them has finished, and resumed in the same
// process or in another one.
func TestResumedRun(t *testing.T) {
	t.Parallel()
	both := []string{"delete_page " + newsID, "get_page " + homeID}
	for _, streams := range []bool{false, true} {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprintf("streams=%v restarted=%v", streams, restarted), func(t *testing.T) {
				t.Parallel()
				store := new(checkpoints)
				first, second := adaptertest.NewRecord(t), adaptertest.NewRecord(t)
				if !restarted {
					second = first
				}
				m := newScript(get("c0 get_page "+newsID), get("c1 get_page "+homeID, "c2 delete_page "+newsID), say("Deleted."))
				runner := func(r *adaptertest.Record) *adk.Runner {
					tools := []tool.BaseTool{getPage(t, nil), newTool(t, "delete_page", func(ctx context.Context, _ string) (string, error) {
						return `{"deleted":true}`, approval(ctx)
					})}
					return adk.NewRunner(t.Context(), adk.RunnerConfig{EnableStreaming: streams, CheckPointStore: store,
						Agent: newAgent(t, "editor", m, tools, eino.New(r.Recorder, nil))})
				}
				id := interrupted(t, runner(first).Query(t.Context(), "Delete the news page.", adk.WithCheckPointID("c")))
				assert.Equal(t, []string{"get_page " + homeID, "get_page " + newsID}, first.Names())
				stored, _, _ := store.Get(t.Context(), "c")
				assert.NotContains(t, string(stored), prompt.Title, "checkpoints have no block")

				events, err := runner(second).ResumeWithParams(t.Context(), "c", &adk.ResumeParams{Targets: map[string]any{id: "yes"}})
				require.NoError(t, err)
				_, err = read(events)
				require.NoError(t, err)
				assert.Equal(t, append(both, "get_page "+newsID), second.Names(), "from the tool, or the messages")
				shows(t, m.last(t), homeID)
			})
		}
	}
}

// A call in an agent that is a tool of another is interrupted and resumed.
func TestResumedNestedAgent(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	inner := newScript(get("call_0 get_page "+homeID), say("The home page."))
	outer := newScript(schema.AssistantMessage("", []schema.ToolCall{call("call_0", "librarian", `{"request":"Find the page."}`)}), say("Found it."))
	librarian := adk.NewAgentTool(t.Context(), newAgent(t, "librarian", inner, []tool.BaseTool{getPage(t, approval)}, w))
	runner := adk.NewRunner(t.Context(), adk.RunnerConfig{CheckPointStore: new(checkpoints), Agent: newAgent(t, "editor", outer, []tool.BaseTool{librarian}, w)})

	id := interrupted(t, runner.Query(t.Context(), "Find the page.", adk.WithCheckPointID("c")))
	assert.Empty(t, r.Names(), "neither the call nor that of the agent")
	events, err := runner.ResumeWithParams(t.Context(), "c", &adk.ResumeParams{Targets: map[string]any{id: "yes"}})
	require.NoError(t, err)
	_, err = read(events)
	require.NoError(t, err)
	assert.Equal(t, []string{"get_page " + homeID, `librarian {"request":"Find the page."}`}, r.Names())
	shows(t, inner.last(t), homeID)
	shows(t, outer.last(t), homeID)
}
