package translate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestListSessions(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	list, err := w.ListSessions(t.Context(), everybody, nil, nil, 20, 0)
	require.NoError(t, err)
	require.Equal(t, &wire.SessionList{Sessions: []string{}}, list)

	for _, key := range [][3]string{{"a", "x", "1"}, {"a", "y", "2"}, {"b", "x", "3"}, {"", "", "4"}} {
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: refOf(key[0], key[1], key[2])}, &wire.SessionBody{})
		require.NoError(t, err)
	}
	_, err = w.PutSession(t.Context(), everybody, writeView{Ref: ref("gone"), TTLSeconds: new(int64(1))}, &wire.SessionBody{})
	require.NoError(t, err)
	w.pass(2 * time.Second)

	for name, test := range map[string]struct {
		namespace, user *string
		limit, offset   int
		want            []string
		total           int
	}{
		"all":                  {nil, nil, 20, 0, []string{"4", "1", "2", "3"}, 4},
		"a page":               {nil, nil, 2, 1, []string{"1", "2"}, 4},
		"behind the end":       {nil, nil, 2, 9, []string{}, 4},
		"namespace":            {new("a"), nil, 20, 0, []string{"1", "2"}, 2},
		"user":                 {nil, new("x"), 20, 0, []string{"1", "3"}, 2},
		"both":                 {new("b"), new("x"), 20, 0, []string{"3"}, 1},
		"the empty namespace":  {new(""), nil, 20, 0, []string{"4"}, 1},
		"namespace of nothing": {new("c"), nil, 20, 0, []string{}, 0},
	} {
		list, err := w.ListSessions(t.Context(), everybody, test.namespace, test.user, test.limit, test.offset)
		require.NoError(t, err, name)
		assert.Equal(t, &wire.SessionList{Sessions: test.want, Total: test.total}, list, name)
	}
	for _, page := range [][2]int{{0, 0}, {101, 0}, {-1, 0}, {20, -1}} {
		_, err := w.ListSessions(t.Context(), everybody, nil, nil, page[0], page[1])
		requireKind(t, service.Invalid, err)
	}
}

func TestMissingSessions(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	_, err := w.GetSession(t.Context(), everybody, ref("none"), service.View{})
	assert.Equal(t, "Session none not found", requireKind(t, service.NotFound, err).Detail)
	require.NoError(t, w.DeleteSession(t.Context(), everybody, ref("none"), ""))
	_, err = w.Entities(t.Context(), everybody, ref("none"))
	requireKind(t, service.NotFound, err)
	_, err = w.Summarize(t.Context(), everybody, ref("none"))
	requireKind(t, service.NotFound, err)
	block, err := w.Block(t.Context(), everybody, ref("none"), 0)
	require.NoError(t, err)
	assert.Empty(t, block)

	w.put("one", &wire.SessionBody{Messages: said("hello")})
	require.NoError(t, w.DeleteSession(t.Context(), everybody, ref("one"), ""))
	_, err = w.GetSession(t.Context(), everybody, ref("one"), service.View{})
	requireKind(t, service.NotFound, err)
}

func TestSessionsAreFoundByTheirID(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	make := func(namespace, user string) {
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: refOf(namespace, user, "s")}, &wire.SessionBody{})
		require.NoError(t, err)
	}
	make("a", "x")
	assert.Equal(t, "x", *w.get("s").UserID, "the only one")

	make("b", "y")
	_, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{})
	requireKind(t, service.NotFound, err)
	requireKind(t, service.NotFound, w.DeleteSession(t.Context(), everybody, ref("s"), ""))
	list, err := w.ListSessions(t.Context(), everybody, nil, nil, 20, 0)
	require.NoError(t, err)
	assert.Equal(t, 2, list.Total, "nothing is deleted")
	found, err := w.GetSession(t.Context(), everybody, service.Ref{SessionID: "s", Namespace: new("b")}, service.View{})
	require.NoError(t, err)
	assert.Equal(t, "y", *found.UserID)

	make("", "")
	assert.Nil(t, w.get("s").UserID, "the one whose key is exactly that")
	require.NoError(t, w.DeleteSession(t.Context(), everybody, ref("s"), ""))
	list, err = w.ListSessions(t.Context(), everybody, nil, nil, 20, 0)
	require.NoError(t, err)
	assert.Equal(t, 2, list.Total)
}

func TestBadKeys(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	long, longest := strings.Repeat("x", 1025), strings.Repeat("x", session.MaxKeyBytes)
	for name, at := range map[string]service.Ref{
		"no id": ref(""), "long id": ref(long), "id is no text": ref("\xff"),
		"long namespace": refOf(long, "", "s"), "user is no text": refOf("", "\xff", "s"), "longest user": refOf("", longest, "s"),
	} {
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: at}, &wire.SessionBody{})
		requireKind(t, service.Invalid, err)
		_, err = w.AppendMessages(t.Context(), everybody, writeView{Ref: at}, &wire.Append{Messages: said("x")})
		requireKind(t, service.Invalid, err)
		_, err = w.GetSession(t.Context(), everybody, at, service.View{})
		requireKind(t, service.NotFound, err)
		assert.NoError(t, w.DeleteSession(t.Context(), everybody, at, ""), name)
	}
}

