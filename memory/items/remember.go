package items

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Criteria says which items Remember looks at. Its zero value lets all pass.
type Criteria struct {
	// AgentID is the agent the items belong to; "" means any.
	AgentID string
	// AnyTag is tags of which an item has at least one, AllTags those of which it
	// has each; none means any.
	AnyTag, AllTags []string
	// Type is the type of the items; "" means any.
	Type Type
	// MinStep and MaxStep are the first and the last step they came about in; nil
	// means any.
	MinStep, MaxStep *int
	// MinImportance is the least importance they have.
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

// Remember returns up to limit of the items that pass a filter and are relevant
// to a prompt, or all of them for a limit of 0 or less: the most important first,
// then the most recent (of the latest step, then the latest time), then the one
// at the last position. What was forgotten softly is not among them. It is no
// error if there is none.
//
// A prompt of nothing but spaces finds all. Without a Scorer another one finds
// the items that share a word of at least three letters with it, in their text or
// tags, or an identifier as it stands there; of scripts without spaces between
// words, a few letters in a row. Case does not matter, nor does the s of a plural
// or another common ending in German or Russian. Words such as "what" and "the" do
// not count, in several languages, nor do those that more than half of the items
// have (if they are four or more) where the prompt has others. What nothing is
// left of finds nothing.
//
// The error is that of the Scorer, which runs while the store is not locked.
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

// foremost returns those of the items that a filter keeps that rank first.
func (s *Store) foremost(keep func(*Item) bool, n int) []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copies(foremost(s.items.filtered(keep), n))
}

// relevant returns the items that the Scorer, or what they say, finds relevant.
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
		err = errors.New("not one score for each item")
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

// Notable returns the n items that Remember would return first for an empty
// prompt; none for n <= 0. It is not an operation, and is not audited.
func (s *Store) Notable(n int) []Item {
	if n <= 0 {
		return nil
	}
	return s.foremost(func(it *Item) bool { return !it.Deleted }, n)
}

// copies makes items of a snapshot ones that a caller may have.
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
