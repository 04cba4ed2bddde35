package memory

import (
	"context"
	"slices"
)

// ItemFilter says which items Remember looks at. Its zero value lets all pass.
type ItemFilter struct {
	// AgentID is the agent the items belong to; "" means any.
	AgentID string
	// AnyTag is tags of which an item has at least one, AllTags those of which it
	// has each; none means any.
	AnyTag, AllTags []string
	// Type is the type of the items; "" means any.
	Type ItemType
	// MinStep and MaxStep are the first and the last step they came about in; nil
	// means any.
	MinStep, MaxStep *int
	// MinImportance is the least importance they have.
	MinImportance float64
}

func (f *ItemFilter) matches(it *Item) bool {
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
// at the last position. What was forgotten softly is not among them. A prompt of
// nothing but spaces finds all. It is no error if there is none.
func (s *ItemStore) Remember(ctx context.Context, prompt string, f ItemFilter, limit int) ([]Item, error) {
	op := s.begin(ctx, OpRemember)
	items, err := s.remember(ctx, prompt, f, limit)
	op.record.Items, op.record.Tokens = len(items), tokensOf(items)
	op.end(err)
	return items, err
}

func (s *ItemStore) remember(_ context.Context, _ string, f ItemFilter, limit int) ([]Item, error) {
	_, items := s.snapshot(func(it *Item) bool { return !it.Deleted && f.matches(it) })
	if limit <= 0 {
		limit = len(items)
	}
	items = foremost(slices.Values(items), limit)
	for i := range items {
		items[i] = items[i].copy()
	}
	return items, nil
}

func tokensOf(items []Item) int {
	tokens := 0
	for i := range items {
		tokens += items[i].Tokens
	}
	return tokens
}
