package translate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestPutAnswersTheSession(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	answer, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.SessionBody{
		SessionID: "another", Namespace: new("shop"), UserID: new("anna"), Context: new("so far"),
		Messages: []wire.Message{{Role: "user", Content: "hello"}},
		Memories: []wire.Memory{{Text: "she is Anna"}},
		Data:     map[string]any{"n": json.Number("12345678901234567890"), "null": nil},
		Strategy: &wire.Strategy{Strategy: "summary", Config: map[string]any{"a": "b"}}, CreatedAt: at(-1000),
	})
	require.NoError(t, err)

	assert.Equal(t, "s", answer.SessionID, "the path's")
	assert.Equal(t, "shop", *answer.Namespace)
	assert.Equal(t, "anna", *answer.UserID)
	assert.Equal(t, "so far", *answer.Context)
	assert.Equal(t, wire.Strategy{Strategy: "summary", Config: map[string]any{"a": "b"}}, answer.Strategy)
	assert.Equal(t, 2, answer.Tokens)
	assert.Nil(t, answer.TTLSeconds)
	assert.True(t, at(-1000).Equal(answer.CreatedAt.Time))
	assert.NotZero(t, answer.Version)
	message, kept := answer.Messages[0], answer.Memories[0]
	for _, id := range []string{message.ID, kept.ID} {
		_, err := ulid.ParseStrict(id)
		assert.NoError(t, err)
	}
	assert.True(t, message.CreatedAt.Equal(start))
	assert.Nil(t, message.PersistedAt)
	assert.False(t, bool(message.Extracted))
	assert.Equal(t, "semantic", kept.Type)
	assert.True(t, kept.CreatedAt.Equal(start) && kept.UpdatedAt.Equal(start) && kept.LastAccessed.Equal(start))
	assert.Nil(t, kept.PersistedAt)
	assert.NotNil(t, kept.Topics)

	got, err := w.GetSession(t.Context(), everybody, refOf("shop", "anna", "s"), service.View{})
	require.NoError(t, err)
	assert.Equal(t, answer, got)
}

func TestPutReplaces(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	first := w.put("s", &wire.SessionBody{
		Messages: said("one", "two"), Memories: []wire.Memory{{ID: "m", Text: "x"}}, Context: new("c"), Data: map[string]any{"a": 1},
		Strategy: &wire.Strategy{Strategy: "preferences"}, Entities: &[]memory.Entity{{Type: "page", ID: "p1", Name: "Home"}},
	})
	w.pass(time.Minute)
	second := w.put("s", &wire.SessionBody{Messages: said("three")})
	assert.Equal(t, []string{"three"}, contents(second.Messages))
	assert.Equal(t, []wire.Memory{}, second.Memories)
	assert.Nil(t, second.Context)
	assert.Equal(t, map[string]any{}, second.Data)
	assert.Equal(t, wire.Strategy{Strategy: "discrete", Config: map[string]any{}}, second.Strategy)
	assert.Equal(t, first.CreatedAt, second.CreatedAt)
	assert.True(t, second.UpdatedAt.After(first.UpdatedAt.Time))
	assert.NotEqual(t, first.Version, second.Version)
	require.Len(t, second.Entities, 1, "left alone")
	assert.Equal(t, "Home", second.Entities[0].Name)
	assert.Equal(t, second, w.get("s"))

	third := w.put("s", &wire.SessionBody{Entities: &[]memory.Entity{}})
	assert.Empty(t, third.Entities)
	assert.NotNil(t, third.Entities)
	assert.Empty(t, third.Messages)
}

