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
	return r.RenderFor(Query{}, newestFirst)
}

// RenderFor is Render where it is known what was said last: for a budget, what
// that speaks of counts as newer than it is, by up to 24 calls.
func (r *Renderer) RenderFor(query Query, newestFirst []memory.Entity) string {
	d := newDraft()
	defer d.release()
	d.text = r.appendBlock(d.text[:0], d, query, newestFirst)
	return string(d.text)
}

// AppendBlock is RenderFor that appends the block to dst and returns the
// extended buffer.
func (r *Renderer) AppendBlock(dst []byte, query Query, newestFirst []memory.Entity) []byte {
	d := newDraft()
	defer d.release()
	return r.appendBlock(dst, d, query, newestFirst)
}

// Render is the block of a context with default options; "" for a nil context.
func Render(c *memory.WorkingContext) string {
	if c == nil {
		return ""
	}
	return NewRenderer(nil).Render(slices.Collect(c.All()))
}

// appendBlock appends the block. Afterwards the draft says what is shown.
func (r *Renderer) appendBlock(dst []byte, d *draft, query Query, newestFirst []memory.Entity) []byte {
	if r.opts.Budget > 0 {
		return r.appendWithin(dst, d, query, newestFirst)
	}
	d.read(newestFirst, len(newestFirst), r.opts.PerType)
	d.setLabels(r.opts.LabelRunes)
	return d.appendBlock(dst, onePerLine)
}

// appendWithin appends the block of a budget. If everything fits, it looks as
// it does without one; else the entities of a group share a line, and labels
// are short where there is no room for more. Costs of parts do not add up
// exactly in every tokenizer, so the whole text has the last word: the entity
// farthest from the next call goes until the text fits.
func (r *Renderer) appendWithin(dst []byte, d *draft, query Query, newestFirst []memory.Entity) []byte {
	start, budget := len(dst), r.opts.Budget
	fits := func() bool { return r.opts.Counter.CountTokens(string(dst[start:])) <= budget }
	d.read(newestFirst, candidates(budget), 0)
	if len(d.lines) <= budget/minLineTokens {
		d.setLabels(r.opts.LabelRunes)
		if dst = d.appendBlock(dst, onePerLine); fits() {
			return dst
		}
	}
	d.rank(query, r.opts.Tools)
	chosen := d.choose(budget, r.opts.LabelRunes, &lineCosts{counter: r.opts.Counter, buf: d.text})
	for ; len(chosen) > 0; chosen = chosen[:len(chosen)-1] {
		d.showOnly(chosen)
		if dst = d.appendBlock(dst[:start], onePerGroup); fits() {
			return dst
		}
	}
	d.showOnly(nil)
	return dst[:start]
}
