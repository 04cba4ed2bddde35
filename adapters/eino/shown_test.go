package eino_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/filesystem"
	"github.com/cloudwego/eino/adk/middlewares/reduction"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func withHandles(tb testing.TB) *adaptertest.Record {
	return adaptertest.NewRecordWith(tb, &middleware.Options{Handles: handle.NewTable(nil)})
}

func withResults(tb testing.TB) *adaptertest.Record {
	return adaptertest.NewRecordWith(tb, &middleware.Options{
		Handles: handle.NewTable(nil), Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 200}),
	})
}

// In the order that the documentation asks for, reduction sees the description of a stored result,
// which is short, and leaves it alone. In the other one, the preview is stored that it makes.
func TestStoredResultWithReduction(t *testing.T) {
	t.Parallel()
	result := fmt.Sprintf(`{"page":{"text":%q,"id":%q,"title":"Home"}}`, strings.Repeat("lorem ipsum ", 2000), homeID)
	for _, memoryLast := range []bool{true, false} {
		for _, streams := range []bool{false, true} {
			t.Run(fmt.Sprintf("memoryLast=%v, streams=%v", memoryLast, streams), func(t *testing.T) {
				t.Parallel()
				r, backend := withResults(t), filesystem.NewInMemoryBackend()
				reduce, err := reduction.New(t.Context(), &reduction.Config{Backend: backend, MaxLengthForTrunc: 10_000})
				require.NoError(t, err)
				handlers := []adk.ChatModelAgentMiddleware{reduce, eino.New(r.Recorder, nil)}
				if !memoryLast {
					slices.Reverse(handlers)
				}
				m := newScript(get("c1 get_page latest"), say("Found it."))
				a := newAgent(t, "editor", m, []tool.BaseTool{largeTool(t, streams, result)}, handlers...)
				_, err = read(adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: streams}).Query(t.Context(), "Get it."))
				require.NoError(t, err)

				request := m.last(t)
				shown := request[len(request)-1].String()
				files, err := backend.LsInfo(t.Context(), &filesystem.LsInfoRequest{Path: "/"})
				require.NoError(t, err)
				assert.Equal(t, memoryLast, len(files) == 0, "what reduction stored")
				assert.Contains(t, shown, "[STORED RESULT] result#1")
				assert.NotContains(t, shown, "<persisted-output>")
				text, err := r.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1", Path: "$.page.id"})
				if memoryLast {
					require.NoError(t, err)
					assert.Contains(t, text, "page#1", "the whole result is stored")
					shows(t, request, `"Home" (page#1)`)
				} else {
					assert.NotContains(t, text, "page#1", "the preview of reduction is stored")
				}
			})
		}
	}
}

// Of an enhanced result only the texts change.
func TestShownParts(t *testing.T) {
	t.Parallel()
	long := fmt.Sprintf(`{"page":{"id":%q,"title":"Home","text":%q}}`, homeID, strings.Repeat("lorem ipsum ", 500))
	for name, test := range map[string]struct {
		parts []schema.ToolOutputPart
		want  []string // texts; "" for another part
	}{
		"handles":       {[]schema.ToolOutputPart{textPart(page(homeID)), imagePart(), textPart(homeID)}, []string{`{"page":{"id":"page#1","title":"Home"}}`, "", "page#1"}},
		"an id in two":  {[]schema.ToolOutputPart{textPart(page(homeID)[:20]), textPart(page(homeID)[20:])}, []string{`{"page":{"id":"page#1","title":"Home"}}`}},
		"stored result": {[]schema.ToolOutputPart{imagePart(), textPart(long), textPart("\nThat is all.")}, []string{"", "[STORED RESULT] result#1"}},
		"nothing":       {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := eino.New(withResults(t).Recorder, nil)
			run, err := w.WrapEnhancedStreamableToolCall(t.Context(), func(ctx context.Context, a *schema.ToolArgument, opts ...tool.Option) (*schema.StreamReader[*schema.ToolResult], error) {
				return enhancedStreamTool(test.parts).StreamableRun(ctx, a, opts...)
			}, &adk.ToolContext{Name: "get_page", CallID: "c1"})
			require.NoError(t, err)
			stream, err := run(t.Context(), &schema.ToolArgument{Text: `{"page_id":"home"}`})
			require.NoError(t, err)
			chunks, err := drain(stream)
			require.NoError(t, err)
			require.Len(t, chunks, 1)
			require.Len(t, chunks[0].Parts, len(test.want))
			for i, p := range chunks[0].Parts {
				assert.True(t, strings.HasPrefix(p.Text, test.want[i]), p.Text)
			}
		})
	}
}

