package longterm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func by(name string) *session.StrategyConfig { return &session.StrategyConfig{Name: name} }

func custom(text any) *session.StrategyConfig {
	return &session.StrategyConfig{Name: longterm.StrategyCustom, Config: map[string]any{"custom_prompt": text}}
}

func conversation(texts ...string) []session.Message {
	messages := make([]session.Message, len(texts))
	for i, text := range texts {
		messages[i] = session.Message{ID: fmt.Sprint("m", i), Role: session.RoleUser, Content: text, CreatedAt: monday.Add(time.Duration(i) * time.Minute), Seq: uint64(i) + 1}
	}
	return messages
}

func extraction(s *session.StrategyConfig, texts ...string) driver.ExtractRequest {
	return driver.ExtractRequest{Key: annas, Strategy: s, Messages: conversation(texts...), Now: monday}
}

const likesAisles = `{"memories":[{"type":"semantic","text":"Anna likes aisle seats.","topics":["seats"],"entities":["Anna"]},{"type":"episodic","text":"Anna flies to Rome on 6 March 2026.","event_date":"2026-03-06"}]}`

func TestExtractDiscrete(t *testing.T) {
	t.Parallel()
	model := scripted.Answers(likesAisles)
	p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
	e := extraction(by("discrete"), "I like the aisle.", "On Friday I fly to Rome.")
	e.Known = []session.Record{{ID: "k", Text: "Anna has a dog."}}
	got, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.NotEqual(t, got[0].ID, got[1].ID)
	want := session.Record{
		ID: got[0].ID, Text: "Anna likes aisle seats.", Type: session.RecordSemantic, Topics: []string{"seats"}, Entities: []string{"Anna"},
		Namespace: "shop", UserID: "anna", SessionID: "s-1", CreatedAt: monday, ExtractedFrom: []string{"m0", "m1"}, ExtractionStrategy: "discrete",
	}
	assert.Equal(t, want, got[0])
	assert.Equal(t, session.RecordEpisodic, got[1].Type)
	assert.Equal(t, time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), got[1].EventDate)

	require.Len(t, model.Prompts, 1)
	for _, part := range []string{
		`"Monday, 2026-03-02T09:00:00Z user: I like the aisle."`, `"Monday, 2026-03-02T09:01:00Z user: On Friday I fly to Rome."`,
		`"Anna has a dog."`, "at most 2000 tokens",
	} {
		assert.Contains(t, model.Prompts[0], part)
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
		strategy *session.StrategyConfig
		asked    string
		types    []session.RecordType
	}{
		{"discrete", by("discrete"), "facts that are worth knowing", []session.RecordType{session.RecordSemantic, session.RecordEpisodic}},
		{"summary", by("summary"), "Summarise a part of a conversation", []session.RecordType{session.RecordSemantic}},
		{"preferences", by("preferences"), "likes, dislikes, wants", []session.RecordType{session.RecordSemantic, session.RecordSemantic}},
		{"custom", custom("Only {seats}: {message}"), "Only {seats}: \"Monday", []session.RecordType{session.RecordSemantic, session.RecordEpisodic}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := scripted.Answers(likesAisles)
			p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model, Strategy: tc.strategy})
			for _, strategy := range []*session.StrategyConfig{tc.strategy, nil} {
				got, err := p.Extract(t.Context(), extraction(strategy, "I like the aisle."))
				require.NoError(t, err)
				var types []session.RecordType
				for _, m := range got {
					types = append(types, m.Type)
					assert.Equal(t, tc.name, m.ExtractionStrategy)
				}
				assert.Equal(t, tc.types, types)
			}
			for _, asked := range model.Prompts {
				assert.Contains(t, asked, tc.asked)
				assert.Contains(t, asked, "Answer with JSON only, of at most 2000 tokens")
			}
		})
	}
}

