package langchain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// withHandles returns the wrappers of a recorder that has seen the home page, as page#1.
func withHandles(t *testing.T, opts *handle.Options) *langchain.WorkingMemory {
	t.Helper()
	rec := recorderWith(&middleware.Options{Handles: handle.NewTable(opts)})
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "cms_getPage", Arguments: "home", Result: pageJSON(homeID, "Home")}))
	require.Contains(t, rec.Block(), "page#1")
	return langchain.New(rec, nil)
}

// inputs is a tool that returns the home page, and keeps its inputs.
type inputs struct{ all []string }

func (t *inputs) Name() string        { return "cms_getPage" }
func (t *inputs) Description() string { return "describes cms_getPage" }
func (t *inputs) Call(_ context.Context, input string) (string, error) {
	t.all = append(t.all, input)
	return pageJSON(homeID, "Home"), nil
}

func TestToolReceivesIDs(t *testing.T) {
	t.Parallel()
	for _, opts := range []*handle.Options{nil, {WholeOnly: true}} {
		w := withHandles(t, opts)
		for input, want := range map[string]string{
			"page#1":                   homeID,
			" Page#1 ":                 " " + homeID + " ",
			"page#1\nObservation:":     homeID + "\nObservation:",
			`{"__arg1":"page#1"}`:      `{"__arg1":"` + homeID + `"}`,
			`{"id": "page#1", "n": 1}`: `{"id": "` + homeID + `", "n": 1}`,
			`{"__arg1": "{\"id\":\"page#1\"}"}` + "\nObservation:": `{"__arg1": "{\"id\":\"` + homeID + `\"}"}` + "\nObservation:",
			homeID: homeID,
			"home": "home",
		} {
			tool := new(inputs)
			result, err := w.Tool(tool).Call(t.Context(), input)
			require.NoError(t, err)
			assert.Equal(t, []string{want}, tool.all, input)
			assert.Equal(t, pageJSON("page#1", "Home"), result)
		}
	}
}

func TestToolIsNotCalledWithAnUnknownHandle(t *testing.T) {
	t.Parallel()
	w := withHandles(t, nil)
	other := langchain.New(nil, nil)
	for _, input := range []string{"page#9", "page#9\nObservation:", `{"__arg1":"page#9"}`, `{"__arg1":"{\"id\":\"page#9\"}"}`} {
		tool := new(inputs)
		result, err := w.Tool(other.Tool(tool)).Call(t.Context(), input)
		require.NoError(t, err)
		assert.Equal(t, "unknown handle page#9: the tool was not called; known handles are page#1", result)
		assert.Empty(t, tool.all)
	}
}

func TestAgentsOfAllKindsUseHandles(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for _, wrapped := range []bool{true, false} { // the tools, by an executor
			t.Run(fmt.Sprintf("%s wrapped=%v", kind.name, wrapped), func(t *testing.T) {
				t.Parallel()
				w, tool := withHandles(t, nil), new(inputs)
				model := script(kind.get(1, "page#1"), kind.get(2, "page#9"), kind.get(3, homeID), kind.answer("read page#1"))
				agent := w.Agent(kind.make(model, []tools.Tool{tool}))
				if wrapped {
					answer, err := chains.Run(t.Context(), agents.NewExecutor(agent), "look")
					require.NoError(t, err)
					assert.Contains(t, answer, "read page#1")
				} else {
					planUntilDone(t, agent, tool)
				}
				assert.Equal(t, []string{homeID, homeID}, tool.all)
				assert.Contains(t, textOf(model.prompts[1]), pageJSON("page#1", "Home"))
				assert.NotContains(t, textOf(model.prompts[1]), homeID)
				assert.Contains(t, textOf(model.prompts[2]), "unknown handle page#9")
				assert.Equal(t, 2, strings.Count(model.last(), `"id":"page#1"`))
			})
		}
	}
}

func TestModelEncodesAndDecodesCalls(t *testing.T) {
	t.Parallel()
	w := withHandles(t, nil)
	image := llms.BinaryPart("image/png", []byte(homeID))
	said := messages{
		system("You edit."), human("Get " + homeID), asks("c1", "cms_getPage", `{"id":"`+homeID+`"}`),
		answers("c1", "cms_getPage", pageJSON(homeID, "Home")), {Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{image}},
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.TextPart("It is " + homeID), llms.ToolCall{ID: "odd"}}},
	}
	before := textOf(said)
	call := &llms.FunctionCall{Name: "cms_getPage", Arguments: `{"id":"page#1"}`}
	for name, choice := range map[string]*llms.ContentChoice{
		"tool calls":           {Content: "I get page#1.", ToolCalls: []llms.ToolCall{{ID: "c2", FunctionCall: call}, {ID: "odd"}}, FuncCall: call},
		"legacy function call": {Content: "I get page#1.", FuncCall: call},
	} {
		scripted := script(func([]llms.MessageContent) *llms.ContentChoice { return choice })
		response, err := w.Model(scripted).GenerateContent(t.Context(), said)
		require.NoError(t, err, name)
		got := response.Choices[0]
		assert.Equal(t, "I get page#1.", got.Content)
		assert.JSONEq(t, `{"id":"`+homeID+`"}`, got.FuncCall.Arguments)
		require.Len(t, got.ToolCalls, len(choice.ToolCalls))
		if len(got.ToolCalls) > 0 {
			assert.Same(t, got.FuncCall, got.ToolCalls[0].FunctionCall)
		}
		assert.Equal(t, `{"id":"page#1"}`, call.Arguments, "the model's answer is not modified")

		sent := scripted.prompts[0]
		assert.Equal(t, before, textOf(said), "the given messages are not modified")
		assert.Contains(t, sent[0].Parts[0].(llms.TextContent).Text, `"Home" (page#1)`)
		assert.Equal(t, said[1], sent[1])
		assert.JSONEq(t, `{"id":"page#1"}`, sent[2].Parts[0].(llms.ToolCall).FunctionCall.Arguments)
		assert.Equal(t, pageJSON("page#1", "Home"), sent[3].Parts[0].(llms.ToolCallResponse).Content)
		assert.Equal(t, said[4:], sent[4:])
	}
}

