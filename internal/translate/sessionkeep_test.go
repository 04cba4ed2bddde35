package translate_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// counting is a LongTerm that counts what it receives.
type counting struct {
	mu        sync.Mutex
	extracted map[string]int // by ids of messages
	promoted  map[string]int // by ids of memories and of messages
	kept      []session.Message
	fails     error
}

func newCounting() *counting {
	return &counting{extracted: map[string]int{}, promoted: map[string]int{}}
}

func (c *counting) Wants(*session.StrategyConfig, bool) driver.Wants {
	return driver.Wants{Messages: true, Extract: true}
}

func (c *counting) Extract(_ context.Context, e driver.ExtractRequest) (found []session.Record, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range e.Messages {
		c.extracted[m.ID]++
		found = append(found, session.Record{ID: "of " + m.ID, Text: "it was said: " + m.Content, ExtractedFrom: []string{m.ID}, ExtractionStrategy: "discrete"})
	}
	return found, nil
}

func (c *counting) Promote(_ context.Context, p driver.PromoteRequest) (done driver.PromoteResult, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails != nil {
		return done, c.fails
	}
	for _, m := range p.Memories {
		c.promoted[m.ID]++
		done.Memories = append(done.Memories, m.ID)
	}
	for _, m := range p.Messages {
		if c.promoted[m.ID]++; c.promoted[m.ID] == 1 {
			m.PersistedAt = p.Now
			c.kept = append(c.kept, m)
		}
	}
	done.Messages = len(p.Messages)
	return done, nil
}

func (c *counting) Messages(context.Context, session.Key) ([]session.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]session.Message{}, c.kept...), nil
}

func (c *counting) DeleteMessages(context.Context, session.Key, time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = nil
	return nil
}

// newPromoting returns a service whose sessions are promoted by calls of promote.
func newPromoting(t *testing.T) (*working, *counting) {
	longTerm := newCounting()
	return newWorking(t, &session.Options{LongTerm: longTerm, Promotions: promotion.Options{Off: true, Delay: -1}}, nil), longTerm
}

func (w *working) promote(id string) {
	w.t.Helper()
	_, err := w.sessions.Promote(w.t.Context(), session.Key{SessionID: id})
	require.NoError(w.t, err)
}

// sentBack returns the body that the Python client makes of an answer, limited to the fields that
// its types have.
func sentBack(s *wire.Session) *wire.SessionBody {
	body := &wire.SessionBody{
		SessionID: s.SessionID, Namespace: s.Namespace, UserID: s.UserID, Context: s.Context, Data: s.Data,
		Strategy: &s.Strategy, Tokens: wire.Int(s.Tokens), LastAccessed: &s.LastAccessed,
	}
	for _, m := range s.Messages {
		body.Messages = append(body.Messages, wire.Message{Role: m.Role, Content: m.Content, ID: m.ID, CreatedAt: shown(m.CreatedAt), PersistedAt: shown(m.PersistedAt), Extracted: m.Extracted})
	}
	for _, m := range s.Memories {
		body.Memories = append(body.Memories, wire.Memory{
			ID: m.ID, Text: m.Text, Type: m.Type, Topics: m.Topics, Entities: m.Entities, Namespace: m.Namespace, UserID: m.UserID, SessionID: m.SessionID,
			EventDate: shown(m.EventDate), CreatedAt: shown(m.CreatedAt), UpdatedAt: shown(m.UpdatedAt), LastAccessed: shown(m.LastAccessed),
			Hash: m.Hash, PersistedAt: shown(m.PersistedAt), ExtractedFrom: m.ExtractedFrom,
		})
	}
	return body
}

// shown truncates a time to the precision of the wire.
func shown(t *wire.Time) *wire.Time {
	if t == nil {
		return nil
	}
	return &wire.Time{Time: t.Truncate(time.Microsecond)}
}

