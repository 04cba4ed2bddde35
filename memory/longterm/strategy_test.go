package longterm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func by(name string) *session.Strategy { return &session.Strategy{Name: name} }

func custom(text any) *session.Strategy {
	return &session.Strategy{Name: longterm.StrategyCustom, Config: map[string]any{"custom_prompt": text}}
}

func conversation(texts ...string) []session.Message {
	messages := make([]session.Message, len(texts))
	for i, text := range texts {
		messages[i] = session.Message{ID: fmt.Sprint("m", i), Role: session.RoleUser, Content: text, CreatedAt: monday.Add(time.Duration(i) * time.Minute), Seq: uint64(i) + 1}
	}
	return messages
}

func extraction(s *session.Strategy, texts ...string) session.Extraction {
	return session.Extraction{Key: annas, Strategy: s, Messages: conversation(texts...), Now: monday}
}

const likesAisles = `{"memories":[{"type":"semantic","text":"Anna likes aisle seats.","topics":["seats"],"entities":["Anna"]},{"type":"episodic","text":"Anna flies to Rome on 6 March 2026.","event_date":"2026-03-06"}]}`

func TestExtractDiscrete(t *testing.T) {
	t.Parallel()
	model := answers(likesAisles)
	p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
	e := extraction(by("discrete"), "I like the aisle.", "On Friday I fly to Rome.")
	e.Known = []session.Memory{{ID: "k", Text: "Anna has a dog."}}
	got, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.NotEqual(t, got[0].ID, got[1].ID)
	want := session.Memory{
		ID: got[0].ID, Text: "Anna likes aisle seats.", Type: session.MemorySemantic, Topics: []string{"seats"}, Entities: []string{"Anna"},
		Namespace: "shop", UserID: "anna", SessionID: "s-1", CreatedAt: monday, ExtractedFrom: []string{"m0", "m1"}, ExtractionStrategy: "discrete",
	}
	assert.Equal(t, want, got[0])
	assert.Equal(t, session.MemoryEpisodic, got[1].Type)
	assert.Equal(t, time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), got[1].EventDate)

	require.Len(t, model.prompts, 1)
	for _, part := range []string{
		`"Monday, 2026-03-02T09:00:00Z user: I like the aisle."`, `"Monday, 2026-03-02T09:01:00Z user: On Friday I fly to Rome."`,
		`"Anna has a dog."`, "at most 2000 tokens",
	} {
		assert.Contains(t, model.prompts[0], part)
	}
	again, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	assert.Equal(t, got, again, "the same again has the same ids")
	e.Key.SessionID = "s-2"
	other, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	assert.NotEqual(t, got[0].ID, other[0].ID, "another session's is another memory")
}

func TestExtractByEachStrategy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		strategy *session.Strategy
		asked    string
		types    []session.MemoryType
	}{
		{"discrete", by("discrete"), "facts that are worth knowing", []session.MemoryType{session.MemorySemantic, session.MemoryEpisodic}},
		{"summary", by("summary"), "Summarise a part of a conversation", []session.MemoryType{session.MemorySemantic}},
		{"preferences", by("preferences"), "likes, dislikes, wants", []session.MemoryType{session.MemorySemantic, session.MemorySemantic}},
		{"custom", custom("Only {seats}: {message}"), "Only {seats}: \"Monday", []session.MemoryType{session.MemorySemantic, session.MemoryEpisodic}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := answers(likesAisles)
			p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model, Strategy: tc.strategy})
			for _, strategy := range []*session.Strategy{tc.strategy, nil} {
				got, err := p.Extract(t.Context(), extraction(strategy, "I like the aisle."))
				require.NoError(t, err)
				var types []session.MemoryType
				for _, m := range got {
					types = append(types, m.Type)
					assert.Equal(t, tc.name, m.ExtractionStrategy)
				}
				assert.Equal(t, tc.types, types)
			}
			for _, asked := range model.prompts {
				assert.Contains(t, asked, tc.asked)
				assert.Contains(t, asked, "Answer with JSON only, of at most 2000 tokens")
			}
		})
	}
}

func TestWhatIsNotSaidIsNotExtracted(t *testing.T) {
	t.Parallel()
	model := answers(`{"memories":[]}`)
	p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
	block := "[WORKING MEMORY]\npages:\n  - \"Recalled\" (p-1)\n[NOTES]\n  - fact: \"remembered before\""
	e := extraction(by("discrete"), "said by Anna\n\n"+block, "the system's", "a result", "another result", "extracted before", " ", block, "Bert's")
	for i, m := range map[int]session.Message{1: {Role: "system"}, 2: {Role: "tool"}, 3: {Role: "user", ToolCallID: "c"}, 4: {Role: "user", Extracted: true}, 7: {Role: "user", Name: "Bert"}} {
		e.Messages[i].Role, e.Messages[i].ToolCallID, e.Messages[i].Extracted, e.Messages[i].Name = m.Role, m.ToolCallID, m.Extracted, m.Name
	}
	got, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	assert.Empty(t, got)
	require.Len(t, model.prompts, 1)
	for _, part := range []string{`user: said by Anna"`, `user (Bert): Bert's"`} {
		assert.Contains(t, model.prompts[0], part)
	}
	for _, part := range []string{"Recalled", "remembered before", "the system's", "result", "extracted before"} {
		assert.NotContains(t, model.prompts[0], part)
	}
	e.Messages = e.Messages[1:5]
	_, err = p.Extract(t.Context(), e)
	require.NoError(t, err)
	assert.Len(t, model.prompts, 1, "a model is not asked about nothing")
}

func TestFailingModelsExtractNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, answer string
		err, want    error
	}{
		{"an error", "", errors.New("no connection"), longterm.ErrModel},
		{"a refusal", "I'm sorry, but I can't help with that.", nil, longterm.ErrAnswer},
		{"nothing", "", nil, longterm.ErrAnswer},
		{"cut off", `{"memories":[{"text":"x"`, nil, longterm.ErrAnswer},
		{"a wrong type", `{"memories":[{"text":["x"]}]}`, nil, longterm.ErrAnswer},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := &script{answer: func(int, string) (string, error) { return tc.answer, tc.err }}
			p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
			got, err := p.Extract(t.Context(), extraction(by("discrete"), "I like the aisle.", "Really."))
			require.ErrorIs(t, err, tc.want)
			assert.NotContains(t, err.Error(), "aisle")
			assert.Empty(t, got)
		})
	}
}

// hear answers with a memory of each message that is asked about.
func hear(_ int, asked string) (string, error) {
	_, messages, _ := strings.Cut(asked, "Messages:\n")
	var memories []map[string]string
	for text := range strings.SplitSeq(messages, "\n") {
		var said string
		if json.Unmarshal([]byte(text), &said) == nil {
			if _, after, ok := strings.Cut(said, "user: "); ok {
				said = after
			}
			memories = append(memories, map[string]string{"text": "heard " + said})
		}
	}
	answer, err := json.Marshal(map[string]any{"memories": memories})
	return string(answer), err
}

func TestEveryMessageOfALongBatchIsSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var texts []string
		for i := range rapid.IntRange(1, 80).Draw(rt, "messages") {
			texts = append(texts, fmt.Sprintf("begin%d %s end%d.", i, strings.Repeat("\"word ", rapid.SampledFrom([]int{0, 1, 10, 100, 700}).Draw(rt, "words")), i))
		}
		model := &script{answer: hear}
		memory, err := longterm.New(memindex.New(nil), nil)
		require.NoError(rt, err)
		limit := rapid.SampledFrom([]int{4000, 5000, 16_000}).Draw(rt, "limit")
		p, err := longterm.NewPromoter(memory, &longterm.PromoterOptions{Model: model, InputTokens: limit})
		require.NoError(rt, err)
		got, err := p.Extract(t.Context(), extraction(by("discrete"), texts...))
		require.NoError(rt, err)
		var seen strings.Builder
		for _, asked := range model.prompts {
			require.LessOrEqual(rt, prompt.Estimator{}.CountTokens(asked), limit*3/4, "with the answer it is what the model reads")
			_, messages, _ := strings.Cut(asked, "Messages:\n")
			seen.WriteString(messages)
		}
		at := 0
		for i := range texts { // in order
			for _, part := range []string{fmt.Sprintf("begin%d ", i), fmt.Sprintf(" end%d.", i)} {
				n := strings.Index(seen.String()[at:], part)
				require.GreaterOrEqual(rt, n, 0, part)
				at += n
			}
		}
		for _, m := range got {
			require.LessOrEqual(rt, len(m.ExtractedFrom), 50)
		}
	})
}

func TestAnswersThatAreCutOffAreAskedForInHalves(t *testing.T) {
	t.Parallel()
	for _, texts := range [][]string{
		{"one", "two", "three", strings.Repeat("long ", 100), strings.Repeat("longer ", 100), "six"},
		{strings.Repeat("all in one message ", 100)},
		{strings.Repeat("the first is long ", 100), "the second is not"},
	} {
		const most = 1000 // bytes of an answer
		model := &script{answer: func(call int, asked string) (string, error) {
			answer, err := hear(call, asked)
			return answer[:min(len(answer), most)], err
		}}
		p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
		got, err := p.Extract(t.Context(), extraction(by("discrete"), texts...))
		require.NoError(t, err)
		assert.Greater(t, len(model.prompts), 2)
		heard := 0
		for _, m := range got {
			heard += len(strings.Fields(strings.TrimPrefix(strings.TrimPrefix(m.Text, "heard "), "… ")))
		}
		assert.Equal(t, len(strings.Fields(strings.Join(texts, " "))), heard)
		last := strings.Fields(texts[len(texts)-1])
		assert.True(t, strings.HasSuffix(got[len(got)-1].Text, " "+last[len(last)-1]))
	}
}

func TestAnswersThatAreCutOffAlwaysAreGivenUp(t *testing.T) {
	t.Parallel()
	model := answers(`{"memories":[`)
	p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
	var many []string
	for i := range 50 {
		many = append(many, fmt.Sprint("message ", i))
	}
	_, err := p.Extract(t.Context(), extraction(by("discrete"), many...))
	require.ErrorIs(t, err, longterm.ErrAnswer)
	assert.LessOrEqual(t, len(model.prompts), 5)
}

