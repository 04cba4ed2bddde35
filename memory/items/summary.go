package items

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// Selection says which items a summary is of.
type Selection string

const (
	// SelectAll is all items; so is "".
	SelectAll Selection = "all"
	// SelectRecent is those inside the recency window.
	SelectRecent Selection = "recent"
	// SelectImportant is those of Options.HighImportance or more.
	SelectImportant Selection = "important"

	scopeTag = "by_tag:"
)

// SelectTag is the items that have a tag, which must not be empty: "by_tag:" and
// the tag.
func SelectTag(tag string) Selection { return Selection(scopeTag + tag) }

// Summary is a summary of items.
type Summary struct {
	Text string
	// Tokens are those of Text, by the store's counter.
	Tokens int
	// Sources are the ids of the items it is of, oldest first.
	Sources []string
	// ModelErr is why the Summarizer did not write it, nil if it did or there is
	// none.
	ModelErr error
}

// Summarize returns a summary of the items of a selection, without those that were
// forgotten softly. It has at most maxTokens; without items, and for 0 or less,
// it is empty.
//
// Without a Summarizer it has a line for each item, oldest first, "type: text".
// The identifiers of all items (words with a digit, such as W123 or a UUID) are
// in it as they stand in the items, or if that is too much, those of the items
// that Remember would return first. The rest of the room is for texts, all of one
// or some of its sentences, in the same order.
//
// A Summarizer gets these lines, while the store is not locked. The identifiers
// that its summary does not have are added as a last line; what is too long then
// is cut down to sentences. Where it fails or writes nothing, the summary is made
// without it.
//
// Errors: ErrSelection.
func (s *Store) Summarize(ctx context.Context, scope Selection, maxTokens int) (Summary, error) {
	op := s.begin(ctx, opSummarize)
	kind, tag, err := scope.parse()
	op.detail("scope", string(kind))
	var summary Summary
	if err == nil {
		summary = s.policy.summarize(ctx, s.inScope(op.now, kind, tag), maxTokens)
	}
	op.record.Items, op.record.Tokens, op.record.Err = len(summary.Sources), summary.Tokens, auditable(summary.ModelErr)
	op.end(err)
	return summary, err
}

// parse returns the kind of a selection, "by_tag:" for all tags.
func (scope Selection) parse() (kind Selection, tag string, err error) {
	switch scope {
	case "":
		return SelectAll, "", nil
	case SelectAll, SelectRecent, SelectImportant:
		return scope, "", nil
	}
	if tag, ok := strings.CutPrefix(string(scope), scopeTag); ok && tag != "" {
		return scopeTag, tag, nil
	}
	return "", "", ErrSelection
}

// inScope returns a snapshot of the items of a selection, oldest first.
func (s *Store) inScope(now moment, kind Selection, tag string) []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(now)
	return slices.Collect(s.items.filtered(func(it *Item) bool {
		switch {
		case it.Deleted:
			return false
		case kind == SelectRecent:
			return s.policy.isRecent(it, s.items.now)
		case kind == SelectImportant:
			return it.Importance >= s.policy.HighImportance
		case kind == scopeTag:
			return slices.Contains(it.Tags, tag)
		default:
			return true
		}
	}))
}

func (p *itemPolicy) summarize(ctx context.Context, items []Item, maxTokens int) Summary {
	if len(items) == 0 || maxTokens <= 0 {
		return Summary{}
	}
	if p.Summarizer == nil {
		return p.extract(items, maxTokens)
	}
	text, err := p.write(ctx, items, maxTokens)
	if err != nil {
		summary := p.extract(items, maxTokens)
		summary.ModelErr = &calleeError{callee: "summarizer", err: err}
		return summary
	}
	summary := Summary{Text: text, Tokens: p.Counter.CountTokens(text)}
	for i := range items {
		summary.Sources = append(summary.Sources, items[i].ID)
	}
	return summary
}

// extract makes a summary without a model.
func (p *itemPolicy) extract(items []Item, maxTokens int) Summary {
	x := extraction{limit: maxTokens, counter: p.Counter}
	for i := range items {
		x.add(string(items[i].Type)+": ", items[i].Text)
	}
	for _, i := range byWeight(items) {
		x.weigh(i)
	}
	var (
		summary Summary
		sources []int
	)
	summary.Text, summary.Tokens, sources = x.summary()
	for _, i := range sources {
		summary.Sources = append(summary.Sources, items[i].ID)
	}
	return summary
}

// byWeight returns the places of items, that which ranks first first.
func byWeight(items []Item) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return byRank(items[a], items[b]) })
	return order
}

// write has the Summarizer write a summary, and keeps it from losing identifiers
// and from being too long.
func (p *itemPolicy) write(ctx context.Context, items []Item, maxTokens int) (string, error) {
	lines := make([]string, len(items))
	for i := range items {
		lines[i] = string(items[i].Type) + ": " + items[i].Text
	}
	ids := identifiers(items)
	// Room for all identifiers, in case that it drops them, but not all the room.
	budget := max(maxTokens-p.Counter.CountTokens("\n"+identifierLine(ids)), (maxTokens+1)/2)
	text, err := p.Summarizer.Summarize(ctx, lines, budget)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(mended(text))
	if text == "" {
		return "", errors.New("it wrote nothing")
	}
	return p.complete(text, ids, maxTokens), nil
}

// identifiers returns those of all items, without repetitions, by weight.
func identifiers(items []Item) []string {
	var ids []string
	seen := map[string]bool{}
	for _, i := range byWeight(items) {
		for id := range plaintext.Identifiers(items[i].Text) {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

const identifierLabel = "identifiers: "

func identifierLine(ids []string) string { return identifierLabel + strings.Join(ids, ", ") }

// complete adds the identifiers that a summary does not have, and cuts down what
// is too long.
func (p *itemPolicy) complete(text string, ids []string, maxTokens int) string {
	written := map[string]bool{}
	for id := range plaintext.Identifiers(text) {
		written[id] = true
	}
	dropped := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return written[id] })
	whole := text
	if len(dropped) > 0 {
		whole += "\n" + identifierLine(dropped)
	}
	if p.Counter.CountTokens(whole) <= maxTokens {
		return whole
	}
	x := extraction{limit: maxTokens, counter: p.Counter}
	x.add("", text)
	x.add(identifierLabel, "")
	for _, id := range ids {
		x.claimIdentifier(1, id)
	}
	x.weigh(0)
	text, _, _ = x.summary()
	return text
}
