package langchain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// summarized puts a summary into a session, as if messages had left.
func summarized(t *testing.T, m *session.Manager, summary string) {
	t.Helper()
	_, err := m.UpdateHead(t.Context(), conversationKey, func(s *session.Session) error {
		s.Context = summary
		return nil
	}, nil)
	require.NoError(t, err)
}

func TestSessionIsAHistoryThatEveryProcessSees(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	first, second := newSession(t, newManager(t, store, nil), nil), newSession(t, newManager(t, store, nil), nil)
	assert.Empty(t, messagesOf(t, first), "there is no session yet")
	require.NoError(t, first.Clear(ctx), "nothing to clear")
	require.NoError(t, first.AddUserMessage(ctx, "hi"))
	require.NoError(t, second.AddAIMessage(ctx, "hello"))
	for _, s := range []*langchain.SessionMemory{first, second} {
		assert.Equal(t, []llms.ChatMessage{userSays("hi"), modelSays("hello")}, messagesOf(t, s))
	}

	require.NoError(t, second.Clear(ctx))
	assert.Empty(t, messagesOf(t, first))
	page, err := newManager(t, store, nil).List(ctx, session.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, 1, page.Total, "cleared, not deleted")
}

func TestSessionIsNotMadeByReadingOrClearing(t *testing.T) {
	t.Parallel()
	m := newManager(t, nil, nil)
	s := newSession(t, m, nil)
	_ = messagesOf(t, s)
	_, err := s.LoadMemoryVariables(t.Context(), map[string]any{"input": "hi"})
	require.NoError(t, err)
	require.NoError(t, s.Clear(t.Context()))
	page, err := m.List(t.Context(), session.ListOptions{})
	require.NoError(t, err)
	assert.Zero(t, page.Total)
}

func TestSessionShowsTheLastMessages(t *testing.T) {
	t.Parallel()
	m := newManager(t, nil, nil)
	s := newSession(t, m, nil)
	for i := range 5 {
		require.NoError(t, s.AddUserMessage(t.Context(), fmt.Sprint(i)))
	}
	last := newSession(t, m, &langchain.SessionMemoryOptions{Load: session.LoadOptions{Last: 2}})
	assert.Equal(t, []llms.ChatMessage{userSays("3"), userSays("4")}, messagesOf(t, last))
}

func TestSessionShowsItsSummary(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := newManager(t, nil, nil)
	s := newSession(t, m, nil)
	require.NoError(t, s.AddUserMessage(ctx, "hi"))
	summarized(t, m, "They spoke of W1.")
	front := llms.SystemChatMessage{Content: langchain.SummaryTitle + "\nThey spoke of W1."}
	assert.Equal(t, []llms.ChatMessage{front, userSays("hi")}, messagesOf(t, s))

	apart := newSession(t, m, &langchain.SessionMemoryOptions{SummaryVariable: "summary", Variable: "talk", WorkingMemory: langchain.New(nil, &langchain.Options{Variable: "known"})})
	assert.Equal(t, []llms.ChatMessage{userSays("hi")}, messagesOf(t, apart))
	assert.Equal(t, "talk", apart.GetMemoryKey(ctx))
	assert.Equal(t, []string{"talk", "known", "summary"}, apart.MemoryVariables(ctx))
	values, err := apart.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"talk": "Human: hi", "known": "", "summary": "They spoke of W1."}, values)
}

