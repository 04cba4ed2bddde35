package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Defaults of RecallOptions.
const (
	// DefaultRecallLimit is the number of notes that Recall returns.
	DefaultRecallLimit = 5
	// DefaultRecallDistance is the largest distance of a note that shares too few words with what was
	// said.
	DefaultRecallDistance = 0.8
	// DefaultRecallWords is the share of the words that a note must exceed: a word of two is enough, a
	// word of three is not.
	DefaultRecallWords = 1.0 / 3
)

// RecallOptions configures Memory.Recall. If nil, the defaults apply.
type RecallOptions struct {
	// Limit is the largest number of notes to return, up to MaxPage. 0 means
	// DefaultRecallLimit.
	Limit int
	// Filter restricts what is recalled. Messages are left out unless it has a condition
	// on the Type.
	Filter RecordFilter
	// MinWords is the share of the words of what was said, from 0 to 1, that a note must exceed
	// to be recalled for its words. Words such as "which" do not count, and an identifier that
	// both have is always enough. 0 means DefaultRecallWords; with a negative value, one word
	// is enough.
	MinWords float64
	// MaxDistance is the largest distance, as 1 − cosine, between what was said and a note
	// that shares too few words with it. Without a limit, every question would have a nearest
	// note. If nil, that of a TunedEmbedder applies, otherwise DefaultRecallDistance, which
	// is cautious with most models; 2 disables the limit.
	MaxDistance *float64
	// MinScore is the lowest score of a note, from 0 to 1; 0 disables the limit. With
	// the default Recency, freshness contributes up to 0.2. In a search by keywords alone,
	// the best hit always has the best match, however poorly it fits: only an Embedder
	// makes scores of different searches comparable.
	MinScore float64
	// Recency is that of the search. If nil, DefaultRecency applies.
	Recency *Recency
	// NoTouch prevents the results from being noted as used.
	NoTouch bool
}

// DefaultRecency returns the Recency of Memory.Recall:
// 0.8·match + 0.2·(0.6·2^(−access/7 days) + 0.4·2^(−age/30 days)).
func DefaultRecency() Recency {
	const day = 24 * time.Hour
	return Recency{Match: 0.8, Fresh: 0.2, Access: 0.6, Age: 0.4, HalfAccess: 7 * day, HalfAge: 30 * day}
}

// Recall returns the records that fit what was said as notes for the block, the best
// first: episodes as observations, all others as facts. The ID of a note is the record's,
// its Timestamp the time of the event, if known, or of the record, its Importance the
// score, from 0 to 1, and its Position its place in order of time. No text occurs twice. If
// said is blank, nothing is recalled. Recall notes the use of what it returns. Errors: those
// of Search.
func (m *Memory) Recall(ctx context.Context, scope Scope, said string, opts *RecallOptions) ([]items.Item, error) {
	if opts == nil {
		opts = &RecallOptions{}
	}
	items, hits, err := m.recall(ctx, scope, said, *opts)
	if err != nil {
		return nil, fmt.Errorf("longterm: recalling: %w", err)
	}
	if !opts.NoTouch {
		m.touch(ctx, hits)
	}
	return items, nil
}

// RecallFor is Recall for the user of a session, with the default options, in the form of
// SessionsOptions.Recall of package middleware. It recalls the memories of all sessions
// that have the same namespace and user. Sessions that must not share memories need keys
// with different users.
func (m *Memory) RecallFor(ctx context.Context, key session.Key, said string) ([]items.Item, error) {
	return m.Recall(ctx, Of(key.Namespace, key.UserID), said, nil)
}

func (m *Memory) recall(ctx context.Context, scope Scope, said string, opts RecallOptions) ([]items.Item, []Hit, error) {
	limit, distance := cmp.Or(opts.Limit, DefaultRecallLimit), m.Tuning().RecallDistance
	if opts.MaxDistance != nil {
		distance = *opts.MaxDistance
	}
	if limit < 0 || limit > MaxPage || opts.MinScore != opts.MinScore || !(distance >= 0) || !(opts.MinWords <= 1) {
		return nil, nil, refused("a limit, distance, score or share of words is out of bounds")
	}
	if strings.TrimSpace(said) == "" {
		return nil, nil, m.check(scope)
	}
	recency := DefaultRecency()
	if opts.Recency != nil {
		recency = *opts.Recency
	}
	filter := opts.Filter
	if filter.Type == nil {
		filter.Type = &TextCondition{Ne: new(string(session.RecordMessage))}
	}
	const spare = 4 // for the same text in several sessions
	results, err := m.search(ctx, scope, Query{Text: said, Filter: filter, Recency: &recency, Limit: min(spare*limit, MaxPage), noTotal: true})
	if err != nil {
		return nil, nil, err
	}
	asked := questionOf(said)
	found := slices.DeleteFunc(results.Hits, func(hit Hit) bool {
		near := hit.Compared && 1-hit.Similarity <= distance
		return hit.Score < opts.MinScore || !near && !asked.saidIn(&hit, cmp.Or(opts.MinWords, DefaultRecallWords))
	})
	items, hits := notes(found, limit)
	return items, hits, nil
}

// question holds the terms of what was said, by word.
type question [][]string

func questionOf(said string) question { return driver.QueryWords(ending(said, maxQuestion)) }

// saidIn reports whether a hit has more than a share of the words of a question, or an identifier.
func (q question) saidIn(hit *Hit, share float64) bool {
	if hit.Keyword == 0 || share < 0 {
		return hit.Keyword > 0
	}
	terms := map[string]bool{}
	for _, term := range driver.RecordTerms(&hit.Record) {
		terms[term] = true
	}
	common := 0
	for _, forms := range q {
		if !slices.ContainsFunc(forms, func(term string) bool { return terms[term] }) {
			continue
		}
		if common++; isIdentifier(forms[0]) {
			return true
		}
	}
	return float64(common) > share*float64(len(q))
}

// isIdentifier reports whether a term has digits and is not a short number, such as a year.
func isIdentifier(term string) bool {
	return strings.ContainsAny(term, "0123456789") && (len(term) > 4 || strings.Trim(term, "0123456789") != "")
}

// notes converts hits to notes, and returns the hits that it kept.
func notes(found []Hit, limit int) ([]items.Item, []Hit) {
	var items []items.Item
	var hits []Hit
	texts := map[string]bool{}
	for i := range found {
		hit := &found[i]
		text := strings.TrimSpace(hit.Record.Text)
		if len(items) == limit || text == "" || texts[text] {
			continue
		}
		texts[text] = true
		items, hits = append(items, noteOf(&hit.Record, text, hit.Score)), append(hits, *hit)
	}
	placeByTime(items)
	return items, hits
}

func noteOf(r *Record, text string, score float64) items.Item {
	item := items.Item{
		ID: r.ID, Type: items.TypeFact, Text: text, Timestamp: r.CreatedAt, Importance: max(0, min(score, 1)),
	}
	if !r.EventDate.IsZero() {
		item.Timestamp = r.EventDate
	}
	switch r.Type {
	case session.RecordEpisodic:
		item.Type = items.TypeObservation
	case session.RecordMessage:
		item.Type = items.TypeConversation
	}
	return item
}

// placeByTime sets the positions of items in order of time.
func placeByTime(items []items.Item) {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return items[a].Timestamp.Compare(items[b].Timestamp) })
	for position, i := range order {
		items[i].Position = position
	}
}
