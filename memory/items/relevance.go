package items

import (
	"context"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// Scorer decides which items are relevant to a prompt, for example by embeddings. It
// must be safe for concurrent use.
type Scorer interface {
	// Score returns a score for each item, in order. An item with a score above 0 is
	// relevant. There is at least one item, the items are copies, and the prompt is not
	// blank.
	Score(ctx context.Context, prompt string, items []Item) ([]float64, error)
}

// minCommonItems is the smallest number of items among which a frequent term is ignored.
const minCommonItems = 4

// lexicalScorer finds items with terms of the prompt in their text or tags. It needs no
// index and no network.
type lexicalScorer struct{}

var _ Scorer = lexicalScorer{}

// Score counts the terms that an item shares with the prompt. Terms without a digit that
// occur in more than half of at least minCommonItems items count only if the prompt has
// no others.
func (lexicalScorer) Score(_ context.Context, prompt string, items []Item) ([]float64, error) {
	w := wanted{index: map[string]int{}}
	for term := range plaintext.Query(prompt) {
		w.add(term)
	}
	scores := make([]float64, len(items))
	if len(w.terms) == 0 {
		return scores, nil
	}
	for i := range items {
		w.find(i, &items[i])
	}
	common := w.common(len(items))
	for _, hit := range w.hits {
		if !common[hit.term] {
			scores[hit.item]++
		}
	}
	return scores, nil
}

// wanted are the terms of a prompt and their occurrences.
type wanted struct {
	index map[string]int // in terms
	terms []wantedTerm
	hits  []hit
}

type wantedTerm struct {
	hasDigit bool
	items    int // number of items with the term
	last     int // one more than the index of the last item with the term
}

type hit struct{ item, term int32 }

func (w *wanted) add(term []byte) {
	if _, known := w.index[string(term)]; !known {
		w.index[string(term)] = len(w.terms)
		w.terms = append(w.terms, wantedTerm{hasDigit: strings.ContainsAny(string(term), "0123456789")})
	}
}

// find looks for the terms in an item.
func (w *wanted) find(i int, it *Item) {
	w.findIn(i, it.Text)
	for _, tag := range it.Tags {
		w.findIn(i, tag)
	}
}

func (w *wanted) findIn(i int, text string) {
	for term := range plaintext.Terms(text) {
		at, ok := w.index[string(term)]
		if !ok || w.terms[at].last == i+1 {
			continue
		}
		w.terms[at].last = i + 1
		w.terms[at].items++
		w.hits = append(w.hits, hit{item: int32(i), term: int32(at)})
	}
}

// common reports for each term whether it is too common among n items to count.
func (w *wanted) common(n int) []bool {
	common, all := make([]bool, len(w.terms)), true
	for i, term := range w.terms {
		common[i] = n >= minCommonItems && !term.hasDigit && term.items*2 > n
		all = all && common[i]
	}
	if all {
		clear(common)
	}
	return common
}
