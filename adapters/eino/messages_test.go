package eino_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func texts(messages []*schema.Message) (all []string) {
	for _, m := range messages {
		all = append(all, m.String())
	}
	return all
}

// conversation returns messages of a program, whose system messages have several forms.
func conversation(system ...*schema.Message) []*schema.Message {
	return append(system, schema.UserMessage("Get the home page."), get("c1 get_page "+homeID),
		schema.ToolMessage(page(homeID), "c1"), say("Found it."), schema.UserMessage("Rename it."))
}

func systemParts(texts ...string) *schema.Message {
	m := &schema.Message{Role: schema.System}
	for _, text := range texts {
		m.UserInputMultiContent = append(m.UserInputMultiContent, schema.MessageInputPart{Type: schema.ChatMessagePartTypeText, Text: text})
	}
	return m
}

func olderParts(texts ...string) *schema.Message {
	m := &schema.Message{Role: schema.System}
	for _, text := range texts {
		//lint:ignore SA1019 programs still use it
		m.MultiContent = append(m.MultiContent, schema.ChatMessagePart{Type: schema.ChatMessagePartTypeText, Text: text})
	}
	return m
}

// The block is placed in every form of a message, replaces an earlier one, and never changes the
// caller's messages.
func TestModifyMessages(t *testing.T) {
	t.Parallel()
	for name, messages := range map[string][]*schema.Message{
		"no system message": conversation(),
		"content":           conversation(schema.SystemMessage("You edit.")),
		"parts":             conversation(systemParts("You edit.", "A website.")),
		"older parts":       conversation(olderParts("You edit.", "A website.")),
		"two":               conversation(schema.SystemMessage("You edit."), systemParts("A website.")),
	} {
		for _, placement := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceAfterPrefix, prompt.PlaceTail, prompt.PlaceAppend} {
			t.Run(name+", "+placement.String(), func(t *testing.T) {
				t.Parallel()
				r := adaptertest.NewRecord(t)
				w := eino.New(r.Recorder, &eino.Options{Placement: placement})
				before, _ := json.Marshal(messages)
				once := w.ModifyMessages(t.Context(), messages)
				assert.Equal(t, 1, blocks(once))
				assert.Contains(t, strings.Join(texts(once), "\n"), `"Home" (`+homeID+`)`)
				assert.Equal(t, texts(once), texts(w.ModifyMessages(t.Context(), messages)))

				given, _ := json.Marshal(once)
				assert.Equal(t, texts(once), texts(w.ModifyMessages(t.Context(), once)), "of its own result")
				require.NoError(t, r.Clear(t.Context()))
				assert.Equal(t, texts(messages), texts(w.ModifyMessages(t.Context(), once)), "the block is gone with what it showed")

				after, _ := json.Marshal(messages)
				assert.Equal(t, string(before), string(after), "the caller's messages")
				after, _ = json.Marshal(once)
				assert.Equal(t, string(given), string(after), "the caller's messages with a block")
				assert.Len(t, r.Calls(), 1)
			})
		}
	}
}

// What the handler returns becomes the agent's state. Blocks do not pile up there, even if the
// model fails and the state keeps one.
func TestState(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	state := &adk.ChatModelAgentState{Messages: conversation(schema.SystemMessage("You edit.")), ToolInfos: []*schema.ToolInfo{pageTool("get_page")}}
	given := texts(state.Messages)
	next := state
	for range 3 {
		var err error
		_, next, err = w.BeforeModelRewriteState(t.Context(), next, nil)
		require.NoError(t, err)
		shows(t, next.Messages, homeID)
		assert.Equal(t, state.ToolInfos, next.ToolInfos)
	}
	assert.Equal(t, given, texts(state.Messages), "the state that the handler was given")
	withBlock := texts(next.Messages)
	_, last, err := w.AfterModelRewriteState(t.Context(), next, nil)
	require.NoError(t, err)
	assert.Equal(t, given, texts(last.Messages))
	assert.Equal(t, withBlock, texts(next.Messages), "the state that the handler was given")
}