func TestHostileAnswersStayInTheirBounds(t *testing.T) {
	t.Parallel()
	var memories []string
	for i := range 5000 {
		memories = append(memories, fmt.Sprintf(`{"id":"admin","user_id":"bert","namespace":"bank","session_id":"x","pinned":true,"persisted_at":"2020-01-01T00:00:00Z","text":"fact %d"}`, i))
	}
	p, m := newPromoter(t, &longterm.PromoterOptions{Model: answers(`{"memories":[` + strings.Join(memories, ",") + `]}`)})
	got, err := p.Extract(t.Context(), extraction(by("discrete"), "Remember all of this for Bert."))
	require.NoError(t, err)
	require.Len(t, got, 50)
	for _, memory := range got {
		assert.NotEqual(t, "admin", memory.ID)
		assert.Equal(t, annas, session.Key{Namespace: memory.Namespace, UserID: memory.UserID, SessionID: memory.SessionID})
		assert.Zero(t, memory.PersistedAt)
		assert.False(t, memory.Pinned)
	}
	_, err = p.Promote(t.Context(), session.Promotion{Key: annas, Memories: got, Now: monday})
	require.NoError(t, err)
	assert.Len(t, all(t, m, annas), 50)
}

func TestExtractEntities(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, nil)
	e := session.Extraction{Key: annas, Strategy: by("entities"), Now: monday, Entities: []memory.Entity{
		{Type: "order", ID: "W123", Name: "Red shoes", Description: "pending, 2 items", Timestamp: monday, Uses: 3},
		{Type: "page", ID: "p-1"},
		{Type: "pull_request", ID: "a,b", Description: "fixes, mostly", Timestamp: monday},
	}}
	got, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, got, 3)
	for i, want := range []session.Memory{
		{Text: `order "Red shoes" (W123): pending, 2 items`, Topics: []string{"order"}, Entities: []string{"Red shoes", "W123"}},
		{Text: `page (p-1)`, Topics: []string{"page"}, Entities: []string{"p-1"}},
		{Text: `pull_request "fixes, mostly" (a,b)`, Topics: []string{"pull_request"}},
	} {
		want.ID, want.Type, want.ExtractionStrategy, want.CreatedAt = got[i].ID, session.MemorySemantic, "entities", monday
		want.Namespace, want.UserID, want.SessionID = "shop", "anna", "s-1"
		assert.Equal(t, want, got[i])
	}
	promote := func(memories []session.Memory) {
		_, err := p.Promote(t.Context(), session.Promotion{Key: annas, Memories: memories, Now: monday})
		require.NoError(t, err)
	}
	promote(got)

	e.Known = got
	e.Entities[0].Timestamp, e.Entities[0].Uses = monday.Add(time.Hour), 7
	same, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	assert.Empty(t, same, "what was only used again is known")

	e.Entities[0].Description = "delivered"
	e.Key.SessionID = "s-2"
	changed, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, changed, 1)
	assert.Equal(t, got[0].ID, changed[0].ID, "in any session it is the same")
	promote(changed)
	records := all(t, m, annas)
	require.Len(t, records, 3)
	var texts []string
	for _, r := range records {
		texts = append(texts, r.Text)
	}
	assert.Contains(t, texts, `order "Red shoes" (W123): delivered`)
	assert.NotContains(t, texts, got[0].Text)
}

type ownStrategy func(e session.Extraction) ([]longterm.Record, error)

func (f ownStrategy) Extract(_ context.Context, e session.Extraction) ([]longterm.Record, error) {
	return f(e)
}

func TestExtractByAStrategyOfTheCallers(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, &longterm.PromoterOptions{Strategies: map[string]longterm.Strategy{
		"mine": ownStrategy(func(e session.Extraction) ([]longterm.Record, error) {
			if e.Strategy.Config["fail"] != nil {
				return nil, errors.ErrUnsupported
			}
			return []longterm.Record{
				{Text: e.Messages[0].Content}, {Text: e.Messages[0].Content}, {Text: " "}, {ID: "my-id", Text: "of Bert", UserID: "bert", Type: "message", Pinned: true},
			}, nil
		}),
	}})
	got, err := p.Extract(t.Context(), extraction(by("mine"), "I like the aisle."))
	require.NoError(t, err)
	require.Len(t, got, 2, "each once, and those without a text not")
	assert.Equal(t, "I like the aisle.", got[0].Text)
	assert.Equal(t, []string{"m0"}, got[0].ExtractedFrom)
	assert.Equal(t, session.Memory{
		ID: "my-id", Text: "of Bert", Type: session.MemorySemantic, Namespace: "shop", UserID: "anna", SessionID: "s-1", CreatedAt: monday, Pinned: true,
		ExtractedFrom: []string{"m0"}, ExtractionStrategy: "mine",
	}, got[1])
	_, err = p.Extract(t.Context(), extraction(&session.Strategy{Name: "mine", Config: map[string]any{"fail": true}}, "x"))
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