func TestSetMessagesReplacesAllAndKeepsWhatStays(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := newManager(t, nil, nil)
	s := newSession(t, m, nil)
	for _, text := range []string{"a", "b", "c", "d"} {
		require.NoError(t, s.AddUserMessage(ctx, text))
	}
	summarized(t, m, "before")
	stored := func() *session.Session {
		found, err := m.Load(ctx, conversationKey, nil)
		require.NoError(t, err)
		return found
	}
	before := stored()

	require.NoError(t, s.SetMessages(ctx, messagesOf(t, s)))
	assert.Equal(t, before.Version(), stored().Version(), "the same messages change nothing")

	messages := messagesOf(t, s)
	front, _ := messages[0].(llms.SystemChatMessage)
	require.NoError(t, s.SetMessages(ctx, append([]llms.ChatMessage{&front}, messages[2:]...)))
	after := stored()
	assert.Equal(t, before.Messages[1:], after.Messages, "with ids and times")
	assert.Equal(t, "before", after.Context)

	require.NoError(t, s.SetMessages(ctx, []llms.ChatMessage{userSays("b"), userSays("x"), userSays("d")}))
	after = stored()
	require.Len(t, after.Messages, 3)
	for i := range after.Messages { // what stands behind a change is numbered anew
		before.Messages[i+1].Seq, after.Messages[i].Seq = 0, 0
	}
	assert.Equal(t, before.Messages[1], after.Messages[0])
	assert.Equal(t, "x", after.Messages[1].Content)
	assert.Equal(t, before.Messages[3], after.Messages[2])
	assert.Empty(t, after.Context, "the summary was left out")

	require.NoError(t, s.SetMessages(ctx, []llms.ChatMessage{llms.SystemChatMessage{Content: langchain.SummaryTitle + "\n\xff"}}))
	assert.Equal(t, "\uFFFD", stored().Context)
	require.NoError(t, s.SetMessages(ctx, nil))
	assert.Empty(t, messagesOf(t, s))
	require.NoError(t, s.SetMessages(ctx, []llms.ChatMessage{userSays("e")}))
	assert.Equal(t, []llms.ChatMessage{userSays("e")}, messagesOf(t, s))
}

func TestClearClearsTheBlockForAll(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	m := newManager(t, store, nil)
	s, other := newSession(t, m, nil), newSession(t, newManager(t, store, nil), nil)
	_, err := s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	_, err = m.UpdateHead(ctx, conversationKey, func(s *session.Session) error {
		s.Data = map[string]any{"cart": "W1"}
		return nil
	}, nil)
	require.NoError(t, err)
	require.NoError(t, other.Recorder().Refresh(ctx))
	require.Contains(t, other.Recorder().Block(), homeID)

	require.NoError(t, other.Clear(ctx))
	assert.Empty(t, other.Recorder().Block())
	values, err := s.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"history": "", "working_memory": ""}, values)
	found, err := m.Load(ctx, conversationKey, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"cart": "W1"}, found.Data)
}

func TestSessionErrors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, err := langchain.NewSessionMemory(newManager(t, nil, nil), session.Key{}, nil)
	require.ErrorIs(t, err, session.ErrKey)
	_, err = langchain.NewSessionMemory(newManager(t, nil, nil), conversationKey, &langchain.SessionMemoryOptions{
		Recorder: middleware.SessionsOptions{Block: prompt.Options{Budget: 100}},
	})
	require.ErrorIs(t, err, middleware.ErrContextCapacity)

	s := newSession(t, newManager(t, errStore{}, nil), nil)
	require.ErrorIs(t, s.AddUserMessage(ctx, "hi"), errStoreDown)
	_, err = s.Messages(ctx)
	require.ErrorIs(t, err, errStoreDown)
	require.ErrorIs(t, s.SetMessages(ctx, nil), errStoreDown)
	require.ErrorIs(t, s.Clear(ctx), errStoreDown)
	_, err = s.LoadMemoryVariables(ctx, nil)
	require.ErrorIs(t, err, errStoreDown)
	require.ErrorIs(t, s.SaveContext(ctx, map[string]any{"i": "a"}, map[string]any{"o": "b"}), errStoreDown)
	require.Error(t, s.SaveContext(ctx, nil, map[string]any{"o": "b"}))
	require.Error(t, s.SaveContext(ctx, map[string]any{"i": "a"}, nil))
}

func TestSessionWritesCarryTheTimeToLive(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	m := newManager(t, memstore.New(&memstore.Options{Now: func() time.Time { return now }}), &session.Options{Now: func() time.Time { return now }})
	s := newSession(t, m, &langchain.SessionMemoryOptions{Write: session.WriteOptions{TTL: time.Hour}})
	require.NoError(t, s.AddUserMessage(ctx, "hi"))
	now = now.Add(30 * time.Minute)
	_, err := s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	found, err := m.Load(ctx, conversationKey, nil)
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Hour), found.ExpiresAt(), "a tool call is a write as well")
	short := newSession(t, m, &langchain.SessionMemoryOptions{
		Write: session.WriteOptions{TTL: time.Hour}, Recorder: middleware.SessionsOptions{Write: session.WriteOptions{TTL: time.Minute}},
	})
	_, err = short.WorkingMemory().Tool(getPage()).Call(ctx, "about")
	require.NoError(t, err)
	found, err = m.Load(ctx, conversationKey, nil)
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Minute), found.ExpiresAt(), "of its own")
	now = now.Add(2 * time.Hour)
	assert.Empty(t, messagesOf(t, s))
}