// Messages of a program have ids, and so do the calls that a model requests without
// ToolMiddleware. The model sees handles.
func TestModelAloneWithHandles(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		m := newScript(
			schema.AssistantMessage("Let me see. ", []schema.ToolCall{call("c2", "set_title", `{"page_id":"page#9"}`), call("c3", "get_page", `{"page_id":"page#1"}`)}),
			schema.AssistantMessage("Now. ", []schema.ToolCall{call("c2", "set_title", `{"page_id":"page#1"}`)}))
		w := eino.New(withHandles(t).Recorder, nil)
		messages := []*schema.Message{get("c1 get_page " + homeID), schema.ToolMessage(page(homeID), "c1"), schema.UserMessage("Rename " + homeID)}
		answer, err := answerOf(t, w.Model(m), streams, messages)
		require.NoError(t, err)
		assert.Equal(t, `{"page_id":"`+homeID+`"}`, answer.ToolCalls[0].Function.Arguments)
		assert.Len(t, answer.ToolCalls, 1)
		assert.Equal(t, map[bool]string{false: "Now. ", true: "Let me see. Now. "}[streams], answer.Content)

		first, second := m.requests[0], m.requests[1]
		assert.Equal(t, `{"page_id":"page#1"}`, first[1].ToolCalls[0].Function.Arguments)
		assert.Equal(t, `{"page":{"id":"page#1","title":"Home"}}`, first[2].Content)
		assert.Equal(t, "Rename "+homeID, first[3].Content, "texts of users stay as they are")
		assert.Equal(t, `{"page_id":"`+homeID+`"}`, messages[0].ToolCalls[0].Function.Arguments, "the program's messages too")
		require.Len(t, second, len(first)+3)
		refused := second[len(first):]
		assert.Equal(t, "Let me see. ", refused[0].Content)
		assert.Equal(t, schema.ToolMessage("unknown handle page#9: the tool was not called; known handles are page#1", "c2", schema.WithToolName("set_title")), refused[1])
		assert.Equal(t, schema.ToolMessage("not called, because another call of this message was refused", "c3", schema.WithToolName("get_page")), refused[2])
	}
}

func answerOf(t *testing.T, m model.BaseChatModel, streams bool, messages []*schema.Message) (*schema.Message, error) {
	if !streams {
		return m.Generate(t.Context(), messages)
	}
	stream, err := m.Stream(t.Context(), messages)
	require.NoError(t, err)
	chunks, err := drain(stream)
	if err != nil {
		return nil, err
	}
	return schema.ConcatMessages(chunks)
}

func TestModelThatInsists(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		m := newScript(get("c1 get_page page#9"), get("c1 get_page page#9"), get("c1 get_page page#9"))
		_, err := answerOf(t, eino.New(withHandles(t).Recorder, nil).Model(m), streams, []*schema.Message{schema.UserMessage("Get it.")})
		var unknown *handle.UnknownError
		require.ErrorAs(t, err, &unknown)
		assert.Len(t, m.requests, 1+middleware.MaxCorrections)
	}
}

// slow is a model whose stream the test writes.
type slow struct {
	*script
	stream *schema.StreamReader[*schema.Message]
}

func (s slow) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return s.stream, nil
}

// Texts are passed on as they come, and calls once they are complete.
func TestTextOfStreamIsNotHeld(t *testing.T) {
	t.Parallel()
	r := withHandles(t)
	require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page(homeID)}))
	reader, writer := schema.Pipe[*schema.Message](8)
	stream, err := eino.New(r.Recorder, nil).Model(slow{newScript(), reader}).Stream(t.Context(), []*schema.Message{schema.UserMessage("Get it.")})
	require.NoError(t, err)
	index := 0
	for _, chunk := range []*schema.Message{
		say("Let me see."),
		schema.AssistantMessage("", []schema.ToolCall{{Index: &index, ID: "c1", Function: schema.FunctionCall{Name: "get_page", Arguments: `{"page_id":"pa`}}}),
		schema.AssistantMessage("!", []schema.ToolCall{{Index: &index, Function: schema.FunctionCall{Arguments: `ge#1"}`}}}),
	} {
		writer.Send(chunk, nil)
		got, err := stream.Recv()
		require.NoError(t, err)
		assert.Equal(t, chunk.Content, got.Content)
		assert.Empty(t, got.ToolCalls)
	}
	writer.Close()
	rest, err := drain(stream)
	require.NoError(t, err)
	require.Len(t, rest, 1)
	assert.Equal(t, `{"page_id":"`+homeID+`"}`, rest[0].ToolCalls[0].Function.Arguments)
}

// A call that was suspended runs with the id when it is resumed.
func TestSuspendedCallWithHandle(t *testing.T) {
	t.Parallel()
	r := withHandles(t)
	var got []string
	rename := newTool(t, "rename_page", func(ctx context.Context, id string) (string, error) {
		if len(got) == 0 {
			got = append(got, id)
			return "", approval(ctx)
		}
		got = append(got, id)
		return page(id), nil
	})
	require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page(homeID)}))
	a := newAgent(t, "editor", newScript(get("c1 rename_page page#1"), say("Done.")), []tool.BaseTool{rename}, eino.New(r.Recorder, nil))
	runner := adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, CheckPointStore: new(checkpoints)})
	interrupted(t, runner.Query(t.Context(), "Rename it.", adk.WithCheckPointID("c")))
	events, err := runner.Resume(t.Context(), "c")
	require.NoError(t, err)
	_, err = read(events)
	require.NoError(t, err)
	assert.Equal(t, []string{homeID, homeID}, got)
	assert.Len(t, r.Calls(), 2)
}

// Tools for results use the recorder of their call.
func TestResultToolsOfContext(t *testing.T) {
	t.Parallel()
	r := withResults(t)
	require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: strings.Repeat("lorem ipsum\n", 500)}))
	fromOption := eino.New(nil, &eino.Options{Recorder: func(context.Context) *middleware.Recorder { return r.Recorder }})
	for want, w := range map[string]*eino.WorkingMemory{"lorem ipsum": fromOption, middleware.ErrNoResults.Error(): eino.New(nil, nil)} {
		read := w.ResultTools()[0].(tool.InvokableTool)
		info, err := read.Info(t.Context())
		require.NoError(t, err)
		parameters, err := info.ToJSONSchema()
		require.NoError(t, err)
		assert.Equal(t, []string{"handle"}, parameters.Required)
		text, err := read.InvokableRun(t.Context(), `{"handle":"result#1","limit":2}`)
		require.NoError(t, err, "an error would end the run")
		assert.Contains(t, text, want)
	}
}
