package evaluation

import (
	"maps"
	"strconv"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// FewReferences is the number of references below which a share of them means little.
const FewReferences = 30

// Figures are the result of a measurement. Shares are rounded to 4 digits, means to
// 1, as in the reference scorer.
type Figures struct {
	ToolCalls  int     `json:"tool_calls"`
	References int     `json:"references"`
	Coverage   float64 `json:"coverage"`
	Typed      float64 `json:"typed"`
	// FirstUses is the number of references without those whose value an earlier call of the episode
	// took, and TypedFirst the share of them under a header that fits.
	FirstUses  int     `json:"first_uses"`
	TypedFirst float64 `json:"typed_first"`
	// ShellReferences is the number of paths, files, hashes, ids of tests and the like anywhere in an
	// argument, and Shell the share of them that are an id of the block. Tables are those that SQL
	// names, and TablesShown the share of them that are one.
	ShellReferences int     `json:"shell_references"`
	Shell           float64 `json:"shell"`
	Tables          int     `json:"tables"`
	TablesShown     float64 `json:"tables_shown"`
	Described       float64 `json:"described"`
	// Describable is the number of references found whose record has facts. Described
	// is a share of it.
	Describable int `json:"describable"`
	// Distinct is the share of AmongSeveral whose label differs from all others.
	Distinct float64 `json:"distinct"`
	// AmongSeveral is the number of references found that share their header with
	// entities whose records have other facts.
	AmongSeveral int `json:"among_several"`
	// Named is the share of Nameable that the block shows, with id and label, when the user
	// names the record: "Open Prices.".
	Named float64 `json:"named"`
	// Nameable is the number of messages that name a record of a result by a label that no
	// other has: up to namedPerResult of each result, right after it and again namedLater
	// results later.
	Nameable int `json:"nameable"`
	// Precision is the share of ShownIDs that a call took as an argument afterwards.
	// See precision.
	Precision float64 `json:"precision"`
	// BlockPrecision is the same share over the ids of each block. An id in many
	// blocks counts as often.
	BlockPrecision float64 `json:"block_precision"`
	// ShownIDs is the number of distinct ids in the blocks of each episode.
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
	nameable, named                            int
	firsts, firstTyped                         int
	shell, shellFound, tables, tablesFound     int
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

// add counts the outcome of a reference.
func (t *tally) add(ref *Reference, out outcome) {
	switch ref.shell {
	case "":
	case shellTable:
		t.tables++
		t.tablesFound += count(out.found)
		return
	default:
		t.shell++
		t.shellFound += count(out.found)
		return
	}
	t.references++
	t.firsts += count(ref.first)
	t.firstTyped += count(ref.first && out.typed)
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
		ToolCalls: t.calls, References: t.references, Describable: t.describable, AmongSeveral: t.several, Nameable: t.nameable,
		FirstUses: t.firsts, ShellReferences: t.shell, Tables: t.tables,
		TypedFirst:     rounded(t.firstTyped, t.firsts, 4),
		Shell:          rounded(t.shellFound, t.shell, 4),
		TablesShown:    rounded(t.tablesFound, t.tables, 4),
		Coverage:       rounded(t.found, t.references, 4),
		Typed:          rounded(t.typed, t.references, 4),
		Described:      rounded(t.described, t.describable, 4),
		Distinct:       rounded(t.distinct, t.several, 4),
		Named:          rounded(t.named, t.nameable, 4),
		Precision:      rounded(t.precision.used, t.precision.shown, 4),
		BlockPrecision: rounded(t.precision.usedInBlocks, t.precision.shownInBlocks, 4),
		ShownIDs:       t.precision.shown,
		MeanChars:      rounded(t.chars, t.calls, 1), LargestChars: t.largestChars,
		MeanTokens: rounded(t.tokens, t.calls, 1), LargestTokens: t.largestTokens,
	}
}

// rounded returns part/whole, correctly rounded to a number of decimals; 0 if whole
// is 0.
func rounded(part, whole, digits int) float64 {
	return round(float64(part)/float64(max(whole, 1)), digits)
}

// round rounds the exact value of x, with halves to even.
func round(x float64, digits int) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64)
	return x
}

// meter measures blocks, without repeating it for an unchanged block.
type meter struct {
	counter prompt.TokenCounter
	block   string
	handles map[string]string // in the block
	view    blockView
	chars   int
	tokens  int
}

func (m *meter) read(block string, handles map[string]string) {
	if m.view.byID != nil && m.block == block && maps.Equal(m.handles, handles) {
		return
	}
	m.block, m.handles, m.view = block, handles, viewBlock(block, handles)
	m.chars, m.tokens = utf8.RuneCountInString(block), m.counter.CountTokens(block)
}
