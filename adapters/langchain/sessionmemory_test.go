package langchain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

var conversationKey = session.Key{Namespace: "shop", UserID: "anna", SessionID: "s1"}

// newManager returns a manager as a process of its own has it. A nil store is a new one.
func newManager(t require.TestingT, store driver.Store, opts *session.Options) *session.Manager {
	if store == nil {
		store = memstore.New(nil)
	}
	m, err := session.NewManager(store, opts)
	require.NoError(t, err)
	return m
}

func newSession(t require.TestingT, m *session.Manager, opts *langchain.SessionMemoryOptions) *langchain.SessionMemory {
	s, err := langchain.NewSessionMemory(m, conversationKey, opts)
	require.NoError(t, err)
	return s
}

// inProcess returns the session in a process of its own.
func inProcess(t require.TestingT, store driver.Store) *langchain.SessionMemory {
	return newSession(t, newManager(t, store, nil), nil)
}

func stored(t *testing.T, m *session.Manager) *session.Session {
	t.Helper()
	found, err := m.Load(t.Context(), conversationKey, nil)
	require.NoError(t, err)
	return found
}

var errStoreDown = errors.New("store is down")

// faultyStore is a store with faults. before is called with "load", "append" or "write"
// before each access, which fails with its error. lost is the error of the next append, which
// takes effect nevertheless.
type faultyStore struct {
	driver.Store
	before func(access string) error
	lost   error
}

func newFaultyStore() *faultyStore {
	return &faultyStore{Store: memstore.New(nil), before: func(string) error { return nil }}
}

// down makes changes of the store fail, or work again.
func (s *faultyStore) down(err error) {
	s.before = func(access string) error {
		if access == "load" {
			return nil
		}
		return err
	}
}

func (s *faultyStore) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if err := s.before("load"); err != nil {
		return nil, err
	}
	return s.Store.Load(ctx, key, last)
}

func (s *faultyStore) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	if err := s.before("append"); err != nil {
		return driver.Position{}, 0, err
	}
	at, added, err := s.Store.Append(ctx, key, a)
	err, s.lost = errors.Join(err, s.lost), nil
	return at, added, err
}

func (s *faultyStore) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if err := s.before("write"); err != nil {
		return driver.Position{}, err
	}
	return s.Store.Write(ctx, key, w)
}

func TestSessionIsAHistoryThatEveryProcessSees(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	sessions := func() int {
		page, err := newManager(t, store, nil).List(ctx, session.ListOptions{})
		require.NoError(t, err)
		return page.Total
	}
	first, second := inProcess(t, store), inProcess(t, store)
	assert.Empty(t, messagesOf(t, first))
	_, err := first.LoadMemoryVariables(ctx, map[string]any{"input": "hi"})
	require.NoError(t, err)
	require.NoError(t, first.Clear(ctx))
	assert.Zero(t, sessions(), "reading and clearing create no session")

	require.NoError(t, first.AddUserMessage(ctx, "hi"))
	require.NoError(t, second.AddAIMessage(ctx, "hello"))
	for _, s := range []*langchain.SessionMemory{first, second} {
		assert.Equal(t, []llms.ChatMessage{userSays("hi"), modelSays("hello")}, messagesOf(t, s))
	}
	last := newSession(t, newManager(t, store, nil), &langchain.SessionMemoryOptions{Load: session.LoadOptions{Last: 1}})
	assert.Equal(t, []llms.ChatMessage{modelSays("hello")}, messagesOf(t, last))

	require.NoError(t, second.Clear(ctx))
	assert.Empty(t, messagesOf(t, first))
	assert.Equal(t, 1, sessions(), "cleared, not deleted")
}