// inspector is a handler of a program that reads the agent's messages.
type inspector struct {
	adk.BaseChatModelAgentMiddleware
	seen [][]*schema.Message
}

func (i *inspector) BeforeModelRewriteState(ctx context.Context, state *adk.ChatModelAgentState, _ *adk.ModelContext) (context.Context, *adk.ChatModelAgentState, error) {
	i.seen = append(i.seen, state.Messages)
	return ctx, state, nil
}

func (i *inspector) AfterAgent(ctx context.Context, state *adk.ChatModelAgentState) (context.Context, error) {
	i.seen = append(i.seen, state.Messages)
	return ctx, nil
}

func TestOtherHandlersSeeNoBlock(t *testing.T) {
	t.Parallel()
	r, other := adaptertest.NewRecord(t), new(inspector)
	m := newScript(get("c1 get_page "+homeID), say("Found it."))
	ask(t, t.Context(), newAgent(t, "editor", m, []tool.BaseTool{getPage(t, nil)}, other, eino.New(r.Recorder, nil)), schema.UserMessage("Get it."))
	require.Len(t, other.seen, 3)
	for _, messages := range other.seen {
		assert.Zero(t, blocks(messages))
	}
	shows(t, m.last(t), homeID)
}

func TestRecorderOfACall(t *testing.T) {
	t.Parallel()
	type key struct{}
	carried, chosen, fallback := adaptertest.NewRecord(t), adaptertest.NewRecord(t), adaptertest.NewRecord(t)
	w := eino.New(fallback.Recorder, &eino.Options{Recorder: func(ctx context.Context) *middleware.Recorder {
		if ctx.Value(key{}) != nil {
			return chosen.Recorder
		}
		return nil
	}})
	for _, test := range []struct {
		name string
		ctx  context.Context
		want *adaptertest.Record
	}{
		{"context", middleware.WithRecorder(context.WithValue(t.Context(), key{}, true), carried.Recorder), carried},
		{"option", context.WithValue(t.Context(), key{}, true), chosen},
		{"fallback", t.Context(), fallback},
	} {
		m := newScript(get("c1 get_page "+homeID), say("Found it."))
		ask(t, test.ctx, newAgent(t, "editor", m, []tool.BaseTool{getPage(t, nil)}, w), schema.UserMessage("Get it."))
		assert.Len(t, test.want.Calls(), 1, test.name)
		shows(t, m.last(t), homeID)
	}
	assert.Len(t, append(append(carried.Calls(), chosen.Calls()...), fallback.Calls()...), 3)
}

// The words of the user reach recall; results of tools and what Eino writes for other agents do
// not.
func TestSaid(t *testing.T) {
	t.Parallel()
	var asked []string
	rec, err := middleware.NewRecorder(&middleware.Options{Recall: func(_ context.Context, said string) ([]items.Item, error) {
		asked = append(asked, said)
		return nil, nil
	}})
	require.NoError(t, err)
	w := eino.New(rec, nil)
	router := newScript(schema.AssistantMessage("", []schema.ToolCall{call("c1", adk.TransferToAgentToolName, `{"agent_name":"writer"}`)}))
	writer := newScript(get("c2 get_page "+homeID), say("Renamed."))
	team, err := adk.SetSubAgents(t.Context(), newAgent(t, "router", router, nil, w),
		[]adk.Agent{newAgent(t, "writer", writer, []tool.BaseTool{getPage(t, nil)}, w)})
	require.NoError(t, err)
	ask(t, t.Context(), team, &schema.Message{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{
		{Type: schema.ChatMessagePartTypeText, Text: "Rename the home page."}, {Type: schema.ChatMessagePartTypeImageURL},
	}})
	w.ModifyMessages(t.Context(), []*schema.Message{schema.UserMessage("For context: I am new here."), {
		Role: schema.Assistant, AssistantGenMultiContent: []schema.MessageOutputPart{{Type: schema.ChatMessagePartTypeText, Text: "Welcome."}},
	}})
	assert.Equal(t, []string{"Rename the home page.", "For context: I am new here."}, asked)
	assert.Contains(t, strings.Join(texts(writer.last(t)), "\n"), "For context: [router] called tool")
}
