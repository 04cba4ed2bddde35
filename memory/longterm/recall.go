package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Defaults of RecallOptions.
const (
	// DefaultRecallLimit is the number of notes that Recall returns.
	DefaultRecallLimit = 5
	// DefaultRecallDistance is the largest distance of a note that shares no word with what was said.
	DefaultRecallDistance = 0.8
)

// RecallOptions configures Memory.Recall. If nil, the defaults apply.
type RecallOptions struct {
	// Limit is the largest number of notes to return, up to MaxPage. 0 means
	// DefaultRecallLimit.
	Limit int
	// Filter restricts what is recalled. Messages are left out unless it has a condition
	// on the Type.
	Filter RecordFilter
	// MaxDistance is the largest distance, as 1 − cosine, between what was said and a note
	// that shares no word with it. Without a limit, every question would have a nearest
	// note. If nil, DefaultRecallDistance applies, which is cautious with most models;
	// 2 disables the limit.
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
	limit, distance := cmp.Or(opts.Limit, DefaultRecallLimit), DefaultRecallDistance
	if opts.MaxDistance != nil {
		distance = *opts.MaxDistance
	}
	if limit < 0 || limit > MaxPage || opts.MinScore != opts.MinScore || !(distance >= 0) {
		return nil, nil, refused("a limit, distance or score is out of bounds")
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
	results, err := m.search(ctx, scope, Query{Text: said, Filter: filter, Recency: &recency, Limit: min(spare*limit, MaxPage)})
	if err != nil {
		return nil, nil, err
	}
	found := slices.DeleteFunc(results.Hits, func(hit Hit) bool {
		return hit.Score < opts.MinScore || hit.Keyword == 0 && 1-hit.Similarity > distance
	})
	items, hits := notes(found, limit)
	return items, hits, nil
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