// summarized puts a summary into a session, as if messages had left.
func summarized(t *testing.T, m *session.Manager, summary string) {
	t.Helper()
	_, err := m.UpdateHead(t.Context(), conversationKey, func(s *session.Session) error {
		s.Context = summary
		return nil
	}, nil)
	require.NoError(t, err)
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

	apart := newSession(t, m, &langchain.SessionMemoryOptions{
		SummaryVariable: "summary", Variable: "talk", WorkingMemory: langchain.New(nil, &langchain.Options{Variable: "known"}),
	})
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
	before := stored(t, m)
	require.NoError(t, s.SetMessages(ctx, messagesOf(t, s)))
	assert.Equal(t, before.Version(), stored(t, m).Version(), "the same messages change nothing")

	messages := messagesOf(t, s)
	front, _ := messages[0].(llms.SystemChatMessage)
	require.NoError(t, s.SetMessages(ctx, append([]llms.ChatMessage{&front}, messages[2:]...)))
	after := stored(t, m)
	assert.Equal(t, before.Messages[1:], after.Messages, "with ids and times")
	assert.Equal(t, "before", after.Context)

	require.NoError(t, s.SetMessages(ctx, []llms.ChatMessage{userSays("b"), userSays("x"), userSays("d")}))
	after = stored(t, m)
	require.Len(t, after.Messages, 3)
	for i := range after.Messages { // messages after a change are numbered anew
		before.Messages[i+1].Seq, after.Messages[i].Seq = 0, 0
	}
	assert.Equal(t, before.Messages[1], after.Messages[0])
	assert.Equal(t, "x", after.Messages[1].Content)
	assert.Equal(t, before.Messages[3], after.Messages[2])
	assert.Empty(t, after.Context, "the summary was left out")

	require.NoError(t, s.SetMessages(ctx, []llms.ChatMessage{llms.SystemChatMessage{Content: langchain.SummaryTitle + "\n\xff"}}))
	assert.Equal(t, "\uFFFD", stored(t, m).Context)
	for _, reasoning := range []string{"", "because"} {
		for _, id := range []string{"1", "2"} {
			given := []llms.ChatMessage{llms.AIChatMessage{ReasoningContent: reasoning, ToolCalls: []llms.ToolCall{{ID: id}}}, resultOf(id, "x")}
			require.NoError(t, s.SetMessages(ctx, given))
			assert.Equal(t, given, messagesOf(t, s), "each difference counts")
		}
	}
}

func TestSetMessagesStartsAgainAfterAConflict(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := newFaultyStore()
	m := newManager(t, store, nil)
	s := newSession(t, m, nil)
	require.NoError(t, s.AddUserMessage(ctx, "a"))
	store.before = func(access string) error {
		if access != "write" {
			return nil
		}
		store.down(nil)
		_, err := m.Update(ctx, conversationKey, func(found *session.Session) error { // another process
			found.Messages = append([]session.Message{{Role: session.RoleUser, Content: "b"}}, found.Messages...)
			return nil
		}, nil)
		return err
	}
	require.NoError(t, s.SetMessages(ctx, []llms.ChatMessage{userSays("a"), userSays("a")}))
	assert.Equal(t, []llms.ChatMessage{userSays("a"), userSays("a")}, messagesOf(t, s))
}

func TestClearKeepsTheDataOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := newFaultyStore()
	m := newManager(t, store.Store, nil)
	s, other := newSession(t, m, nil), inProcess(t, store)
	_, err := s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	require.NoError(t, s.AddUserMessage(ctx, "hi"))
	_, err = m.UpdateHead(ctx, conversationKey, func(s *session.Session) error {
		s.Data = map[string]any{"cart": "W1"}
		return nil
	}, nil)
	require.NoError(t, err)
	require.NoError(t, other.Recorder().Refresh(ctx))
	require.Contains(t, other.Recorder().Block(), homeID)

	// A process that dies after the first write leaves no block of messages that are gone.
	var died error
	store.before = func(access string) error {
		if access == "write" {
			defer func() { died = errStoreDown }()
		}
		return died
	}
	require.ErrorIs(t, other.Clear(ctx), errStoreDown)
	values, err := s.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"history": "", "working_memory": ""}, values)
	assert.Equal(t, map[string]any{"cart": "W1"}, stored(t, m).Data)

	died = nil
	store.down(nil)
	require.NoError(t, other.Clear(ctx))
	assert.Empty(t, other.Recorder().Block())
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

	store := newFaultyStore()
	store.before = func(string) error { return errStoreDown }
	s := inProcess(t, store)
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
	clock := func() time.Time { return now }
	m := newManager(t, memstore.New(&memstore.Options{Now: clock}), &session.Options{Now: clock})
	hour := session.WriteOptions{TTL: time.Hour}
	s := newSession(t, m, &langchain.SessionMemoryOptions{Write: hour})
	require.NoError(t, s.AddUserMessage(ctx, "hi"))
	now = now.Add(30 * time.Minute)
	_, err := s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Hour), stored(t, m).ExpiresAt(), "a tool call is a write as well")

	short := newSession(t, m, &langchain.SessionMemoryOptions{
		Write: hour, Recorder: middleware.SessionsOptions{Write: session.WriteOptions{TTL: time.Minute}},
	})
	_, err = short.WorkingMemory().Tool(getPage()).Call(ctx, "about")
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Minute), stored(t, m).ExpiresAt(), "of its own")
}

