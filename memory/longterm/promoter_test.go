package longterm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func by(name string) *session.StrategyConfig { return &session.StrategyConfig{Name: name} }

func custom(text any) *session.StrategyConfig {
	return &session.StrategyConfig{Name: longterm.StrategyCustom, Config: map[string]any{"custom_prompt": text}}
}

func extraction(s *session.StrategyConfig, texts ...string) driver.ExtractRequest {
	messages := make([]session.Message, len(texts))
	for i, text := range texts {
		messages[i] = session.Message{ID: fmt.Sprint("m", i), Role: session.RoleUser, Content: text, CreatedAt: monday.Add(time.Duration(i) * time.Minute), Seq: uint64(i) + 1}
	}
	return driver.ExtractRequest{Key: annas, Strategy: s, Messages: messages, Now: monday}
}

type ownStrategy func(e driver.ExtractRequest) ([]longterm.Record, error)

func (f ownStrategy) Extract(_ context.Context, e driver.ExtractRequest) ([]longterm.Record, error) {
	return f(e)
}

func TestNewPromoterRefuses(t *testing.T) {
	t.Parallel()
	_, m := newPromoter(t, &longterm.PromoterOptions{InputTokens: 4000})
	for want, opts := range map[string]longterm.PromoterOptions{
		`unknown name "telepathy"`:                           {Strategy: by("telepathy")},
		"lacks a placeholder: {messages_joined}":             {Strategy: custom("Find all.")},
		"3999 input tokens are less than the minimum":        {InputTokens: 3999},
		"2001 answer tokens are not from 1 to a quarter of ": {InputTokens: 8000, AnswerTokens: 2001},
		"-1 answer tokens":                                   {AnswerTokens: -1},
	} {
		_, err := longterm.NewPromoter(m, &opts)
		require.ErrorContains(t, err, want)
	}
	_, err := longterm.NewPromoter(nil, nil)
	require.ErrorContains(t, err, "a promoter needs a memory")
}

func TestWants(t *testing.T) {
	t.Parallel()
	model := scripted.Answers("")
	const messages, extract, entities = 1, 2, 4
	for name, test := range map[string]struct {
		opts      *longterm.PromoterOptions
		strategy  *session.StrategyConfig
		want, any int
	}{
		"nothing":                   {nil, nil, 0, entities},
		"messages":                  {keeping, nil, messages, messages | entities},
		"entities":                  {nil, by("entities"), entities, entities},
		"model by default":          {&longterm.PromoterOptions{Model: model}, nil, extract, extract | entities},
		"model on demand":           {&longterm.PromoterOptions{Model: model, Strategy: by("entities")}, nil, entities, extract | entities},
		"another default":           {&longterm.PromoterOptions{Model: model, Strategy: by("summary"), Entities: true}, nil, extract | entities, extract | entities},
		"without a model":           {nil, by("preferences"), entities, entities},
		"custom":                    {&longterm.PromoterOptions{Model: model}, custom("{message}"), extract, extract | entities},
		"custom that is not a text": {&longterm.PromoterOptions{Model: model}, custom(7), 0, extract | entities},
		"custom, too long":          {&longterm.PromoterOptions{Model: model}, custom(strings.Repeat("x", 8001) + "{message}"), 0, extract | entities},
		"unknown":                   {&longterm.PromoterOptions{Model: model}, by("telepathy"), 0, extract | entities},
		"the caller's":              {&longterm.PromoterOptions{Strategies: map[string]longterm.Strategy{"mine": ownStrategy(nil)}}, by("mine"), extract, extract | entities},
	} {
		p, _ := newPromoter(t, test.opts)
		wants := func(w int) driver.Wants {
			return driver.Wants{Messages: w&messages != 0, Extract: w&extract != 0, Entities: w&entities != 0}
		}
		require.Equal(t, wants(test.want), p.Wants(test.strategy, false), name)
		require.Equal(t, wants(test.any), p.Wants(nil, true), name)
	}
}

