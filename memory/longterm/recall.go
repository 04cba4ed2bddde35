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
	// DefaultRecallLimit is how many notes Recall returns.
	DefaultRecallLimit = 5
	// DefaultRecallDistance is how far a note may be that has no word of what was said.
	DefaultRecallDistance = 0.8
)

// RecallOptions say what Memory.Recall returns. nil means the defaults.
type RecallOptions struct {
	// Limit is how many notes are returned at most, up to MaxPage. 0 means
	// DefaultRecallLimit.
	Limit int
	// Filter narrows what is recalled. Without a condition on the Type, messages are
	// left out.
	Filter RecordFilter
	// MaxDistance is how far a note may be from what was said, as 1 − cosine, if it has
	// no word of it: whatever is asked, something is nearest. nil means
	// DefaultRecallDistance, which is cautious with most models; 2 lets all pass.
	MaxDistance *float64
	// MinScore is what a note must score at least, from 0 to 1; 0 lets all pass. With
	// the default Recency the freshness of a record makes up to 0.2 of its score. Of what
	// is found by keywords alone the best has the best match, however little it fits:
	// what fits is told from what does not only with an Embedder.
	MinScore float64
	// Recency is that of the search. nil means DefaultRecency.
	Recency *Recency
	// NoTouch says that recalling a record is no use of it.
	NoTouch bool
}

// DefaultRecency is that of Memory.Recall:
// 0.8·match + 0.2·(0.6·2^(−access/7 days) + 0.4·2^(−age/30 days)).
func DefaultRecency() Recency {
	const day = 24 * time.Hour
	return Recency{Match: 0.8, Fresh: 0.2, Access: 0.6, Age: 0.4, HalfAccess: 7 * day, HalfAge: 30 * day}
}

// Recall returns what fits to what was said, as notes for the block, the best first:
// facts, and of episodes observations. The ID is the record's, the Timestamp that of
// the event, if it is known, or of the record, and Importance the score, from 0 to 1.
// Their Positions are in the order of time. The same text comes once. Where nothing
// was said, nothing is recalled. That a record was recalled is noted as its use. Errors:
// as of Search.
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

// RecallFor is Recall for the user of a session, with the default options: it fits
// SessionsOptions.Recall of package middleware as it is. What a session is recalled is
// not its own alone, but that of all sessions of its namespace and user. So sessions
// that are to know nothing of each other need keys with different users.
func (m *Memory) RecallFor(ctx context.Context, key session.Key, said string) ([]items.Item, error) {
	return m.Recall(ctx, Of(key.Namespace, key.UserID), said, nil)
}

func (m *Memory) recall(ctx context.Context, scope Scope, said string, opts RecallOptions) ([]items.Item, []Hit, error) {
	limit, distance := cmp.Or(opts.Limit, DefaultRecallLimit), DefaultRecallDistance
	if opts.MaxDistance != nil {
		distance = *opts.MaxDistance
	}
	if limit < 0 || limit > MaxPage || opts.MinScore != opts.MinScore || !(distance >= 0) {
		return nil, nil, refused("a limit, a distance or a score out of bounds")
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
	const spare = 4 // for texts that are the same in several sessions
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

// notes makes notes of hits, and returns the hits they are of.
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

// placeByTime sets the positions of items.
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