func TestWindowsOfAView(t *testing.T) {
	t.Parallel()
	w := newWorking(t, &session.Options{Models: map[string]int{"tiny": 10}, Summaries: summary.Options{Mode: summary.Off}}, nil)
	before := w.put("s", &wire.SessionBody{Messages: said("one two three", "four five six", "seven eight nine")}) // 4 tokens each
	for name, test := range map[string]struct {
		view         service.View
		messages     int
		total, until *float64
	}{
		"none":                      {service.View{}, 3, nil, nil},
		"zero is none":              {service.View{Window: 0}, 3, nil, nil},
		"negative is none":          {service.View{Window: -5}, 3, nil, nil},
		"window":                    {service.View{Window: 24}, 3, new(50.0), new(75.0)},
		"two fit":                   {service.View{Window: 11}, 2, new(100.0), new(100.0)},
		"model":                     {service.View{Model: "tiny"}, 2, new(100.0), new(100.0)},
		"window decides over model": {service.View{Model: "tiny", Window: 120}, 3, new(10.0), new(100 * 12.0 / 84)},
		"unknown model: 16,000":     {service.View{Model: "nobody's"}, 3, new(100 * 12.0 / 16_000), new(100 * 12.0 / 11_200)},
		"one message at least":      {service.View{Window: 1}, 1, new(100.0), new(100.0)},
		"the largest":               {service.View{Window: 1<<63 - 1}, 3, nil, nil},
	} {
		got, err := w.GetSession(t.Context(), everybody, ref("s"), test.view)
		require.NoError(t, err, name)
		assert.Len(t, got.Messages, test.messages, name)
		assert.Equal(t, 12, got.Tokens, name)
		if name != "the largest" {
			assert.Equal(t, test.total, got.TotalUsed, name)
			assert.Equal(t, test.until, got.UntilSummarization, name)
		}
		if n := len(got.Messages); n < 3 {
			assert.Equal(t, "seven eight nine", got.Messages[n-1].Content, name)
		}
	}
	assert.Equal(t, before, w.get("s"), "reading writes nothing")

	w.put("empty", &wire.SessionBody{})
	got, err := w.GetSession(t.Context(), everybody, ref("empty"), service.View{Window: 100})
	require.NoError(t, err)
	assert.Equal(t, []*float64{new(0.0), new(0.0)}, []*float64{got.TotalUsed, got.UntilSummarization})
}

func TestRecentMessages(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	var messages []wire.Message
	for i := range 8 {
		messages = append(messages, wire.Message{ID: fmt.Sprint(i), Role: "user", Content: fmt.Sprint(i), CreatedAt: at((i * 3) % 8)}) // 0 3 6 1 4 7 2 5
	}
	w.put("s", &wire.SessionBody{Messages: messages})
	for _, test := range []struct {
		view service.View
		want []string
	}{
		{service.View{Recent: 3}, []string{"7", "2", "5"}},
		{service.View{Recent: 8}, []string{"0", "3", "6", "1", "4", "7", "2", "5"}},
		{service.View{Recent: 1 << 40}, []string{"0", "3", "6", "1", "4", "7", "2", "5"}},
		{service.View{Recent: 0}, []string{"0", "1", "2", "3", "4", "5", "6", "7"}},
		{service.View{Recent: -1}, []string{"0", "1", "2", "3", "4", "5", "6", "7"}},
		{service.View{Recent: 3, Window: 4}, []string{"2", "5"}}, // 2 tokens each
		{service.View{Recent: 3, Window: 1}, []string{"5"}},
	} {
		got, err := w.GetSession(t.Context(), everybody, ref("s"), test.view)
		require.NoError(t, err)
		assert.Equal(t, test.want, contents(got.Messages), "%+v", test.view)
	}
}

func TestRecentMessagesDoNotBeginWithResults(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	w.put("s", &wire.SessionBody{Messages: []wire.Message{
		{ID: "1", Role: "assistant", ToolCalls: []wire.ToolCall{{ID: "c", Name: "find"}}, CreatedAt: at(1)},
		{ID: "2", Role: "tool", Content: "found", ToolCallID: "c", CreatedAt: at(2)},
		{ID: "3", Role: "user", Content: "thanks", CreatedAt: at(3)},
	}})
	for n, want := range map[int64][]string{1: {"thanks"}, 2: {"thanks"}, 3: {"", "found", "thanks"}} {
		got, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{Recent: n})
		require.NoError(t, err)
		assert.Equal(t, want, contents(got.Messages))
	}
}

func TestTimeToLive(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	put := func(body *wire.SessionBody, query *int64) (*wire.Session, error) {
		answer, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s"), TTLSeconds: query}, body)
		return answer, err
	}
	answer, err := put(&wire.SessionBody{TTLSeconds: new(wire.Int(10))}, new(int64(99)))
	require.NoError(t, err)
	assert.Equal(t, int64(10), *answer.TTLSeconds, "the body's before the query's")
	w.pass(9 * time.Second)
	answer, err = put(&wire.SessionBody{Messages: said("x")}, nil)
	require.NoError(t, err)
	assert.Equal(t, int64(10), *answer.TTLSeconds)
	_ = w.get("s")
	w.pass(time.Second + time.Millisecond)
	_, err = w.GetSession(t.Context(), everybody, ref("s"), service.View{})
	requireKind(t, service.NotFound, err) // a write without one keeps the running expiry, reading does not renew it

	_, err = put(&wire.SessionBody{}, new(int64(5)))
	require.NoError(t, err)
	w.pass(4 * time.Second)
	_, err = put(&wire.SessionBody{}, new(int64(5)))
	require.NoError(t, err)
	w.pass(4 * time.Second)
	assert.Equal(t, int64(5), *w.get("s").TTLSeconds, "renewed")

	for _, seconds := range []int64{0, -1, -1 << 63, 3_153_600_001, 1<<63 - 1} {
		_, err = put(&wire.SessionBody{TTLSeconds: new(wire.Int(seconds))}, nil)
		assert.Equal(t, []string{"ttl_seconds"}, requireKind(t, service.Invalid, err).Fields[0].Path)
		_, err = put(&wire.SessionBody{}, &seconds)
		assert.Equal(t, []string{"ttl_seconds"}, requireKind(t, service.Invalid, err).Fields[0].Path)
	}
}