func TestUnusableStrategies(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p, _ := newPromoter(t, &longterm.PromoterOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		p.Wants(by("telepathy"), false)
		p.Wants(custom("secret"), false)
	}
	require.Equal(t, 2, strings.Count(log.String(), "\n"), "each is reported once")
	require.Contains(t, log.String(), "telepathy")
	require.NotContains(t, log.String(), "secret")
	for i := range 1000 {
		p.Wants(by(fmt.Sprint("name ", i)), false)
	}
	require.Less(t, strings.Count(log.String(), "\n"), 200, "clients choose the names")
	require.ErrorIs(t, p.Check(by("telepathy")), longterm.ErrStrategy)
	require.ErrorIs(t, p.Check(custom("secret")), longterm.ErrStrategy)
	require.ErrorIs(t, p.Check(custom("secret")), prompt.ErrExtractionTemplate)
	require.NoError(t, p.Check(by("discrete")), "without a model, entities are extracted")
	require.NoError(t, p.Check(nil))
	_, err := p.Extract(t.Context(), extraction(by("telepathy"), "x"))
	require.ErrorIs(t, err, longterm.ErrStrategy)
}

const likesAisles = `{"memories":[{"type":"semantic","text":"Anna likes aisle seats.","topics":["seats"],"entities":["Anna"]},{"type":"episodic","text":"Anna flies to Rome on 6 March 2026.","event_date":"2026-03-06"}]}`

func TestExtract(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		strategy *session.StrategyConfig
		asked    string
		second   []session.RecordType // types after the first, which is semantic
	}{
		{by("discrete"), "facts that are worth knowing", []session.RecordType{session.RecordEpisodic}},
		{by("summary"), "Summarise a part of a conversation", nil},
		{by("preferences"), "likes, dislikes, wants", []session.RecordType{session.RecordSemantic}},
		{custom("Only {seats}: {message}"), "Only {seats}: \"Monday", []session.RecordType{session.RecordEpisodic}},
	} {
		model := scripted.Answers(likesAisles)
		p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model, Strategy: test.strategy})
		e := extraction(nil, "I like the aisle.", "On Friday I fly to Rome.")
		e.Known = []session.Record{{ID: "k", Text: "Anna has a dog."}}
		got, err := p.Extract(t.Context(), e)
		require.NoError(t, err)
		require.Equal(t, session.Record{
			ID: got[0].ID, Text: "Anna likes aisle seats.", Type: session.RecordSemantic, Topics: []string{"seats"}, Entities: []string{"Anna"},
			Namespace: "shop", UserID: "anna", SessionID: "s-1", CreatedAt: monday, ExtractedFrom: []string{"m0", "m1"}, ExtractionStrategy: test.strategy.Name,
		}, got[0])
		var types []session.RecordType
		for _, r := range got[1:] {
			types = append(types, r.Type)
			require.NotEqual(t, got[0].ID, r.ID)
			require.Equal(t, time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), r.EventDate)
		}
		require.Equal(t, test.second, types)
		for _, part := range []string{test.asked, `"Monday, 2026-03-02T09:00:00Z user: I like the aisle."`, "Answer with JSON only, of at most 2000 tokens"} {
			require.Contains(t, model.Prompts[0], part)
		}
		if test.strategy.Name == "discrete" {
			require.Contains(t, model.Prompts[0], `"Anna has a dog."`)
			require.Contains(t, model.Prompts[0], `"Monday, 2026-03-02T09:01:00Z user: On Friday I fly to Rome."`)
		}
		e.Strategy = test.strategy
		again, err := p.Extract(t.Context(), e)
		require.NoError(t, err)
		require.Equal(t, got, again, "the ids are reproducible")
		e.Key.SessionID = "s-2"
		other, err := p.Extract(t.Context(), e)
		require.NoError(t, err)
		require.NotEqual(t, got[0].ID, other[0].ID)
	}
}

