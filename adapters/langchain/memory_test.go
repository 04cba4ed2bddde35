package langchain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
)

func TestMemoryWithoutAnInnerOne(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	m := langchain.New(rec, nil).Memory(nil)
	assert.Equal(t, "working_memory", m.GetMemoryKey(t.Context()))
	values, err := m.LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"working_memory": guided(rec)}, values)
	require.NoError(t, m.SaveContext(t.Context(), nil, nil))
}

func TestMemoryBesideAnInnerOne(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	inner := memory.NewConversationBuffer()
	m := langchain.New(rec, &langchain.Options{Variable: "known"}).Memory(inner)
	ctx := t.Context()
	assert.Equal(t, "history", m.GetMemoryKey(ctx))
	assert.Equal(t, []string{"known", "history"}, m.MemoryVariables(ctx))

	// The buffer wants one input key. It gets one, though ours is among the inputs.
	inputs := map[string]any{"input": "hi", "known": "x"}
	require.NoError(t, m.SaveContext(ctx, inputs, map[string]any{"output": "hello"}))
	assert.Equal(t, map[string]any{"input": "hi", "known": "x"}, inputs)
	values, err := m.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"known": guided(rec), "history": "Human: hi\nAI: hello"}, values)

	history := memory.NewChatMessageHistory(memory.WithPreviousMessages([]llms.ChatMessage{userSays("hi")}))
	listed := memory.NewConversationBuffer(memory.WithReturnMessages(true), memory.WithChatHistory(history))
	for keep, want := range map[bool]any{false: "Human: hi", true: []llms.ChatMessage{userSays("hi")}} {
		values, err := langchain.New(rec, &langchain.Options{KeepMessages: keep}).Memory(listed).LoadMemoryVariables(ctx, nil)
		require.NoError(t, err)
		assert.Equal(t, want, values["history"])
	}

	require.NoError(t, m.Clear(ctx))
	assert.Zero(t, rec.Context().Len())
	values, err = m.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"known": "", "history": ""}, values)
}

// oddMemory has values of other types, and fails where told to.
type oddMemory struct {
	memory.Simple
	err error
}

func (m oddMemory) MemoryVariables(context.Context) []string {
	return []string{"count", "working_memory"}
}
func (m oddMemory) LoadMemoryVariables(context.Context, map[string]any) (map[string]any, error) {
	return map[string]any{"count": 3, "working_memory": "mine"}, m.err
}
func (m oddMemory) SaveContext(context.Context, map[string]any, map[string]any) error { return m.err }
func (m oddMemory) Clear(context.Context) error                                       { return m.err }

var _ schema.Memory = oddMemory{}

func TestMemoryTurnsValuesIntoTextAndWinsItsVariable(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	m := langchain.New(rec, nil).Memory(oddMemory{})
	values, err := m.LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"count": "3", "working_memory": guided(rec)}, values)
	assert.Equal(t, []string{"working_memory", "count"}, m.MemoryVariables(t.Context()))
}

func TestMemoryReportsErrorsOfTheInnerOne(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	rec := knowingHome(t)
	m := langchain.New(rec, nil).Memory(oddMemory{err: broken})
	_, err := m.LoadMemoryVariables(t.Context(), nil)
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, m.SaveContext(t.Context(), nil, nil), broken)
	require.ErrorIs(t, m.Clear(t.Context()), broken)
	assert.Empty(t, rec.Block(), "cleared nevertheless")

	unknown := memory.NewConversationBuffer(memory.WithReturnMessages(true),
		memory.WithChatHistory(memory.NewChatMessageHistory(memory.WithPreviousMessages([]llms.ChatMessage{oddMessage{}}))))
	_, err = langchain.New(rec, nil).Memory(unknown).LoadMemoryVariables(t.Context(), nil)
	require.ErrorIs(t, err, llms.ErrUnexpectedChatMessageType)
}

type oddMessage struct{}

func (oddMessage) GetType() llms.ChatMessageType { return "odd" }
func (oddMessage) GetContent() string            { return "" }
