package prompt

// appendShared appends a block with notes that fits in the budget. If everything fits,
// everything is shown. Otherwise notes first claim their share, entities take the rest of
// the budget, and notes use what entities leave, so that each side gets what the other
// does not need. If the whole text takes more than its parts, the least important note is
// removed until it fits.
func (r *Renderer) appendShared(dst []byte, d *draft, focus Focus) []byte {
	budget, start := r.opts.Budget, len(dst)
	dst, fits := r.appendWhole(dst, d, len(d.notes), budget)
	if fits {
		return dst
	}
	cost := &lineCosts{counter: r.opts.Counter} // with a buffer that is not dst
	claimed := d.chooseNotes(percentOf(budget, r.opts.NoteShare), cost)
	d.hideNotes()
	dst = r.appendEntities(dst, d, focus, budget-claimed)
	entities := len(dst)
	d.chooseNotes(budget-cost.block(dst[start:]), cost)
	for {
		dst = d.appendNotes(dst[:entities], start)
		if r.fits(dst[start:], budget) || !d.hideLastNote() {
			return dst
		}
	}
}

// chooseNotes hides all notes except those that fit in a number of tokens, the most
// important first, and returns how many tokens they take. It skips notes that do not fit.
func (d *draft) chooseNotes(tokens int, cost *lineCosts) (spent int) {
	d.hideNotes()
	title := cost.count(append(cost.buf[:0], "\n"+notesTitle...))
	misses := 0
	for i := range d.notes {
		n := &d.notes[i]
		if n.tokens == 0 {
			n.tokens = cost.costOfNote(n)
		}
		more := n.tokens
		if spent == 0 {
			more += title
		}
		if spent+more > tokens {
			if misses++; misses == maxMisses {
				break
			}
			continue
		}
		n.hidden = false
		spent += more
		misses = 0
	}
	return spent
}

// costOfNote counts a note with the line break before it.
func (c *lineCosts) costOfNote(n *note) int { return c.count(n.appendLine(c.buf[:0])) }

// block counts a block without notes. An empty one still needs the title.
func (c *lineCosts) block(text []byte) int {
	if len(text) == 0 {
		return c.count(append(c.buf[:0], Title...))
	}
	return c.counter.CountTokens(string(text))
}

// percentOf returns percent of n without overflow.
func percentOf(n, percent int) int { return n/100*percent + n%100*percent/100 }
