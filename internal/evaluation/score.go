package evaluation

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Figures are the result of a measurement. Shares are rounded to 4 digits,
// means to 1, as the definition rounds them.
type Figures struct {
	ToolCalls  int     `json:"tool_calls"`
	References int     `json:"references"`
	Coverage   float64 `json:"coverage"`
	Typed      float64 `json:"typed"`
	Described  float64 `json:"described"`
	// Describable is how many of the found references have a record that says
	// anything about itself: what Described is a share of.
	Describable int `json:"describable"`
	// Distinct is the share of AmongSeveral whose label differs from those
	// of all the others.
	Distinct float64 `json:"distinct"`
	// AmongSeveral is how many of the found references share their header with
	// entities whose records say something else.
	AmongSeveral int `json:"among_several"`
	// Precision is the share of the ids shown in an episode that a call took as
	// an argument afterwards; that of ShownIDs. See precision.
	Precision float64 `json:"precision"`
	// BlockPrecision is the same share of the ids of each block: an id that
	// many blocks show counts as often.
	BlockPrecision float64 `json:"block_precision"`
	// ShownIDs is how many different ids the blocks of each episode showed.
	ShownIDs      int     `json:"shown_ids"`
	MeanChars     float64 `json:"mean_chars"`
	LargestChars  int     `json:"largest_chars"`
	MeanTokens    float64 `json:"mean_tokens"`
	LargestTokens int     `json:"largest_tokens"`
}

// tally adds up outcomes.
type tally struct {
	calls, references, found, typed            int
	describable, described, several, distinct  int
	chars, largestChars, tokens, largestTokens int
	precision                                  precision
}

// size counts a block.
func (t *tally) size(chars, tokens int) {
	t.calls++
	t.chars += chars
	t.largestChars = max(t.largestChars, chars)
	t.tokens += tokens
	t.largestTokens = max(t.largestTokens, tokens)
}

// add counts how a reference is shown.
func (t *tally) add(ref *Reference, out outcome) {
	t.references++
	if !out.found {
		return
	}
	t.found++
	if out.typed {
		t.typed++
	}
	if ref.Known() {
		t.describable++
		if out.described {
			t.described++
		}
	}
	if out.several {
		t.several++
	}
	if out.distinct {
		t.distinct++
	}
}

func (t *tally) figures() Figures {
	return Figures{
		ToolCalls: t.calls, References: t.references, Describable: t.describable, AmongSeveral: t.several,
		Coverage:       rounded(t.found, t.references, 4),
		Typed:          rounded(t.typed, t.references, 4),
		Described:      rounded(t.described, t.describable, 4),
		Distinct:       rounded(t.distinct, t.several, 4),
		Precision:      rounded(t.precision.used, t.precision.shown, 4),
		BlockPrecision: rounded(t.precision.usedInBlocks, t.precision.shownInBlocks, 4),
		ShownIDs:       t.precision.shown,
		MeanChars:      rounded(t.chars, t.calls, 1), LargestChars: t.largestChars,
		MeanTokens: rounded(t.tokens, t.calls, 1), LargestTokens: t.largestTokens,
	}
}

// rounded is part/whole to some decimal digits, correctly rounded; 0 of nothing.
func rounded(part, whole, digits int) float64 {
	return round(float64(part)/float64(max(whole, 1)), digits)
}

// round rounds the exact value of x, halves to even.
func round(x float64, digits int) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64)
	return x
}

// meter measures blocks, each only once as long as it stays the same.
type meter struct {
	counter prompt.TokenCounter
	block   string
	view    blockView
	chars   int
	tokens  int
}

func (m *meter) read(block string) {
	if m.view.byID != nil && m.block == block {
		return
	}
	m.block, m.view = block, viewBlock(block)
	m.chars, m.tokens = utf8.RuneCountInString(block), m.counter.CountTokens(block)
}