// Only what persons and assistants said themselves is extracted.
func TestExtractExcludes(t *testing.T) {
	t.Parallel()
	model := scripted.Answers(`{"memories":[]}`)
	p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model})
	const block = "[WORKING MEMORY]\npages:\n  - \"Recalled\" (p-1)\n[NOTES]\n  - fact: \"remembered before\""
	quoted := func(value any) string {
		data, err := json.Marshal(value)
		require.NoError(t, err)
		return string(data)
	}
	e := extraction(by("discrete"), "said by Anna\n\n"+block, "the system's", "a result", "another result", "extracted before", " ", block, "Bert's",
		"Here it is:\n\n"+block+"\n\nThat is all.", quoted(block), quoted(map[string]any{"result": quoted(map[string]any{"memory": []any{1, block}})}))
	e.Messages[1].Role, e.Messages[2].Role, e.Messages[3].ToolCallID, e.Messages[4].Extracted, e.Messages[7].Name = "system", "tool", "c", true, "Bert"
	got, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Empty(t, got)
	for _, part := range []string{`user: said by Anna"`, `user (Bert): Bert's"`, "That is all."} {
		require.Contains(t, model.Prompts[0], part)
	}
	for _, part := range []string{"Recalled", "remembered before", "the system's", "a result", "another", "extracted before"} {
		require.NotContains(t, model.Prompts[0], part)
	}
	e.Messages = e.Messages[1:5]
	_, err = p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, model.Prompts, 1, "the model is not asked about nothing")
}

