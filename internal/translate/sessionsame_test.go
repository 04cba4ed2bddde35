package translate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// A message or memory with changed content is promoted again.
func TestChangedContentIsPromotedAgain(t *testing.T) {
	t.Parallel()
	other := func(to string) *string { return &to }
	w, longTerm := newPromoting(t)
	original := &wire.SessionBody{
		Messages: []wire.Message{{ID: "m", Role: "assistant", Content: "x", Name: "n", Reasoning: "hm", ToolCallID: "c", ToolCalls: []wire.ToolCall{{Name: "find"}}, CreatedAt: at(0)}},
		Memories: []wire.Memory{{ID: "1", Text: "x", Topics: wire.List{"a"}, Entities: wire.List{"b"}, EventDate: at(0)}},
	}
	read := w.put("s", original)
	require.Nil(t, read.Memories[0].PersistedAt)
	w.promote("s")
	for name, change := range map[string]func(*wire.Memory){
		"nothing": func(*wire.Memory) {}, "text": func(m *wire.Memory) { m.Text = "y" }, "type": func(m *wire.Memory) { m.Type = "episodic" },
		"namespace": func(m *wire.Memory) { m.Namespace = other("n") }, "user": func(m *wire.Memory) { m.UserID = other("u") },
		"session": func(m *wire.Memory) { m.SessionID = other("o") }, "event date": func(m *wire.Memory) { m.EventDate = at(5) },
		"topics": func(m *wire.Memory) { m.Topics = nil }, "entities": func(m *wire.Memory) { m.Entities = wire.List{"c"} },
	} {
		body := sentBack(read) // from before it was promoted
		change(&body.Memories[0])
		after := w.put("s", body)
		assert.Equal(t, name == "nothing", after.Memories[0].PersistedAt != nil, name)
		w.put("s", original)
		w.promote("s")
	}
	for name, change := range map[string]func(*wire.Message){
		"nothing": func(*wire.Message) {}, "content": func(m *wire.Message) { m.Content = "y" }, "role": func(m *wire.Message) { m.Role = "user" },
		"name": func(m *wire.Message) { m.Name = "o" }, "reasoning": func(m *wire.Message) { m.Reasoning = "ah" },
		"call": func(m *wire.Message) { m.ToolCallID = "d" }, "calls": func(m *wire.Message) { m.ToolCalls = []wire.ToolCall{} },
	} {
		w.put("s", original)
		w.promote("s")
		body := sentBack(w.get("s"))
		change(&body.Messages[0])
		after := w.put("s", body).Messages[0]
		assert.Equal(t, name == "nothing", bool(after.Extracted), name)
		assert.Equal(t, name == "nothing", after.PersistedAt != nil, name)
		if name == "role" {
			assert.Empty(t, after.Reasoning+after.Name+after.ToolCallID, "another message")
		}
	}
	assert.NotEmpty(t, longTerm.promoted)
}

// Clients truncate times.
func TestTruncatedTimesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	exact := start.Add(987_654_321)
	_, err := w.sessions.Update(t.Context(), session.Key{SessionID: "s"}, func(s *session.Session) error {
		s.Messages = []session.Message{{ID: "m", Role: "user", Content: "x", CreatedAt: exact}}
		s.Memories = []session.Record{{ID: "1", Text: "x", CreatedAt: exact, EventDate: exact}}
		return nil
	}, nil)
	require.NoError(t, err)
	read := w.get("s")
	given := func(at time.Time) *wire.SessionBody {
		body := sentBack(read)
		body.Messages[0].CreatedAt, body.Memories[0].EventDate = &wire.Time{Time: at}, &wire.Time{Time: at}
		return body
	}
	for _, unit := range []time.Duration{time.Microsecond, time.Millisecond, time.Second} {
		after := w.put("s", given(exact.Truncate(unit)))
		assert.True(t, after.Messages[0].CreatedAt.Equal(exact), unit)
		assert.True(t, after.Memories[0].EventDate.Equal(exact), unit)
	}
	another := exact.Truncate(time.Microsecond).Add(-50 * time.Millisecond)
	assert.True(t, w.put("s", given(another)).Messages[0].CreatedAt.Equal(another), "it has digits, others")
	for i, unit := range []time.Duration{time.Microsecond, time.Millisecond, time.Second} {
		whole := exact.Truncate(time.Minute).Add(time.Duration(i) * time.Minute)
		w.put("s", given(whole))
		next := w.put("s", given(whole.Add(unit)))
		assert.True(t, next.Messages[0].CreatedAt.Equal(whole.Add(unit)), "the next one is another")
	}
}

// Answers replace an unknown time by the creation time. A client may also set a known time to it.
func TestTimesSetToTheCreationTime(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	put := func(updated *wire.Time) wire.Memory {
		return w.put("s", &wire.SessionBody{Memories: []wire.Memory{{ID: "1", Text: "x", CreatedAt: at(0), UpdatedAt: updated, LastAccessed: updated}}}).Memories[0]
	}
	put(at(60))
	again := put(at(0))
	assert.Equal(t, []*wire.Time{at(0), at(0)}, []*wire.Time{again.UpdatedAt, again.LastAccessed})
}

func TestTimeToLiveIsRoundedUp(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	_, err := w.sessions.Append(t.Context(), session.Key{SessionID: "s"}, nil, &session.WriteOptions{TTL: 1500 * time.Millisecond})
	require.NoError(t, err)
	assert.Equal(t, int64(2), *w.get("s").TTLSeconds)
}

// The largest window does not overflow.
func TestTheLargestWindow(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	view := writeView{Ref: ref("s"), Window: 1<<63 - 1}
	answer, err := w.PutSession(t.Context(), everybody, view, &wire.SessionBody{Messages: []wire.Message{{Role: "user", Content: strings.Repeat("word ", 1000), CreatedAt: at(0)}}})
	require.NoError(t, err)
	assert.Less(t, *answer.UntilSummarization, 1.0)
	read, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{Window: view.Window, Recent: 3})
	require.NoError(t, err)
	assert.Len(t, read.Messages, 1)
	usage, err := w.ContextUsage(t.Context(), everybody, ref("s"), service.View{})
	require.NoError(t, err)
	assert.Equal(t, 1<<40, usage.Window, "as many tokens as can be counted with")
	view.Window = -1 << 63
	answer, err = w.PutSession(t.Context(), everybody, view, &wire.SessionBody{})
	require.NoError(t, err)
	assert.Nil(t, answer.TotalUsed)
}
