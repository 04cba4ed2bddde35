package translate_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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

// Neither put nor append changes anything of a session when it refuses a body.
func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	before := w.put("s", &wire.SessionBody{Messages: said("before")})
	for name, test := range map[string]struct {
		body wire.SessionBody
		kind service.Kind
		says string
	}{
		"same ids":        {wire.SessionBody{Messages: []wire.Message{{ID: "1", Role: "user", Content: "x"}, {ID: "1", Role: "user", Content: "y"}}}, service.Invalid, "same id"},
		"too large":       {wire.SessionBody{Context: new(strings.Repeat("x", memory.MaxStateBytes+1))}, service.TooLarge, "too large"},
		"large message":   {wire.SessionBody{Messages: []wire.Message{{Role: "user", Content: strings.Repeat("x", session.MaxMessageBytes+1)}}}, service.TooLarge, "too large"},
		"entity, no type": {wire.SessionBody{Entities: &[]memory.Entity{{Type: "page", ID: "1"}, {Type: strings.Repeat("x", 1<<20), ID: "2"}}}, service.Invalid, "too long"},
		"entity, no date": {wire.SessionBody{Entities: &[]memory.Entity{{Type: "page", ID: "1", Timestamp: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)}}}, service.Invalid, ""},
	} {
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, &test.body)
		e := requireKind(t, test.kind, err)
		assert.Contains(t, e.Error(), test.says, name)
		if name == "entity, no type" {
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

// summarizer writes "n summaries" and records its requests.
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
	answer := put(&wire.SessionBody{Messages: said(texts...), Tokens: 500})
	assert.Equal(t, 500, answer.Tokens, "a count of the client")
	assert.Len(t, answer.Messages, 7, "exactly at the threshold")
	assert.Nil(t, answer.Context)
	assert.Equal(t, 100.0, *answer.UntilSummarization)
	assert.Equal(t, 70.0, *answer.TotalUsed)

	answer, err := w.AppendMessages(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.Append{Messages: said("v w x")})
	require.NoError(t, err)
	assert.Equal(t, []string{"m n o", "p q r", "s t u", "v w x"}, contents(answer.Messages), "by the window last used")
	assert.Nil(t, answer.TotalUsed)
	assert.Equal(t, 502, answer.Tokens, "with those of the summary")
	require.NotNil(t, answer.Context)
	assert.Equal(t, "1 summaries", *answer.Context)
	assert.Equal(t, answer, w.get("s"))

	answer = put(&wire.SessionBody{Context: answer.Context, Messages: said("m n o", "p q r", "s t u", "v w x", "y z", "0 1 2", "3 4 5", "6 7 8")})
	assert.Equal(t, "2 summaries", *answer.Context)
	assert.Equal(t, 2, answer.Tokens, "a PUT replaces the count")
	assert.Equal(t, "1 summaries", writer.asked[1].Previous)

	view.Ref = ref("giant")
	answer = put(&wire.SessionBody{Messages: said(strings.Repeat("word ", 100))})
	assert.Len(t, answer.Messages, 1)
	assert.Nil(t, answer.Context)
	assert.Equal(t, 100.0, *answer.TotalUsed)
}
