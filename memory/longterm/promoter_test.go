package longterm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestNewPromoterRefuses(t *testing.T) {
	t.Parallel()
	memory, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	for _, tc := range []struct {
		name string
		opts longterm.PromoterOptions
		want string
	}{
		{"an unknown strategy", longterm.PromoterOptions{Strategy: by("telepathy")}, `unknown name "telepathy"`},
		{"a custom prompt without messages", longterm.PromoterOptions{Strategy: custom("Find all.")}, "lacks a placeholder: {messages_joined}"},
		{"a small model", longterm.PromoterOptions{InputTokens: 3999}, "less than the minimum of 4000"},
		{"a long answer", longterm.PromoterOptions{InputTokens: 8000, AnswerTokens: 2001}, "quarter"},
		{"no answer", longterm.PromoterOptions{AnswerTokens: -1}, "quarter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := longterm.NewPromoter(memory, &tc.opts)
			require.ErrorContains(t, err, tc.want)
		})
	}
	_, err = longterm.NewPromoter(nil, nil)
	require.Error(t, err)
}

func TestWants(t *testing.T) {
	t.Parallel()
	type wants = sessiondriver.Wants
	model := &longterm.PromoterOptions{Model: scripted.Answers("")}
	for _, tc := range []struct {
		name     string
		opts     *longterm.PromoterOptions
		strategy *session.StrategyConfig
		want     wants
		any      wants
	}{
		{"nothing", nil, nil, wants{}, wants{Entities: true}},
		{"messages", keeping, nil, wants{Messages: true}, wants{Messages: true, Entities: true}},
		{"entities", nil, by("entities"), wants{Entities: true}, wants{Entities: true}},
		{"entities always", &longterm.PromoterOptions{Entities: true}, nil, wants{Entities: true}, wants{Entities: true}},
		{"with a model", model, by("discrete"), wants{Extract: true}, wants{Extract: true, Entities: true}},
		{"no strategy, with a model", model, nil, wants{Extract: true}, wants{Extract: true, Entities: true}},
		{"a model for those that ask for it", &longterm.PromoterOptions{Model: scripted.Answers(""), Strategy: by("entities")}, nil, wants{Entities: true}, wants{Extract: true, Entities: true}},
		{"the default", &longterm.PromoterOptions{Model: scripted.Answers(""), Strategy: by("summary"), Entities: true}, nil, wants{Extract: true, Entities: true}, wants{Extract: true, Entities: true}},
		{"without a model", nil, by("preferences"), wants{Entities: true}, wants{Entities: true}},
		{"custom", model, custom("{message}"), wants{Extract: true}, wants{Extract: true, Entities: true}},
		{"custom without messages", model, custom("x"), wants{}, wants{Extract: true, Entities: true}},
		{"custom that is no text", model, custom(7), wants{}, wants{Extract: true, Entities: true}},
		{"custom without end", model, custom(strings.Repeat("x", 8001) + "{message}"), wants{}, wants{Extract: true, Entities: true}},
		{"unknown", model, by("telepathy"), wants{}, wants{Extract: true, Entities: true}},
		{"the caller's", &longterm.PromoterOptions{Strategies: map[string]longterm.Strategy{"mine": ownStrategy(nil)}}, by("mine"), wants{Extract: true}, wants{Extract: true, Entities: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, _ := newPromoter(t, tc.opts)
			assert.Equal(t, tc.want, p.Wants(tc.strategy, false))
			assert.Equal(t, tc.any, p.Wants(nil, true))
		})
	}
}

func TestAStrategyThatCannotBeUsedIsReportedOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p, _ := newPromoter(t, &longterm.PromoterOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		p.Wants(by("telepathy"), false)
		p.Wants(custom("secret"), false)
	}
	assert.Equal(t, 2, strings.Count(log.String(), "\n"))
	assert.Contains(t, log.String(), "telepathy")
	assert.NotContains(t, log.String(), "secret")
	for i := range 1000 {
		p.Wants(by(fmt.Sprint("name ", i)), false)
	}
	assert.Less(t, strings.Count(log.String(), "\n"), 200, "names are what clients write")

	require.ErrorIs(t, p.Check(by("telepathy")), longterm.ErrStrategy)
	err := p.Check(custom("secret"))
	require.ErrorIs(t, err, longterm.ErrStrategy)
	require.ErrorIs(t, err, prompt.ErrExtractionTemplate)
	require.NoError(t, p.Check(by("discrete")), "without a model it is entities that are extracted")
	require.NoError(t, p.Check(nil))
	_, err = p.Extract(t.Context(), extraction(by("telepathy"), "x"))
	require.ErrorIs(t, err, longterm.ErrStrategy)
}