// The Python client sends back what its types know, the TypeScript client the whole answer.
func TestSendingBackChangesNothing(t *testing.T) {
	t.Parallel()
	for name, sendBack := range map[string]func(*wire.Session) *wire.SessionBody{
		"Python": sentBack,
		"TypeScript": func(s *wire.Session) *wire.SessionBody {
			data, err := wire.Encode(s)
			require.NoError(t, err)
			return body[wire.SessionBody](t, string(data))
		},
	} {
		w, longTerm := newPromoting(t)
		w.put("s", &wire.SessionBody{
			Messages: []wire.Message{
				{Role: "user", Content: "where is it?"},
				{Role: "assistant", Content: "Let me see.", Reasoning: "hm", ToolCalls: []wire.ToolCall{{ID: "c", Name: "find"}}},
				{Role: "tool", ToolCallID: "c", Name: "find", Content: "there"},
			},
			Memories: []wire.Memory{{Text: "pinned", Pinned: new(wire.Bool(true)), AccessCount: 3, Metadata: map[string]any{"a": "b"}, EventDate: at(0), Topics: wire.List{"a"}}},
			Entities: &[]memory.Entity{{Type: "page", ID: "1", Name: "Home"}}, Data: map[string]any{"a": nil},
		})
		w.promote("s")
		before := w.get("s")
		require.Len(t, before.Memories, 4, name)
		for _, m := range before.Messages {
			assert.True(t, bool(m.Extracted))
			assert.NotNil(t, m.PersistedAt)
		}
		w.pass(time.Hour)
		body := sendBack(before)
		body.Messages = append(body.Messages, wire.Message{ID: "new", Role: "user", Content: "thanks", CreatedAt: at(3600)})
		after := w.put("s", body)
		assert.Equal(t, before.Messages, after.Messages[:3], name)
		assert.Equal(t, before.Memories, after.Memories, name)
		assert.Equal(t, []any{before.Entities, before.Data, before.CreatedAt}, []any{after.Entities, after.Data, after.CreatedAt}, name)
		w.promote("s")
		for what, times := range longTerm.extracted {
			assert.Equal(t, 1, times, "extracted from %s", what)
		}
		for what, times := range longTerm.promoted {
			assert.Equal(t, 1, times, "promoted %s", what)
		}
		assert.Len(t, longTerm.extracted, 4)
		assert.Len(t, longTerm.promoted, 9, "4 messages, a memory of each, and one of the client's")
	}
}

func TestMarksOfNewMessagesAreBelieved(t *testing.T) {
	t.Parallel()
	w, longTerm := newPromoting(t)
	body := &wire.SessionBody{Messages: said("a", "b")}
	for i := range body.Messages {
		body.Messages[i].Extracted, body.Messages[i].PersistedAt = true, at(0)
	}
	answer := w.put("s", body)
	_, err := w.AppendMessages(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.Append{Messages: []wire.Message{{ID: "m-c", Role: "user", Content: "c", Extracted: true, PersistedAt: at(0), CreatedAt: at(3)}}})
	require.NoError(t, err)
	for _, m := range answer.Messages {
		assert.True(t, bool(m.Extracted))
		assert.Equal(t, at(0), m.PersistedAt)
	}
	w.promote("s")
	assert.Empty(t, longTerm.extracted, "another server has extracted from them")

	body = sentBack(w.get("s"))
	for i := range body.Messages { // as those do that do not know these
		body.Messages[i].Extracted, body.Messages[i].PersistedAt = false, nil
	}
	body.Messages[1].Content = "B"
	body.Messages = append(body.Messages[:1:1], append(said("between"), body.Messages[1:]...)...)
	after := w.put("s", body)
	assert.Equal(t, []bool{true, false, false, true}, extractedFlags(after.Messages), "what it says now was not extracted from yet")
	for i := range body.Messages {
		body.Messages[i].Extracted, body.Messages[i].PersistedAt = true, at(0)
	}
	after = w.put("s", body)
	assert.Equal(t, []bool{true, false, false, true}, extractedFlags(after.Messages), "a client cannot mark what the session has")
	w.promote("s")
	assert.Equal(t, map[string]int{"m-b": 1, "m-between": 1}, longTerm.extracted)
}