func TestPutNamesItsKey(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	for name, test := range map[string]struct {
		ref                  service.Ref
		namespace, user      *string
		wantedNS, wantedUser *string
	}{
		"nothing":               {ref("s"), nil, nil, nil, nil},
		"query":                 {refOf("n", "u", "s"), nil, nil, new("n"), new("u")},
		"body before the query": {refOf("n", "u", "s"), new("N"), nil, new("N"), new("u")},
		"an empty one counts":   {refOf("n", "u", "s"), new(""), new(""), nil, nil},
	} {
		answer, err := w.PutSession(t.Context(), everybody, writeView{Ref: test.ref}, &wire.SessionBody{Namespace: test.namespace, UserID: test.user})
		require.NoError(t, err, name)
		assert.Equal(t, test.wantedNS, answer.Namespace, name)
		assert.Equal(t, test.wantedUser, answer.UserID, name)
	}
	list, err := w.ListSessions(t.Context(), everybody, nil, nil, 20, 0)
	require.NoError(t, err)
	assert.Equal(t, 3, list.Total)
}

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	before := w.put("s", &wire.SessionBody{Messages: said("before")})
	for name, test := range map[string]struct {
		body wire.SessionBody
		kind service.Kind
		says string
	}{
		"blank":           {wire.SessionBody{Messages: []wire.Message{{ID: "m1", Role: "user", Content: " \n\t"}}}, service.Bad, "Message content cannot be empty (message ID: m1)"},
		"blank, no id":    {wire.SessionBody{Messages: []wire.Message{{Role: "user"}}}, service.Bad, "Message content cannot be empty (message ID: not given, at index 0)"},
		"no role":         {wire.SessionBody{Messages: []wire.Message{{Content: "x"}}}, service.Invalid, "at least 1 character"},
		"same ids":        {wire.SessionBody{Messages: []wire.Message{{ID: "1", Role: "user", Content: "x"}, {ID: "1", Role: "user", Content: "y"}}}, service.Invalid, "same id"},
		"long id":         {wire.SessionBody{Messages: []wire.Message{{ID: strings.Repeat("x", 1025), Role: "user", Content: "x"}}}, service.Invalid, "at most 1024 bytes"},
		"strategy":        {wire.SessionBody{Strategy: &wire.Strategy{Strategy: "nobody's"}}, service.Invalid, "Input should be 'discrete'"},
		"entity, no id":   {wire.SessionBody{Entities: &[]memory.Entity{{Type: "page", ID: "1"}, {Type: "page"}}}, service.Invalid, "at least 1 character"},
		"too large":       {wire.SessionBody{Context: new(strings.Repeat("x", memory.MaxStateBytes+1))}, service.TooLarge, "too large"},
		"large message":   {wire.SessionBody{Messages: []wire.Message{{Role: "user", Content: strings.Repeat("x", session.MaxMessageBytes+1)}}}, service.TooLarge, "too large"},
		"entity, no type": {wire.SessionBody{Entities: &[]memory.Entity{{Type: "page", ID: "1"}, {Type: strings.Repeat("x", 1<<20), ID: "2"}}}, service.Invalid, "too long"},
		"entity, no date": {wire.SessionBody{Entities: &[]memory.Entity{{Type: "page", ID: "1", Timestamp: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)}}}, service.Invalid, ""},
	} {
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, &test.body)
		e := requireKind(t, test.kind, err)
		assert.Contains(t, e.Error(), test.says, name)
		if strings.HasPrefix(name, "entity, no ") && name != "entity, no date" {
			assert.Equal(t, []string{"entities", "1"}, e.Fields[0].Path[:2], name)
		}
		assert.Equal(t, before, w.get("s"), name)
		if len(test.body.Messages) > 0 {
			_, err := w.AppendMessages(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.Append{Messages: test.body.Messages})
			assert.Equal(t, e, requireKind(t, test.kind, err), name)
			assert.Equal(t, before, w.get("s"), name)
		}
	}
}

func TestMessagesOfToolsMayBeEmpty(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	messages := []wire.Message{
		{ID: "1", Role: "assistant", ToolCalls: []wire.ToolCall{{ID: "c", Type: "function", Name: "find", Arguments: "{}"}}, Reasoning: "hm", CreatedAt: at(1)},
		{ID: "2", Role: "tool", ToolCallID: "c", Name: "find", CreatedAt: at(2)},
	}
	answer := w.put("s", &wire.SessionBody{Messages: messages})
	assert.Equal(t, messages, answer.Messages)
	assert.Equal(t, answer.Messages, w.get("s").Messages)
}