func TestModelIsAskedAgainTwice(t *testing.T) {
	t.Parallel()
	w := withHandles(t, nil)
	wrong := calls("c1 cms_getPage page#9", "c2 cms_getPage page#1")
	legacy := func([]llms.MessageContent) *llms.ContentChoice {
		return &llms.ContentChoice{Content: "Hm.", FuncCall: &llms.FunctionCall{Name: "cms_getPage", Arguments: `{"id":"page#8"}`}}
	}
	said := messages{human("Get it.")}
	scripted := script(wrong, legacy, calls("c3 cms_getPage page#1"))
	response, err := w.Model(scripted).GenerateContent(t.Context(), said)
	require.NoError(t, err)
	assert.JSONEq(t, `{"__arg1":"`+homeID+`"}`, response.Choices[0].ToolCalls[0].FunctionCall.Arguments)
	refusal := "unknown handle page#9: the tool was not called; known handles are page#1"
	aside := "not called, because another call of this message was refused"
	sent := scripted.prompts[2][2:] // behind the block and what was said
	require.Len(t, sent, 5)
	assert.Len(t, sent[0].Parts, 2)
	assert.Equal(t, answers("c1", "cms_getPage", refusal), sent[1])
	assert.Equal(t, answers("c2", "cms_getPage", aside), sent[2])
	assert.Equal(t, llms.TextPart("Hm."), sent[3].Parts[0])
	assert.Equal(t, answers("", "cms_getPage", strings.ReplaceAll(refusal, "9", "8")), sent[4])

	scripted = script(wrong, wrong, wrong, say("not asked"))
	_, err = w.Model(scripted).GenerateContent(t.Context(), said)
	var unknown *handle.UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, "page#9", unknown.Handle)
	assert.Len(t, scripted.prompts, 3)

	_, err = w.Model(script(wrong)).GenerateContent(t.Context(), said)
	require.EqualError(t, err, "the script is over")
}

func TestAgentPlansAgainTwice(t *testing.T) {
	t.Parallel()
	model := script(acts("cms_getPage", "page#9"), acts("cms_getPage", "page#8\nObservation:"), acts("cms_getPage", "page#7"))
	agent := withHandles(t, nil).Agent(agents.NewOneShotAgent(model, []tools.Tool{getPage()}))
	_, _, err := agent.Plan(t.Context(), nil, map[string]string{"input": "look"})
	var unknown *handle.UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, "page#7", unknown.Handle)
	assert.Equal(t, 2, strings.Count(model.last(), "the tool was not called"))
}

func TestModelsOfTwoWorkingMemoriesRecordACallOnce(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"c1", ""} {
		record := adaptertest.NewRecordWith(t, &middleware.Options{Handles: handle.NewTable(nil)})
		a, b := langchain.New(record.Recorder, nil), langchain.New(record.Recorder, nil)
		said := messages{human("Get it."), asks(id, "cms_getPage", "home"), answers(id, "cms_getPage", pageJSON(homeID, "Home"))}
		model := a.Model(b.Model(script(say("Got it."), say("Yes."))))
		for range 2 {
			_, err := model.GenerateContent(t.Context(), said)
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"cms_getPage home"}, record.Names())
	}
}

// fixed is a model whose answer is the same value each time.
type fixed struct {
	llms.Model
	response *llms.ContentResponse
}

func (f fixed) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return f.response, nil
}

func TestModelWithoutHandlesReturnsTheAnswerItself(t *testing.T) {
	t.Parallel()
	response := &llms.ContentResponse{Choices: []*llms.ContentChoice{calls("c1 cms_getPage page#9")(nil)}}
	for _, r := range []*llms.ContentResponse{response, nil} {
		got, err := langchain.New(knowingHome(t), nil).Model(fixed{response: r}).GenerateContent(t.Context(), messages{human("Hi")})
		require.NoError(t, err)
		assert.Same(t, r, got)
	}
	got, err := withHandles(t, nil).Model(fixed{}).GenerateContent(t.Context(), messages{human("Hi")})
	require.NoError(t, err)
	assert.Nil(t, got)
}