// A loop that restores its history in a new process must not record old calls
// anew: what was deleted since would be back.
func TestRestoredCallsAreNotRecordedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	s := newSession(t, newManager(t, store, nil), nil)
	_, err := s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	for _, m := range []llms.ChatMessage{
		userSays("get the home page"), callsFor("1"), resultOf("1", pageJSON(homeID, "Home")), modelSays("here it is"),
		userSays("and about"), callsFor("2"), resultOf("2", pageJSON(aboutID, "About")),
	} {
		require.NoError(t, s.AddMessage(ctx, m))
	}
	require.NoError(t, s.Recorder().Record(ctx, middleware.ToolCall{Name: "cms_deletePage", Arguments: fmt.Sprintf(`{"id":%q}`, homeID), Result: `{"success":true}`}))

	shared := langchain.New(nil, nil) // as a server has it
	next := newSession(t, newManager(t, store, nil), &langchain.SessionMemoryOptions{WorkingMemory: shared})
	for _, w := range []*langchain.WorkingMemory{shared, next.WorkingMemory()} {
		ctx := middleware.WithRecorder(ctx, next.Recorder())
		_, err = w.Model(script(say("done"))).GenerateContent(ctx, contentOf(messagesOf(t, next)))
		require.NoError(t, err)
		assert.NotContains(t, next.Recorder().Block(), homeID)
		assert.Contains(t, next.Recorder().Block(), aboutID, "this one nobody has recorded: the process before was killed")
	}
}

// contentOf is a history as a loop sends it.
func contentOf(messages []llms.ChatMessage) []llms.MessageContent {
	var out []llms.MessageContent
	for _, m := range messages {
		content := llms.MessageContent{Role: m.GetType()}
		switch m := m.(type) {
		case llms.AIChatMessage:
			for _, c := range m.ToolCalls {
				content.Parts = append(content.Parts, c)
			}
		case llms.ToolChatMessage:
			content.Parts = append(content.Parts, llms.ToolCallResponse{ToolCallID: m.ID, Content: m.Content})
		}
		if len(content.Parts) == 0 {
			content.Parts = append(content.Parts, llms.TextPart(m.GetContent()))
		}
		out = append(out, content)
	}
	return out
}

// stumbling is a store that cannot be written while down is true.
type stumbling struct {
	driver.Store
	down bool
}

func (s *stumbling) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if s.down {
		return driver.Position{}, errors.Join(session.ErrUnavailable, errStoreDown)
	}
	return s.Store.Write(ctx, key, w)
}

func (s *stumbling) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	if s.down {
		return driver.Position{}, 0, session.ErrUnavailable
	}
	return s.Store.Append(ctx, key, a)
}

func TestTurnSurvivesAFailingStore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := &stumbling{Store: memstore.New(nil)}
	s := newSession(t, newManager(t, store, nil), nil)
	inputs, outputs := map[string]any{"input": "get the home page"}, map[string]any{"output": "here it is"}
	_, err := s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	store.down = true
	result, err := s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err, "the tool works")
	assert.Contains(t, result, homeID)
	require.ErrorIs(t, s.SaveContext(ctx, inputs, outputs), session.ErrUnavailable)
	store.down = false
	assert.Empty(t, messagesOf(t, s))

	require.NoError(t, s.SaveContext(ctx, inputs, outputs))
	messages := messagesOf(t, s)
	require.Len(t, messages, 4)
	assert.Equal(t, userSays("get the home page"), messages[0])
	assert.Equal(t, modelSays("here it is"), messages[3])
	assert.Contains(t, messages[2].GetContent(), homeID)
	assert.Contains(t, s.Recorder().Block(), homeID)
}
