package prompt

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// Title is the first line of every block: a text without it holds none.
const Title = "[WORKING MEMORY]"

// Content is the content of a block. The zero value is an empty block.
type Content struct {
	// Focus is what was said last. With a Budget, entities that it refers to count as
	// up to 24 calls newer than they are.
	Focus Focus
	// Entities are the entities, newest first.
	Entities []memory.Entity
	// Candidates are values that tools may take as identifiers, newest first. With a
	// Budget they compete for what Entities leave free; without one they follow the
	// entities of their type, as far as PerType allows.
	Candidates []memory.Entity
	// Notes are the items to show, most important first. The block shows them in the
	// order of their Position.
	Notes []items.Item
}

// Renderer renders entities and notes as the block. It is immutable, and safe for
// concurrent use if its TokenCounter is. The zero value is not usable; see NewRenderer.
type Renderer struct {
	opts Options
}

// NewRenderer returns a renderer. If opts is nil, the defaults are used.
func NewRenderer(opts *Options) *Renderer {
	return &Renderer{opts: opts.withDefaults()}
}

// Render returns the block of entities, given newest first, or "" if there is nothing to
// show. Equal entities result in equal bytes.
//
// Entities that a memory.WorkingContext would refuse are omitted: those without an id,
// and those whose id or type is too long or not valid UTF-8, because a shortened or
// repaired id is a wrong id. Without a budget, every entity is examined; with one, the
// time depends on the budget only.
func (r *Renderer) Render(newestFirst []memory.Entity) string {
	return r.RenderContent(Content{Entities: newestFirst})
}

// RenderContent is Render for entities and notes with a focus. Equal content results in
// equal bytes.
//
// Notes are omitted if they are empty or Deleted, if their type is too long or not valid
// UTF-8, or if not even the first word of the text fits in Options.NoteRunes. A note
// without a type is shown as items.TypeCustom.
func (r *Renderer) RenderContent(c Content) string {
	d := newDraft()
	defer d.release()
	d.text = r.appendBlock(d.text[:0], d, c)
	return string(d.text)
}

// AppendBlock is like RenderContent but appends the block to dst and returns the extended
// buffer.
func (r *Renderer) AppendBlock(dst []byte, c Content) []byte {
	d := newDraft()
	defer d.release()
	return r.appendBlock(dst, d, c)
}

// CountTokens returns the number of tokens of a text by Options.Counter.
func (r *Renderer) CountTokens(text string) int { return r.opts.Counter.CountTokens(text) }

// Render returns the block of a context with default options, or "" for a nil context.
func Render(c *memory.WorkingContext) string {
	if c == nil {
		return ""
	}
	return NewRenderer(nil).Render(slices.Collect(c.All()))
}

// appendBlock appends the block. Afterwards the draft tells which lines are hidden.
func (r *Renderer) appendBlock(dst []byte, d *draft, c Content) []byte {
	start, budget := len(dst), r.opts.Budget
	d.lines, d.groups, d.tools, d.focus = d.lines[:0], d.groups[:0], r.opts.Tools, c.Focus
	if budget == 0 {
		d.readFew(&c, r.opts.Lines, r.opts.PerType)
		d.readNotes(c.Notes, r.opts.Notes, r.opts.NoteRunes)
		d.setLabels(r.opts.LabelRunes)
		return d.appendNotes(d.appendBlock(dst, onePerLine), start)
	}
	searched := considered(budget) + maxOlder
	c.Entities, c.Candidates = c.Entities[:min(len(c.Entities), searched)], c.Candidates[:min(len(c.Candidates), searched)]
	d.readAll(&c, considered(budget))
	d.readNotes(c.Notes, considered(budget), r.opts.NoteRunes)
	if len(d.notes) > 0 {
		return r.appendShared(dst, d, c.Focus)
	}
	return r.appendEntities(dst, d, c.Focus, budget)
}

// appendWhole appends a block of all entities and of the notes that are not hidden, as
// it looks without a budget, and reports whether it fits in the budget. notes is the
// number of these notes. If the block cannot fit, it is not rendered.
func (r *Renderer) appendWhole(dst []byte, d *draft, notes, budget int) ([]byte, bool) {
	if len(d.lines)+notes > budget/minLineTokens {
		return dst, false
	}
	start := len(dst)
	d.setLabels(r.opts.LabelRunes)
	dst = d.appendNotes(d.appendBlock(dst, onePerLine), start)
	if r.fits(dst[start:], budget) {
		return dst, true
	}
	return dst[:start], false
}

// appendEntities appends a block of entities that fits in a budget. If all entities fit,
// it looks as without a budget. Otherwise the entities of a group share a line, and labels
// are short if there is no room for more. The costs of parts do not add up exactly in
// every tokenizer, so the entity farthest from the next call is removed until the whole
// text fits.
func (r *Renderer) appendEntities(dst []byte, d *draft, focus Focus, budget int) []byte {
	dst, fits := r.appendWhole(dst, d, 0, budget)
	if fits {
		return dst
	}
	start := len(dst)
	d.orderIDs()
	d.rank(focus, r.opts.Tools)
	cost := &lineCosts{counter: r.opts.Counter, buf: d.text}
	chosen := d.choose(budget, r.opts.LabelRunes, cost)
	for target, refill, round := budget, 0, 0; round <= refills; round++ {
		d.showOnly(chosen)
		dst = d.appendBlock(dst[:start], onePerGroup)
		left := budget - r.opts.Counter.CountTokens(string(dst[start:]))
		if left < 0 && round > 0 { // the last refill was too much
			chosen = d.choose(target-refill, r.opts.LabelRunes, cost)
		}
		if left <= budget/spared || round == refills {
			break
		}
		target, refill = target+left, left
		chosen = d.choose(target, r.opts.LabelRunes, cost)
	}
	for ; len(chosen) > 0; chosen = chosen[:len(chosen)-1] {
		d.showOnly(chosen)
		if dst = d.appendBlock(dst[:start], onePerGroup); r.fits(dst[start:], budget) {
			return dst
		}
	}
	d.showOnly(nil)
	return dst[:start]
}

// The costs of parts are rounded up, so a block is smaller than they say. What is left is
// spent in a few refills, until less than one in spared of the budget is left.
const refills, spared = 3, 64

func (r *Renderer) fits(text []byte, budget int) bool {
	return r.opts.Counter.CountTokens(string(text)) <= budget
}
