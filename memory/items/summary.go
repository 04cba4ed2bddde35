package items

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// Selection selects the items of a summary. The zero value is SelectAll.
type Selection string

const (
	// SelectAll selects all items.
	SelectAll Selection = "all"
	// SelectRecent selects the items in the recency window.
	SelectRecent Selection = "recent"
	// SelectImportant selects the items of Options.HighImportance or more.
	SelectImportant Selection = "important"

	selectTagPrefix = "by_tag:"
)

// SelectTag selects the items with a tag: it returns "by_tag:" followed by tag, which
// must not be empty.
func SelectTag(tag string) Selection { return Selection(selectTagPrefix + tag) }

// Summary is a summary of items.
type Summary struct {
	Text string
	// Tokens is the number of tokens of Text, by the store's counter.
	Tokens int
	// Sources are the ids of the summarized items, oldest first.
	Sources []string
	// ModelErr is the error of the Summarizer, nil if it wrote the summary or is not
	// set.
	ModelErr error
}

// Summarize returns a summary of the selected items, without those that were forgotten
// softly, in at most maxTokens. It is empty if there are no items or maxTokens is 0 or
// less.
//
// Without a Summarizer, the summary has a line "type: text" for each item, oldest first.
// It contains the identifiers of all items (words with a digit, such as W123 or a UUID)
// exactly as in the items. If they do not all fit, those of the items that Remember
// would return first are kept. The remaining room is given to whole texts or single
// sentences, in the same order.
//
// A Summarizer receives these lines and is called without holding a lock. Identifiers
// that it drops are added as a last line; if the result is too long, it is reduced to
// sentences. If it fails or returns a blank text, the summary is written without it.
//
// Errors: ErrSelection.
func (s *Store) Summarize(ctx context.Context, selection Selection, maxTokens int) (Summary, error) {
	op := s.begin(ctx, opSummarize)
	kind, tag, err := selection.parse()
	op.addDetail("selection", string(kind))
	var summary Summary
	if err == nil {
		summary = s.policy.summarize(ctx, s.selected(op.now, kind, tag), maxTokens)
	}
	op.record.Items, op.record.Tokens, op.record.Err = len(summary.Sources), summary.Tokens, auditable(summary.ModelErr)
	op.end(err)
	return summary, err
}

// parse returns the kind of a selection, which is "by_tag:" for all tags, and the tag.
func (sel Selection) parse() (kind Selection, tag string, err error) {
	switch sel {
	case "":
		return SelectAll, "", nil
	case SelectAll, SelectRecent, SelectImportant:
		return sel, "", nil
	}
	if tag, ok := strings.CutPrefix(string(sel), selectTagPrefix); ok && tag != "" {
		return selectTagPrefix, tag, nil
	}
	return "", "", ErrSelection
}

// selected returns a snapshot of the selected items, oldest first.
func (s *Store) selected(now moment, kind Selection, tag string) []Item {
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
		case kind == selectTagPrefix:
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
	text, err := p.callSummarizer(ctx, items, maxTokens)
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

// extract returns a summary written without a model.
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

// byWeight returns the indexes of items, ordered by rank.
func byWeight(items []Item) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return byRank(items[a], items[b]) })
	return order
}

// callSummarizer returns a summary written by the Summarizer, with the identifiers that
// it dropped, in at most maxTokens.
func (p *itemPolicy) callSummarizer(ctx context.Context, items []Item, maxTokens int) (string, error) {
	lines := make([]string, len(items))
	for i := range items {
		lines[i] = string(items[i].Type) + ": " + items[i].Text
	}
	ids := identifiers(items)
	// Reserve room for all identifiers, in case it drops them, but at most half.
	budget := max(maxTokens-p.Counter.CountTokens("\n"+identifierLine(ids)), (maxTokens+1)/2)
	text, err := p.Summarizer.Summarize(ctx, lines, budget)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(cloneValid(text))
	if text == "" {
		return "", errors.New("empty summary")
	}
	return p.complete(text, ids, maxTokens), nil
}

// identifiers returns the distinct identifiers of all items, by weight.
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

// complete adds the identifiers that a summary lacks and reduces it to maxTokens.
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