// longPages is a result that is stored.
func longPages() string {
	var b strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&b, `,{"id":"550e8400-e29b-41d4-a716-%012d","title":"Page %d"}`+"\n", i, i)
	}
	return `{"pages":[` + b.String()[1:] + `]}`
}

func TestResultTools(t *testing.T) {
	t.Parallel()
	rec := recorderWith(&middleware.Options{Results: middleware.NewResults(nil)})
	w := langchain.New(nil, nil)
	ctx := middleware.WithRecorder(t.Context(), rec)
	stub, err := w.Tool(fakeTool{"list", func(context.Context, string) (string, error) { return longPages(), nil }}).Call(ctx, "")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(stub, "[STORED RESULT] result#1\n"))

	ts := w.ResultTools()
	require.Len(t, ts, 2)
	assert.Equal(t, []string{"read_result", "list_results"}, []string{ts[0].Name(), ts[1].Name()})
	assert.Contains(t, ts[0].Description(), `"path"`)
	for input, want := range map[string]string{
		`{"handle":"result#1","path":"$.pages[7].title"}`:                "Page 7",
		`{"__arg1":"{\"handle\":\"result#1\",\"query\":\"page 1999\"}"}`: "Page 1999",
		"result#1\nObservation:":                                         "Page 3",
		"result#7":                                                       "unknown handle result#7",
		`{"handle":"result#1","path":"$.no"}`:                            "pages",
		"{":                                                              "not an object",
	} {
		got, err := ts[0].Call(ctx, input)
		require.NoError(t, err, input)
		assert.Contains(t, got, want, input)
	}
	listed, err := ts[1].Call(ctx, "")
	require.NoError(t, err)
	assert.Contains(t, listed, "result#1")
	without, err := ts[1].Call(t.Context(), "{}")
	require.NoError(t, err)
	assert.Equal(t, middleware.ErrNoResults.Error(), without)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = ts[0].Call(ended, "result#1")
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSessionMemoryStoresIDsAndShowsHandles(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	key := session.Key{Namespace: "test", SessionID: "one"}
	opts := &langchain.SessionMemoryOptions{
		Recorder:       middleware.SessionsOptions{Handles: new(handle.Options), Results: new(middleware.ResultsOptions)},
		ReturnMessages: true,
	}
	s, err := langchain.NewSessionMemory(manager, key, opts)
	require.NoError(t, err)
	_, err = s.LoadMemoryVariables(t.Context(), map[string]any{"input": "Get the pages."})
	require.NoError(t, err)
	list := fakeTool{"list", func(context.Context, string) (string, error) { return longPages(), nil }}
	for _, call := range []struct {
		tool  tools.Tool
		input string
	}{{getPage(), "home"}, {new(inputs), "page#1"}, {new(inputs), "page#9"}, {list, "{}"}} {
		_, err := s.WorkingMemory().Tool(call.tool).Call(t.Context(), call.input)
		require.NoError(t, err)
	}
	require.NoError(t, s.SaveContext(t.Context(), map[string]any{"input": "Get the pages."}, map[string]any{"output": "Got page#1."}))

	stored := fmt.Sprint(messagesOf(t, s))
	assert.Equal(t, 2, strings.Count(stored, pageJSON(homeID, "Home")))
	assert.NotContains(t, stored, "page#9")
	assert.Contains(t, stored, "list_results names it")
	assert.Less(t, len(stored), 8<<10, "a large result is not stored twice")
	_, err = manager.Update(t.Context(), key, func(found *session.Session) error {
		found.Context = "The user reads page " + homeID + "."
		return nil
	}, nil)
	require.NoError(t, err)

	again, err := langchain.NewSessionMemory(manager, key, opts) // in another process
	require.NoError(t, err)
	values, err := again.LoadMemoryVariables(t.Context(), map[string]any{"input": "And now?"})
	require.NoError(t, err)
	var shown strings.Builder
	for _, m := range values["history"].([]llms.ChatMessage) {
		shown.WriteString(m.GetContent())
		if ai, ok := m.(llms.AIChatMessage); ok && len(ai.ToolCalls) > 0 {
			shown.WriteString(ai.ToolCalls[0].FunctionCall.Arguments)
		}
	}
	assert.Equal(t, 2, strings.Count(shown.String(), pageJSON("page#1", "Home")))
	assert.Contains(t, shown.String(), `{"__arg1":"page#1"}`)
	assert.Contains(t, shown.String(), "The user reads page page#1.")
	assert.NotContains(t, shown.String(), homeID)
	assert.Less(t, shown.Len(), 8<<10)
}

func TestFailedToolHasNoResultToShow(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	tool := fakeTool{"cms_getPage", func(context.Context, string) (string, error) { return "", failed }}
	text, err := withHandles(t, nil).Tool(tool).Call(t.Context(), "page#1")
	require.ErrorIs(t, err, failed)
	assert.Empty(t, text)
}
