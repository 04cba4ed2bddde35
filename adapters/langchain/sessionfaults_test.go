package langchain_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// deaf is a store whose next acknowledgement is lost on its way.
type deaf struct {
	driver.Store
	next bool
}

func (s *deaf) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	at, added, err := s.Store.Append(ctx, key, a)
	if s.next && err == nil {
		s.next = false
		return driver.Position{}, 0, session.ErrUnavailable
	}
	return at, added, err
}

func TestSavingATurnAgainAddsItOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := &deaf{Store: memstore.New(nil)}
	s := newSession(t, newManager(t, store, nil), nil)
	inputs, outputs := map[string]any{"input": "hi"}, map[string]any{"output": "hello"}
	save := func() error { return s.SaveContext(ctx, inputs, outputs) }
	turn := []llms.ChatMessage{userSays("hi"), modelSays("hello")}
	store.next = true
	require.ErrorIs(t, save(), session.ErrUnavailable)
	require.NoError(t, save())
	assert.Equal(t, turn, messagesOf(t, s))
	require.NoError(t, save(), "they say so once more")
	assert.Equal(t, append(turn, turn...), messagesOf(t, s))

	_, err := s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	_, err = s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	store.next = true
	require.ErrorIs(t, save(), session.ErrUnavailable)
	require.NoError(t, save())
	messages := messagesOf(t, s)
	require.Len(t, messages, 8)
	assert.Equal(t, modelSays("hello"), messages[7])

	store.next = true
	require.ErrorIs(t, save(), session.ErrUnavailable)
	_, err = s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	require.NoError(t, save(), "another turn, in the same words")
	assert.Len(t, messagesOf(t, s), 12)
}

func TestSessionContinuesAfterAFailedClear(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := &stumbling{Store: memstore.New(nil)}
	s := newSession(t, newManager(t, store, nil), nil)
	inputs, outputs := map[string]any{"input": "get the home page"}, map[string]any{"output": "here it is"}
	_, err := s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	_, err = s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	store.down = true
	require.ErrorIs(t, s.Clear(ctx), session.ErrUnavailable)
	store.down = false
	require.NoError(t, s.SaveContext(ctx, inputs, outputs))
	assert.Len(t, messagesOf(t, s), 4, "the user said it once")

	_, err = s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	_, err = s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	require.NoError(t, s.Clear(ctx))
	require.NoError(t, s.SaveContext(ctx, inputs, outputs))
	assert.Equal(t, []llms.ChatMessage{userSays("get the home page"), modelSays("here it is")}, messagesOf(t, s))
}

// Results of functions, as they were before there were tool calls, are old as well.
func TestRestoredFunctionsAreNotRecordedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSession(t, newManager(t, nil, nil), nil)
	for _, m := range []llms.ChatMessage{
		llms.AIChatMessage{FunctionCall: &llms.FunctionCall{Name: "cms_getPage"}},
		llms.FunctionChatMessage{Name: "cms_getPage", Content: pageJSON(homeID, "Home")}, modelSays("here it is"),
	} {
		require.NoError(t, s.AddMessage(ctx, m))
	}
	_, err := s.LoadMemoryVariables(ctx, map[string]any{"input": "hi"})
	require.NoError(t, err)
	agent := agents.NewOpenAIFunctionsAgent(s.WorkingMemory().Model(script(say("hello"))), nil,
		agents.NewOpenAIOption().WithExtraMessages([]prompts.MessageFormatter{s.History()}))
	_, err = chains.Run(ctx, agents.NewExecutor(agent, agents.WithMemory(s)), "hi")
	require.NoError(t, err)
	assert.Empty(t, s.Recorder().Block(), "it was deleted since, say")
}

// unwritable is what a tool returned, and panics when it is looked at.
type unwritable struct{}

func (unwritable) MarshalJSON() ([]byte, error) { panic("no") }

func TestUnmarshalableResultKeepsTheInput(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSession(t, newManager(t, nil, nil), nil)
	inputs := map[string]any{"input": "get the home page"}
	_, err := s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	require.ErrorIs(t, s.Recorder().Record(ctx, middleware.ToolCall{Name: "get", Result: unwritable{}}), memory.ErrPanic)
	require.NoError(t, s.SaveContext(ctx, inputs, map[string]any{"output": "here it is"}))
	assert.Equal(t, []llms.ChatMessage{userSays("get the home page"), modelSays("here it is")}, messagesOf(t, s))
}

// crossed is a store in which another changes the session before the next writing.
type crossed struct {
	driver.Store
	before func()
}

func (s *crossed) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Write(ctx, key, w)
}

func TestSetMessagesRetriesWithoutSideEffects(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := &crossed{Store: memstore.New(nil)}
	m := newManager(t, store, nil)
	s := newSession(t, m, nil)
	require.NoError(t, s.AddUserMessage(ctx, "a"))
	store.before = func() {
		_, err := m.Update(ctx, conversationKey, func(found *session.Session) error {
			found.Messages = append([]session.Message{{Role: session.RoleUser, Content: "b"}}, found.Messages...)
			return nil
		}, nil)
		assert.NoError(t, err)
	}
	require.NoError(t, s.SetMessages(ctx, []llms.ChatMessage{userSays("a"), userSays("a")}))
	assert.Equal(t, []llms.ChatMessage{userSays("a"), userSays("a")}, messagesOf(t, s))
}

// A process that dies while it clears leaves no block of messages that are gone.
func TestClearClearsMessagesAndBlockAtOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := &onceWritten{Store: memstore.New(nil)}
	s := newSession(t, newManager(t, store.Store, nil), nil)
	require.NoError(t, s.AddUserMessage(ctx, "a"))
	_, err := s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	require.ErrorIs(t, newSession(t, newManager(t, store, nil), nil).Clear(ctx), errStoreDown)
	found, err := newManager(t, store.Store, nil).Load(ctx, conversationKey, nil)
	require.NoError(t, err)
	assert.Empty(t, found.Messages)
	assert.Zero(t, found.Entities.Len())
}

// onceWritten is a store that is down after its first writing.
type onceWritten struct {
	driver.Store
	down bool
}

func (s *onceWritten) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if s.down {
		return nil, errStoreDown
	}
	return s.Store.Load(ctx, key, last)
}

func (s *onceWritten) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	s.down = true
	return s.Store.Write(ctx, key, w)
}

func TestSetMessagesSeesEveryDifference(t *testing.T) {
	t.Parallel()
	s := newSession(t, newManager(t, nil, nil), nil)
	with := func(id, why string) []llms.ChatMessage {
		asked := callsFor(id).(llms.AIChatMessage)
		asked.ReasoningContent = why
		return []llms.ChatMessage{asked, resultOf(id, "x")}
	}
	for _, messages := range [][]llms.ChatMessage{with("1", ""), with("1", "because"), with("2", "because")} {
		require.NoError(t, s.SetMessages(t.Context(), messages))
		assert.Equal(t, messages, messagesOf(t, s))
	}
}
