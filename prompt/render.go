package prompt

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// Title is the first line of every block: a text without it holds none.
const Title = "[WORKING MEMORY]"

// Content is what a block is made of. The zero value gives an empty one.
type Content struct {
	// Focus is what was said last: for a Budget, what it speaks of counts as newer
	// than it is, by up to 24 calls.
	Focus Focus
	// Entities are what tools returned, newest first.
	Entities []memory.Entity
	// Notes are items to be shown, most important first. The block has those that
	// it shows in the order of their Position.
	Notes []items.Item
}

// Renderer turns entities and notes into the block. It is immutable and safe for
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
	return r.RenderContent(Content{Entities: newestFirst})
}

// RenderContent is Render of entities, notes and what was said last. Equal
// content gives equal bytes.
//
// Notes that are empty or Deleted are left out, and those whose type is too long
// or not valid UTF-8, or of whose text not even a first word has room in
// Options.NoteRunes. One without a type is an items.TypeCustom.
func (r *Renderer) RenderContent(c Content) string {
	d := newDraft()
	defer d.release()
	d.text = r.appendBlock(d.text[:0], d, c)
	return string(d.text)
}

// AppendBlock is RenderContent that appends the block to dst and returns the
// extended buffer.
func (r *Renderer) AppendBlock(dst []byte, c Content) []byte {
	d := newDraft()
	defer d.release()
	return r.appendBlock(dst, d, c)
}

// Render is the block of a context with default options; "" for a nil context.
func Render(c *memory.WorkingContext) string {
	if c == nil {
		return ""
	}
	return NewRenderer(nil).Render(slices.Collect(c.All()))
}

// appendBlock appends the block. Afterwards the draft says what is shown.
func (r *Renderer) appendBlock(dst []byte, d *draft, c Content) []byte {
	start, budget := len(dst), r.opts.Budget
	if budget == 0 {
		d.read(c.Entities, len(c.Entities), r.opts.PerType)
		d.readNotes(c.Notes, r.opts.Notes, r.opts.NoteRunes)
		d.setLabels(r.opts.LabelRunes)
		return d.appendNotes(d.appendBlock(dst, onePerLine), start)
	}
	d.read(c.Entities, candidates(budget), 0)
	d.readNotes(c.Notes, candidates(budget), r.opts.NoteRunes)
	if len(d.notes) > 0 {
		return r.appendShared(dst, d, c.Focus)
	}
	return r.appendEntities(dst, d, c.Focus, budget)
}

// appendWhole appends a block of all entities, and of the notes that are not
// hidden, of which it is told the number, as it looks without a budget, and
// reports whether it fits into one. Where it cannot, it is not tried.
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

// appendEntities appends a block of entities that fits into a budget. If all
// fit, it looks as it does without one; else the entities of a group share a
// line, and labels are short where there is no room for more. Costs of parts do
// not add up exactly in every tokenizer, so the whole text has the last word: the
// entity farthest from the next call goes until the text fits.
func (r *Renderer) appendEntities(dst []byte, d *draft, query Focus, budget int) []byte {
	dst, fits := r.appendWhole(dst, d, 0, budget)
	if fits {
		return dst
	}
	start := len(dst)
	d.rank(query, r.opts.Tools)
	chosen := d.choose(budget, r.opts.LabelRunes, &lineCosts{counter: r.opts.Counter, buf: d.text})
	for ; len(chosen) > 0; chosen = chosen[:len(chosen)-1] {
		d.showOnly(chosen)
		if dst = d.appendBlock(dst[:start], onePerGroup); r.fits(dst[start:], budget) {
			return dst
		}
	}
	d.showOnly(nil)
	return dst[:start]
}

func (r *Renderer) fits(text []byte, budget int) bool {
	return r.opts.Counter.CountTokens(string(text)) <= budget
}
