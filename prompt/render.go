package prompt

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Title is the first line of every block: a text without it holds none.
const Title = "[WORKING MEMORY]"

// Renderer turns entities into the block. It is immutable and safe for
// concurrent use, if its TokenCounter is. The zero value is not usable; see
// NewRenderer.
type Renderer struct {
	opts Options
}

// NewRenderer makes a renderer. nil options mean the defaults.
func NewRenderer(opts *Options) *Renderer {
	return &Renderer{opts: opts.withDefaults()}
}

// Render returns the block of entities given newest first, "" if there is
// nothing to show. Equal entities give equal bytes.
//
// Entities that a memory.WorkingContext would refuse are left out: those
// without an id, and those whose id or type is too long or not valid UTF-8,
// because a cut or mended id is a wrong id. Without a budget, every entity
// given is looked at; with one, the work depends on the budget only.
func (r *Renderer) Render(newestFirst []memory.Entity) string {
	return string(r.AppendBlock(nil, newestFirst))
}

// AppendBlock appends the block to dst and returns the extended buffer. See Render.
func (r *Renderer) AppendBlock(dst []byte, newestFirst []memory.Entity) []byte {
	if r.opts.Budget > 0 {
		return r.appendWithin(dst, newestFirst, r.opts.Budget)
	}
	lines := upToPerType(newestFirst, r.opts.PerType)
	setLabels(lines, r.opts.LabelRunes)
	return appendBlock(dst, lines, onePerLine)
}

// Render is the block of a context with default options; "" for a nil context.
func Render(c *memory.WorkingContext) string {
	if c == nil {
		return ""
	}
	return NewRenderer(nil).Render(slices.Collect(c.All()))
}

// appendWithin appends the block of a budget. If everything fits, it looks as
// it does without one; else the entities of a group share a line, and labels
// are short where there is no room for more. Costs of parts do not add up
// exactly in every tokenizer, so the whole text has the last word: the least
// valuable entity goes until the text fits.
func (r *Renderer) appendWithin(dst []byte, newestFirst []memory.Entity, budget int) []byte {
	lines := newest(newestFirst, candidates(budget))
	setLabels(lines, r.opts.LabelRunes)
	start := len(dst)
	fits := func() bool { return r.opts.Counter.CountTokens(string(dst[start:])) <= budget }
	if len(lines) <= budget/minLineTokens {
		if dst = appendBlock(dst, lines, onePerLine); fits() {
			return dst
		}
	}
	shorten(lines)
	cost := lineCosts{counter: r.opts.Counter}
	chosen, left := choose(lines, budget, &cost)
	widen(lines, chosen, left, &cost)
	for ; len(chosen) > 0; chosen = chosen[:len(chosen)-1] {
		if dst = appendBlock(dst[:start], pick(lines, chosen), onePerGroup); fits() {
			return dst
		}
	}
	return dst[:start]
}

// pick returns the chosen lines in the order of lines.
func pick(lines []line, chosen []int) []line {
	picked := make([]line, len(chosen))
	for i, c := range slices.Sorted(slices.Values(chosen)) {
		picked[i] = lines[c]
	}
	return picked
}