func TestStrategiesOfAPromoter(t *testing.T) {
	t.Parallel()
	memories, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	defer memories.Close(t.Context())
	promoter, err := longterm.NewPromoter(memories, nil)
	require.NoError(t, err)
	w := newWorking(t, nil, &service.Options{Memory: memories, Promoter: promoter})
	require.NoError(t, w.Ready(t.Context()))
	for name, test := range map[string]struct {
		strategy wire.Strategy
		fine     bool
	}{
		"discrete":      {wire.Strategy{Strategy: "discrete", Config: map[string]any{}}, true},
		"none named":    {wire.Strategy{Config: map[string]any{"n": 1}}, true},
		"custom":        {wire.Strategy{Strategy: "custom", Config: map[string]any{"custom_prompt": "Extract {message}"}}, true},
		"custom, empty": {wire.Strategy{Strategy: "custom"}, false},
		"unknown":       {wire.Strategy{Strategy: "unknown"}, false},
	} {
		answer, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.SessionBody{Strategy: &test.strategy})
		if test.fine {
			require.NoError(t, err, name)
			assert.Equal(t, cmp.Or(test.strategy.Strategy, "discrete"), answer.Strategy.Strategy)
			continue
		}
		assert.Equal(t, []string{"long_term_memory_strategy"}, requireKind(t, service.Invalid, err).Fields[0].Path[:1], name)
		assert.Equal(t, name == "custom, empty", errors.Is(err, longterm.ErrStrategy), "names that nobody has do not come to the promoter")
	}
}

// summarizer writes "n summaries", and remembers what it was asked for.
type summarizer struct{ asked []summary.Request }

func (s *summarizer) SummarizeMessages(_ context.Context, r summary.Request) (string, error) {
	s.asked = append(s.asked, r)
	return fmt.Sprintf("%d summaries", len(s.asked)), nil
}

func TestSummarisingWrites(t *testing.T) {
	t.Parallel()
	writer := &summarizer{}
	w := newWorking(t, &session.Options{Summaries: summary.Options{Summarizer: writer}}, nil)
	view := writeView{Ref: ref("s"), Window: 40}                                     // threshold 28, 16 stay
	texts := []string{"a b c", "d e f", "g h i", "j k l", "m n o", "p q r", "s t u"} // 4 tokens each
	put := func(body *wire.SessionBody) *wire.Session {
		answer, err := w.PutSession(t.Context(), everybody, view, body)
		require.NoError(t, err)
		return answer
	}
	answer := put(&wire.SessionBody{Messages: said(texts...)})
	assert.Len(t, answer.Messages, 7, "exactly at the threshold")
	assert.Nil(t, answer.Context)
	assert.Equal(t, 100.0, *answer.UntilSummarization)
	assert.Equal(t, 70.0, *answer.TotalUsed)

	answer, err := w.AppendMessages(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.Append{Messages: said("v w x")})
	require.NoError(t, err)
	assert.Equal(t, []string{"m n o", "p q r", "s t u", "v w x"}, contents(answer.Messages), "by the window last used")
	assert.Nil(t, answer.TotalUsed)
	assert.Equal(t, 16, answer.Tokens)
	require.NotNil(t, answer.Context)
	assert.Equal(t, "1 summaries", *answer.Context)
	assert.Equal(t, answer, w.get("s"))

	answer = put(&wire.SessionBody{Context: answer.Context, Messages: said("m n o", "p q r", "s t u", "v w x", "y z", "0 1 2", "3 4 5", "6 7 8")})
	assert.Less(t, len(answer.Messages), 8)
	assert.Equal(t, "2 summaries", *answer.Context)
	assert.Equal(t, "1 summaries", writer.asked[1].Previous)
	got, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{Window: 40})
	require.NoError(t, err)
	assert.Equal(t, answer, got)

	view.Ref = ref("giant")
	answer = put(&wire.SessionBody{Messages: said(strings.Repeat("word ", 100))})
	assert.Len(t, answer.Messages, 1)
	assert.Nil(t, answer.Context)
	assert.Equal(t, 100.0, *answer.TotalUsed)
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	_, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s"), Window: 20}, &wire.SessionBody{Messages: said("a b c", "d e f", "g h i")})
	require.NoError(t, err)
	done, err := w.Summarize(t.Context(), everybody, ref("s"))
	require.NoError(t, err)
	assert.Equal(t, "done", done.Status)
	assert.Equal(t, 1, done.Messages)
	assert.Positive(t, done.Tokens)
	done, err = w.Summarize(t.Context(), everybody, ref("s"))
	require.NoError(t, err)
	assert.Equal(t, &wire.Summarized{Status: "none"}, done)
	assert.Len(t, w.get("s").Messages, 2)
}