// Messages are kept verbatim; memories with secrets are dropped.
func TestExtractDropsSecrets(t *testing.T) {
	t.Parallel()
	const secret = "sk-proj-abcdef0123456789"
	var log bytes.Buffer
	p, m := newPromoter(t, &longterm.PromoterOptions{
		Model: scripted.Answers(strings.ReplaceAll(`{"memories": [{"text": "Anna's key is SECRET."}, {"text": "Anna has a key.", "entities": ["SECRET"]},
			{"text": "Anna has a key!", "topics": ["SECRET"]}, {"text": "Anna likes tea."}]}`, "SECRET", secret)),
		Strategy: by("discrete"), Entities: true, Messages: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	manager, clock := managed(t, p)
	_, err := manager.Update(t.Context(), annas, func(s *session.Session) error {
		s.Messages = append(s.Messages, session.Message{Role: "user", Content: "My key is " + secret})
		return s.Entities.Add(memory.Entity{Type: "key", ID: "K1", Name: "Key", Description: secret})
	}, nil)
	require.NoError(t, err)
	settle(t, manager, clock, annas)
	records := facts(t, m)
	require.Len(t, records, 1)
	require.Equal(t, "Anna likes tea.", records[0].Text)
	require.Contains(t, log.String(), "memories=3")
	require.NotContains(t, log.String(), secret)
	kept, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Equal(t, "My key is "+secret, kept[0].Content)
}

func TestExtractEntities(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, nil)
	e := driver.ExtractRequest{Key: annas, Strategy: by("entities"), Now: monday, Entities: []memory.Entity{
		{Type: "order", ID: "W123", Name: "Red shoes", Description: "pending, 2 items", Timestamp: monday, Uses: 3},
		{Type: "page", ID: "p-1"}, {Type: "pull_request", ID: "a,b", Description: "fixes, mostly", Timestamp: monday},
	}}
	extract := func() []session.Record {
		got, err := p.Extract(t.Context(), e)
		require.NoError(t, err)
		_, err = p.Promote(t.Context(), driver.PromoteRequest{Key: annas, Memories: got, Now: monday})
		require.NoError(t, err)
		return got
	}
	got := extract()
	require.Len(t, got, 3)
	for i, want := range []session.Record{
		{Text: `order "Red shoes" (W123): pending, 2 items`, Topics: []string{"order"}, Entities: []string{"Red shoes", "W123"}},
		{Text: `page (p-1)`, Topics: []string{"page"}, Entities: []string{"p-1"}},
		{Text: `pull_request "fixes, mostly" (a,b)`, Topics: []string{"pull_request"}},
	} {
		want.ID, want.Type, want.ExtractionStrategy, want.CreatedAt = got[i].ID, session.RecordSemantic, "entities", monday
		want.Namespace, want.UserID, want.SessionID = "shop", "anna", "s-1"
		require.Equal(t, want, got[i])
	}
	e.Known = got
	e.Entities[0].Timestamp, e.Entities[0].Uses = monday.Add(time.Hour), 7
	require.Empty(t, extract(), "another use is no change")
	e.Entities[0].Description, e.Key.SessionID, e.Now = "delivered", "s-2", monday.Add(time.Hour)
	changed := extract()
	require.Len(t, changed, 1)
	require.Equal(t, got[0].ID, changed[0].ID, "the id is the same in all sessions")
	require.Equal(t, []time.Time{monday, e.Now}, []time.Time{changed[0].CreatedAt, changed[0].UpdatedAt})
	texts := map[string]bool{}
	for _, r := range facts(t, m) {
		texts[r.Text] = true
	}
	require.Equal(t, map[string]bool{`order "Red shoes" (W123): delivered`: true, got[1].Text: true, got[2].Text: true}, texts)
}

func TestExtractByACallersStrategy(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, &longterm.PromoterOptions{Strategies: map[string]longterm.Strategy{
		"mine": ownStrategy(func(e driver.ExtractRequest) ([]longterm.Record, error) {
			if e.Strategy.Config["fail"] != nil {
				return nil, errors.ErrUnsupported
			}
			return []longterm.Record{{Text: e.Messages[0].Content}, {Text: e.Messages[0].Content}, {Text: " "}, {ID: "my-id", Text: "of Bert", UserID: "bert", Type: "message", Pinned: true}}, nil
		}),
	}})
	got, err := p.Extract(t.Context(), extraction(by("mine"), "I like the aisle."))
	require.NoError(t, err)
	require.Len(t, got, 2, "each once, and none without a text")
	require.Equal(t, "I like the aisle.", got[0].Text)
	require.Equal(t, []string{"m0"}, got[0].ExtractedFrom)
	require.Equal(t, session.Record{
		ID: "my-id", Text: "of Bert", Type: session.RecordSemantic, Namespace: "shop", UserID: "anna", SessionID: "s-1", CreatedAt: monday, Pinned: true,
		ExtractedFrom: []string{"m0"}, ExtractionStrategy: "mine",
	}, got[1])
	_, err = p.Extract(t.Context(), extraction(&session.StrategyConfig{Name: "mine", Config: map[string]any{"fail": true}}, "x"))
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

func TestPromoteMemories(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, nil)
	long := strings.Repeat("long", longtermdriver.MaxIDBytes)
	work := driver.PromoteRequest{Key: annas, Now: monday, Memories: []session.Record{
		{ID: "plain", Text: "replaced"}, {ID: "plain", Text: "Anna likes aisle seats."},
		{ID: "own session", Text: "Anna has a dog.", SessionID: "s-0", Type: session.RecordEpisodic, Metadata: map[string]any{"n": 1}},
		{ID: "her own", Text: "Anna is a pilot.", Namespace: "shop", UserID: "anna"},
		{ID: "of Bert", Text: "Bert is a spy.", UserID: "bert"}, {ID: "of the bank", Text: "Anna is rich.", Namespace: "bank"},
		{ID: "blank", Text: " "}, {Text: "no id"}, {ID: "type", Text: "x", Type: "telepathic"}, {ID: long, Text: "x"},
		{ID: "large", Text: strings.Repeat("x", longtermdriver.MaxTextBytes+1)}, {ID: "bytes", Text: "\xff"},
	}}
	for range 3 {
		done, err := p.Promote(t.Context(), work)
		require.NoError(t, err)
		require.Equal(t, driver.PromoteResult{
			Memories: []string{"plain", "own session", "her own"}, Refused: []string{"of Bert", "of the bank", "blank", "", "type", long, "large", "bytes"},
		}, done)
		work.Now = work.Now.Add(time.Hour)
	}
	everyone, err := m.Search(t.Context(), longterm.Everyone(), longterm.Query{})
	require.NoError(t, err)
	require.Equal(t, 3, everyone.Total)
	sessions := make(map[string]string)
	for _, r := range facts(t, m) {
		require.Equal(t, monday.Truncate(time.Microsecond), r.PersistedAt, "of the first time")
		sessions[r.Text] = r.SessionID
	}
	require.Equal(t, map[string]string{"Anna likes aisle seats.": "s-1", "Anna has a dog.": "s-0", "Anna is a pilot.": "s-1"}, sessions)
	require.Empty(t, work.Memories[1].SessionID, "the argument is not changed")

	// Records cannot have every key of a session.
	p, _ = newPromoter(t, keeping)
	key := session.Key{UserID: "\xff", SessionID: "s"}
	done, err := p.Promote(t.Context(), driver.PromoteRequest{Key: key, Messages: numbered(1, "m"), Memories: []session.Record{{ID: "a", Text: "b"}}, Now: monday})
	require.ErrorIs(t, err, longterm.ErrInvalidUTF8)
	require.Equal(t, driver.PromoteResult{Refused: []string{"a"}}, done)
}
