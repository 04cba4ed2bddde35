package items

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Criteria selects the items that Remember considers. The zero value selects all.
type Criteria struct {
	// AgentID is the agent of the items. If empty, any agent matches.
	AgentID string
	// An item must have at least one tag of AnyTag, unless that is empty, and all tags of
	// AllTags.
	AnyTag, AllTags []string
	// Type is the type of the items. If empty, any type matches.
	Type Type
	// MinStep and MaxStep are the first and the last step of the items. If nil, any
	// step matches.
	MinStep, MaxStep *int
	// MinImportance is the minimum importance of the items.
	MinImportance float64
}

func (f *Criteria) matches(it *Item) bool {
	hasTag := func(tag string) bool { return slices.Contains(it.Tags, tag) }
	lacksTag := func(tag string) bool { return !hasTag(tag) }
	return (f.AgentID == "" || it.AgentID == f.AgentID) &&
		(f.Type == "" || it.Type == f.Type) &&
		(f.MinStep == nil || it.StepIndex >= *f.MinStep) &&
		(f.MaxStep == nil || it.StepIndex <= *f.MaxStep) &&
		it.Importance >= f.MinImportance &&
		(len(f.AnyTag) == 0 || slices.ContainsFunc(f.AnyTag, hasTag)) &&
		!slices.ContainsFunc(f.AllTags, lacksTag)
}

// Remember returns the items that match the criteria and are relevant to a prompt, at
// most limit, or all if limit is 0 or less. They are ordered by importance, then by
// step, time and position, highest first. Items that were forgotten softly are excluded.
// The result may be empty.
//
// A blank prompt matches all items. Otherwise the Scorer of the options decides. Without
// a Scorer, an item matches if its text or tags share a word of at least three letters
// with the prompt, or an identifier, or, in scripts without spaces between words, a
// few consecutive letters. Case is ignored, and so are the plural s and common endings
// in German and Russian. Stop words such as "what" and "the", in several languages, do
// not count. Neither do words that occur in more than half of four or more items, unless
// the prompt has no others. A prompt of stop words matches nothing.
//
// The error is that of the Scorer, which is called without holding a lock.
func (s *Store) Remember(ctx context.Context, prompt string, f Criteria, limit int) ([]Item, error) {
	op := s.begin(ctx, opRemember)
	items, err := s.remember(ctx, prompt, &f, limit)
	op.record.Items, op.record.Tokens = len(items), tokensOf(items)
	op.end(err)
	return items, err
}

func (s *Store) remember(ctx context.Context, prompt string, f *Criteria, limit int) ([]Item, error) {
	if limit <= 0 {
		limit = s.policy.MaxItems
	}
	keep := func(it *Item) bool { return !it.Deleted && f.matches(it) }
	if strings.TrimSpace(prompt) == "" {
		return s.foremost(keep, limit), nil
	}
	items, err := s.relevant(ctx, prompt, s.snapshot(keep))
	if err != nil {
		return nil, err
	}
	return copies(foremost(slices.Values(items), limit)), nil
}

// foremost returns copies of the first n items by rank for which keep returns true.
func (s *Store) foremost(keep func(*Item) bool, n int) []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copies(foremost(s.items.filtered(keep), n))
}

// relevant returns the items that are relevant to a prompt.
func (s *Store) relevant(ctx context.Context, prompt string, items []Item) ([]Item, error) {
	if len(items) == 0 {
		return nil, nil
	}
	scorer, scored := Scorer(lexicalScorer{}), items
	if s.policy.Scorer != nil {
		scorer, scored = s.policy.Scorer, copies(slices.Clone(items))
	}
	scores, err := scorer.Score(ctx, prompt, scored)
	if err == nil && len(scores) != len(items) {
		err = fmt.Errorf("%d scores for %d items", len(scores), len(items))
	}
	if err != nil {
		return nil, &calleeError{callee: "scorer", err: err}
	}
	found := items[:0]
	for i, score := range scores {
		if score > 0 {
			found = append(found, items[i])
		}
	}
	return found, nil
}

// Notable returns the first n items that Remember would return for an empty prompt, or
// none if n <= 0. It is not audited.
func (s *Store) Notable(n int) []Item {
	if n <= 0 {
		return nil
	}
	return s.foremost(func(it *Item) bool { return !it.Deleted }, n)
}

// copies replaces the items of a snapshot with copies for a caller.
func copies(items []Item) []Item {
	for i := range items {
		items[i] = items[i].copy()
	}
	return items
}

func tokensOf(items []Item) int {
	tokens := 0
	for i := range items {
		tokens += items[i].Tokens
	}
	return tokens
}