func extractedFlags(messages []wire.Message) (flags []bool) {
	for _, m := range messages {
		flags = append(flags, bool(m.Extracted))
	}
	return flags
}

func TestMemoriesOfAPut(t *testing.T) {
	t.Parallel()
	w, longTerm := newPromoting(t)
	read := w.put("s", &wire.SessionBody{Memories: []wire.Memory{{ID: "old", Text: "old", PersistedAt: at(-100)}, {ID: "new", Text: "new"}}})
	usage, err := w.ContextUsage(t.Context(), everybody, ref("s"), service.View{})
	require.NoError(t, err)
	assert.Equal(t, [2]int{1, 2}, [2]int{usage.Pending, usage.Memories})
	assert.True(t, read.Memories[0].PersistedAt.Equal(at(-100).Time), "kept")
	w.promote("s")
	assert.Equal(t, map[string]int{"new": 1}, longTerm.promoted)
}

// Memories that are not promoted yet stay, unless the client has seen them.
func TestExtractedMemoriesAreNotLost(t *testing.T) {
	t.Parallel()
	w, longTerm := newPromoting(t)
	w.put("s", &wire.SessionBody{Messages: said("a")})
	longTerm.fails = fmt.Errorf("down")
	_, err := w.sessions.Promote(t.Context(), session.Key{SessionID: "s"})
	require.Error(t, err)
	_, err = w.sessions.Update(t.Context(), session.Key{SessionID: "s"}, func(s *session.Session) error {
		s.Memories = append(s.Memories, session.Record{ID: "page", Text: "a page", ExtractionStrategy: "entities"})
		return nil
	}, nil)
	require.NoError(t, err)
	put := func(ifMatch string, body *wire.SessionBody) *wire.Session {
		answer, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s"), IfMatch: ifMatch}, body)
		require.NoError(t, err)
		return answer
	}
	none := &wire.SessionBody{Messages: said("a")}
	answer := put("*", none)
	require.Len(t, answer.Memories, 2, "* does not say that it was seen")
	require.Len(t, put("", sentBack(answer)).Memories, 2, "each once")
	answer = put(tagOf(w.get("s")), none)
	require.Empty(t, answer.Memories)

	w.put("s", &wire.SessionBody{Messages: said("b")})
	longTerm.fails = nil
	w.promote("s")
	require.NotEmpty(t, w.get("s").Memories)
	_, err = w.AppendMessages(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.Append{Messages: said("c")})
	require.NoError(t, err)
	assert.Empty(t, put("", &wire.SessionBody{Messages: said("b")}).Memories, "promoted, while others wait")
}

func TestExpiredSessionsThatAreRebuilt(t *testing.T) {
	t.Parallel()
	w, longTerm := newPromoting(t)
	hour := writeView{Ref: ref("s"), TTLSeconds: new(int64(3600))}
	_, err := w.PutSession(t.Context(), everybody, hour, &wire.SessionBody{Messages: said("a", "b")})
	require.NoError(t, err)
	w.promote("s")
	w.pass(2 * time.Hour)
	rebuilt := w.get("s")
	assert.Equal(t, []string{"a", "b"}, contents(rebuilt.Messages))
	assert.Zero(t, rebuilt.Version)

	body := sentBack(rebuilt)
	body.Messages = append(body.Messages, said("c")...)
	answer := w.put("s", body)
	assert.Equal(t, []string{"a", "b", "c"}, contents(answer.Messages))
	w.promote("s")
	assert.Equal(t, map[string]int{"m-a": 1, "m-b": 1, "m-c": 1}, longTerm.extracted, "goes on")

	_, err = w.PutSession(t.Context(), everybody, hour, body)
	require.NoError(t, err)
	w.pass(2 * time.Hour)
	assert.Equal(t, []string{"d"}, contents(w.put("s", &wire.SessionBody{Messages: said("d")}).Messages), "replaced")
	require.NoError(t, w.DeleteSession(t.Context(), everybody, ref("s"), ""))
	_, err = w.GetSession(t.Context(), everybody, ref("s"), service.View{})
	requireKind(t, service.NotFound, err)
}