func TestPromoteMemories(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, nil)
	memories := []session.Record{
		{ID: "plain", Text: "Anna likes aisle seats."},
		{ID: "own session", Text: "Anna has a dog.", SessionID: "s-0", Type: session.RecordEpisodic, Metadata: map[string]any{"n": 1}},
		{ID: "her own", Text: "Anna is a pilot.", Namespace: "shop", UserID: "anna"},
		{ID: "of Bert", Text: "Bert is a spy.", UserID: "bert"},
		{ID: "of the bank", Text: "Anna is rich.", Namespace: "bank"},
		{ID: "blank", Text: " "},
		{Text: "no id"},
		{ID: "type", Text: "x", Type: "telepathic"},
		{ID: strings.Repeat("long", longtermdriver.MaxIDBytes), Text: "x"},
		{ID: "large", Text: strings.Repeat("x", longtermdriver.MaxTextBytes+1)},
		{ID: "bytes", Text: "\xff"},
	}
	promotion := sessiondriver.PromoteRequest{Key: annas, Memories: memories, Now: monday}
	for range 3 {
		done, err := p.Promote(t.Context(), promotion)
		require.NoError(t, err)
		assert.Equal(t, []string{"plain", "own session", "her own"}, done.Memories)
		assert.Equal(t, []string{"of Bert", "of the bank", "blank", "", "type", strings.Repeat("long", longtermdriver.MaxIDBytes), "large", "bytes"}, done.Refused)
		promotion.Now = promotion.Now.Add(time.Hour)
	}
	everyone, err := m.Search(t.Context(), longterm.Everyone(), longterm.Query{NoTouch: true})
	require.NoError(t, err)
	assert.Equal(t, 3, everyone.Total)
	records := make(map[string]longterm.Record)
	for _, r := range all(t, m, annas) {
		assert.Equal(t, monday.Truncate(time.Microsecond), r.PersistedAt, "of the first time")
		records[r.ID] = r
	}
	assert.Equal(t, "s-1", records["plain"].SessionID)
	assert.Equal(t, "s-0", records["own session"].SessionID)
	assert.Empty(t, memories[0].SessionID, "what was given is not changed")
}

func TestPromoteMemoriesWithOneIDOnce(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, nil)
	done, err := p.Promote(t.Context(), sessiondriver.PromoteRequest{Key: annas, Memories: []session.Record{{ID: "a", Text: "first"}, {ID: "a", Text: "second"}}, Now: monday})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, done.Memories)
	records := all(t, m, annas)
	require.Len(t, records, 1)
	assert.Equal(t, "second", records[0].Text)
}

func TestMemoriesAreKeptOnceWhateverFails(t *testing.T) {
	t.Parallel()
	var memories []session.Record
	for i := range 350 {
		memories = append(memories, session.Record{ID: fmt.Sprint("id ", i), Text: fmt.Sprint("fact ", i)})
	}
	for _, broken := range []*brokenIndex{{before: 3}, {after: 3}, {before: 2, after: 2}} {
		t.Run(fmt.Sprintf("%d before and %d after", broken.before, broken.after), func(t *testing.T) {
			t.Parallel()
			broken.Index = memindex.New(nil)
			p, m := promoterOn(t, broken, nil)
			pending := memories
			failures := 0
			for len(pending) > 0 {
				done, err := p.Promote(t.Context(), sessiondriver.PromoteRequest{Key: annas, Memories: pending, Now: monday})
				pending = pending[len(done.Memories):]
				if err != nil {
					require.ErrorIs(t, err, longterm.ErrUnavailable)
					failures++
				}
			}
			assert.Positive(t, failures)
			assert.Len(t, all(t, m, annas), len(memories))
		})
	}
}

// brokenEmbedder fails the first calls.
type brokenEmbedder struct{ failures int }

func (b *brokenEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if b.failures > 0 {
		b.failures--
		return nil, errors.New("no connection")
	}
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = []float32{float32(i + 1), 1}
	}
	return vectors, nil
}

func (*brokenEmbedder) Model() string { return "broken" }

func TestPromotingGoesOnWhenTheEmbedderDoes(t *testing.T) {
	t.Parallel()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{Embedder: &brokenEmbedder{failures: 4}, MergeDistance: -1})
	require.NoError(t, err)
	p, err := longterm.NewPromoter(memory, keeping)
	require.NoError(t, err)
	promotion := sessiondriver.PromoteRequest{Key: annas, Memories: []session.Record{{ID: "a", Text: "b"}}, Messages: numbered(2, "m"), Now: monday}
	for range 2 {
		done, err := p.Promote(t.Context(), promotion)
		require.ErrorIs(t, err, longterm.ErrEmbedder)
		assert.Equal(t, sessiondriver.PromoteResult{}, done)
	}
	done, err := p.Promote(t.Context(), promotion)
	require.NoError(t, err)
	assert.Equal(t, sessiondriver.PromoteResult{Memories: []string{"a"}, Messages: 2}, done)
	assert.Len(t, all(t, memory, annas), 1)
}