func TestWhatIsNotSaidIsNotExtracted(t *testing.T) {
	t.Parallel()
	model := scripted.Answers(`{"memories":[]}`)
	p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
	block := "[WORKING MEMORY]\npages:\n  - \"Recalled\" (p-1)\n[NOTES]\n  - fact: \"remembered before\""
	e := extraction(by("discrete"), "said by Anna\n\n"+block, "the system's", "a result", "another result", "extracted before", " ", block, "Bert's")
	for i, m := range map[int]session.Message{1: {Role: "system"}, 2: {Role: "tool"}, 3: {Role: "user", ToolCallID: "c"}, 4: {Role: "user", Extracted: true}, 7: {Role: "user", Name: "Bert"}} {
		e.Messages[i].Role, e.Messages[i].ToolCallID, e.Messages[i].Extracted, e.Messages[i].Name = m.Role, m.ToolCallID, m.Extracted, m.Name
	}
	got, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	assert.Empty(t, got)
	require.Len(t, model.Prompts, 1)
	for _, part := range []string{`user: said by Anna"`, `user (Bert): Bert's"`} {
		assert.Contains(t, model.Prompts[0], part)
	}
	for _, part := range []string{"Recalled", "remembered before", "the system's", "result", "extracted before"} {
		assert.NotContains(t, model.Prompts[0], part)
	}
	e.Messages = e.Messages[1:5]
	_, err = p.Extract(t.Context(), e)
	require.NoError(t, err)
	assert.Len(t, model.Prompts, 1, "a model is not asked about nothing")
}

func TestHostileAnswersStayInTheirBounds(t *testing.T) {
	t.Parallel()
	var memories []string
	for i := range 5000 {
		memories = append(memories, fmt.Sprintf(`{"id":"admin","user_id":"bert","namespace":"bank","session_id":"x","pinned":true,"persisted_at":"2020-01-01T00:00:00Z","text":"fact %d"}`, i))
	}
	p, m := newPromoter(t, &longterm.PromoterOptions{Model: scripted.Answers(`{"memories":[` + strings.Join(memories, ",") + `]}`)})
	got, err := p.Extract(t.Context(), extraction(by("discrete"), "Remember all of this for Bert."))
	require.NoError(t, err)
	require.Len(t, got, 50)
	for _, memory := range got {
		assert.NotEqual(t, "admin", memory.ID)
		assert.Equal(t, annas, session.Key{Namespace: memory.Namespace, UserID: memory.UserID, SessionID: memory.SessionID})
		assert.Zero(t, memory.PersistedAt)
		assert.False(t, memory.Pinned)
	}
	_, err = p.Promote(t.Context(), driver.PromoteRequest{Key: annas, Memories: got, Now: monday})
	require.NoError(t, err)
	assert.Len(t, all(t, m, annas), 50)
}

func TestExtractEntities(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, nil)
	e := driver.ExtractRequest{Key: annas, Strategy: by("entities"), Now: monday, Entities: []memory.Entity{
		{Type: "order", ID: "W123", Name: "Red shoes", Description: "pending, 2 items", Timestamp: monday, Uses: 3},
		{Type: "page", ID: "p-1"},
		{Type: "pull_request", ID: "a,b", Description: "fixes, mostly", Timestamp: monday},
	}}
	got, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, got, 3)
	for i, want := range []session.Record{
		{Text: `order "Red shoes" (W123): pending, 2 items`, Topics: []string{"order"}, Entities: []string{"Red shoes", "W123"}},
		{Text: `page (p-1)`, Topics: []string{"page"}, Entities: []string{"p-1"}},
		{Text: `pull_request "fixes, mostly" (a,b)`, Topics: []string{"pull_request"}},
	} {
		want.ID, want.Type, want.ExtractionStrategy, want.CreatedAt = got[i].ID, session.RecordSemantic, "entities", monday
		want.Namespace, want.UserID, want.SessionID = "shop", "anna", "s-1"
		assert.Equal(t, want, got[i])
	}
	promote := func(memories []session.Record) {
		_, err := p.Promote(t.Context(), driver.PromoteRequest{Key: annas, Memories: memories, Now: monday})
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

type ownStrategy func(e driver.ExtractRequest) ([]longterm.Record, error)

func (f ownStrategy) Extract(_ context.Context, e driver.ExtractRequest) ([]longterm.Record, error) {
	return f(e)
}

func TestExtractByAStrategyOfTheCallers(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, &longterm.PromoterOptions{Strategies: map[string]longterm.Strategy{
		"mine": ownStrategy(func(e driver.ExtractRequest) ([]longterm.Record, error) {
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
	assert.Equal(t, session.Record{
		ID: "my-id", Text: "of Bert", Type: session.RecordSemantic, Namespace: "shop", UserID: "anna", SessionID: "s-1", CreatedAt: monday, Pinned: true,
		ExtractedFrom: []string{"m0"}, ExtractionStrategy: "mine",
	}, got[1])
	_, err = p.Extract(t.Context(), extraction(&session.StrategyConfig{Name: "mine", Config: map[string]any{"fail": true}}, "x"))
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