// A loop that restores its history in a new process must not record old calls anew: what
// was deleted since would be back.
func TestRestoredCallsAreNotRecordedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	s := inProcess(t, store)
	for _, m := range []llms.ChatMessage{
		userSays("get the home page"), callsFor("1"), resultOf("1", pageJSON(homeID, "Home")), modelSays("here it is"),
		llms.AIChatMessage{FunctionCall: &llms.FunctionCall{Name: "get"}},
		llms.FunctionChatMessage{Name: "get", Content: pageJSON("page-of-functions", "Old")}, modelSays("here it is"),
		userSays("and about"), callsFor("2"), resultOf("2", pageJSON(aboutID, "About")),
	} {
		require.NoError(t, s.AddMessage(ctx, m))
	}
	shared := langchain.New(nil, nil) // as a server has it
	next := newSession(t, newManager(t, store, nil), &langchain.SessionMemoryOptions{WorkingMemory: shared})
	for _, w := range []*langchain.WorkingMemory{shared, next.WorkingMemory()} {
		ctx := middleware.WithRecorder(ctx, next.Recorder())
		_, err := w.Model(script(say("done"))).GenerateContent(ctx, contentOf(messagesOf(t, next)))
		require.NoError(t, err)
		assert.NotContains(t, next.Recorder().Block(), homeID)
		assert.NotContains(t, next.Recorder().Block(), "page-of-functions")
		assert.Contains(t, next.Recorder().Block(), aboutID, "the process before may have ended before it recorded this one")
	}
}

// recordingProcess returns the session in a process of its own, and the calls that the process
// records.
func recordingProcess(t *testing.T, store driver.Store) (*langchain.SessionMemory, *recorded) {
	told := &recorded{}
	return newSession(t, newManager(t, store, nil), &langchain.SessionMemoryOptions{Recorder: middleware.SessionsOptions{
		OnCall: func(_ context.Context, _ session.Key, call middleware.ToolCall, _ extractor.Extraction, _ error) {
			told.mu.Lock()
			defer told.mu.Unlock()
			told.calls = append(told.calls, call)
		},
	}}), told
}

// Any process may serve a turn. The messages of tool calls have ids that their calls had not.
func TestProcessesOfASessionRecordTheirOwnCalls(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	var sessions [2]*langchain.SessionMemory
	var told [2]*recorded
	for i := range sessions {
		sessions[i], told[i] = recordingProcess(t, store)
	}
	for turn := range 6 {
		s := sessions[turn%2]
		model := s.WorkingMemory().Model(script(calls("c1 cms_getPage home"), calls("c2 cms_getPage about"), say("There.")))
		_, err := chains.Run(t.Context(), executor(s, functions, model, getPage()), fmt.Sprint("Turn ", turn))
		require.NoError(t, err)
	}
	for i := range told {
		assert.Len(t, told[i].all(), 6, "process %d", i)
	}
}

// The first model call of a process may have another purpose than to continue.
func TestRestoredCallsAfterAnotherModelCall(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	for _, m := range []llms.ChatMessage{callsFor("1"), resultOf("1", pageJSON(homeID, "Home")), modelSays("here it is"), userSays("and?")} {
		require.NoError(t, inProcess(t, store).AddMessage(t.Context(), m))
	}
	s, told := recordingProcess(t, store)
	for _, prompt := range []messages{{human("Find a title.")}, contentOf(messagesOf(t, s))} {
		sent(t, s.WorkingMemory(), prompt...)
	}
	assert.Empty(t, told.all())
}

// The first steps that are shown of a run may be those of parallel calls.
func TestStepsOfARunAreRecordedInAStoredSession(t *testing.T) {
	t.Parallel()
	s := inProcess(t, nil)
	require.NoError(t, s.AddUserMessage(t.Context(), "hi"))
	model := script(calls("c1 cms_getPage home", "c2 cms_getPage about"), say("There."))
	planUntilDone(t, s.WorkingMemory().Agent(agents.NewOpenAIFunctionsAgent(model, []tools.Tool{getPage()})), getPage())
	assert.Contains(t, s.Recorder().Block(), homeID)
	assert.Contains(t, s.Recorder().Block(), aboutID)
}

// contentOf returns a history as a loop sends it.
func contentOf(messages []llms.ChatMessage) []llms.MessageContent {
	var out []llms.MessageContent
	for _, m := range messages {
		content := llms.MessageContent{Role: m.GetType(), Parts: []llms.ContentPart{llms.TextPart(m.GetContent())}}
		switch m := m.(type) {
		case llms.AIChatMessage:
			calls := m.ToolCalls
			if m.FunctionCall != nil {
				calls = []llms.ToolCall{{FunctionCall: m.FunctionCall}}
			}
			for _, c := range calls {
				content.Parts = append(content.Parts, c)
			}
		case llms.ToolChatMessage:
			content.Parts = []llms.ContentPart{llms.ToolCallResponse{ToolCallID: m.ID, Content: m.Content}}
		case llms.FunctionChatMessage:
			content.Parts = []llms.ContentPart{llms.ToolCallResponse{Name: m.Name, Content: m.Content}}
		}
		out = append(out, content)
	}
	return out
}
