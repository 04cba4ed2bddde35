package prompt

// appendShared appends a block within the budget where there are notes. All is
// shown if it fits. Else notes first lay claim to their share, entities take what
// is left of the budget, and notes what is left by these: so what one side does
// not need goes to the other. Should the whole text take more than its parts, the
// least important note goes until it fits.
func (r *Renderer) appendShared(dst []byte, d *draft, query Focus) []byte {
	budget, start := r.opts.Budget, len(dst)
	dst, fits := r.appendWhole(dst, d, len(d.notes), budget)
	if fits {
		return dst
	}
	cost := &lineCosts{counter: r.opts.Counter} // with a buffer that is not dst
	claimed := d.chooseNotes(percentOf(budget, r.opts.NoteShare), cost)
	d.hideNotes()
	dst = r.appendEntities(dst, d, query, budget-claimed)
	entities := len(dst)
	d.chooseNotes(budget-cost.block(dst[start:]), cost)
	for {
		dst = d.appendNotes(dst[:entities], start)
		if r.fits(dst[start:], budget) || !d.hideLastNote() {
			return dst
		}
	}
}

// chooseNotes hides all notes but those that a number of tokens is spent on, the
// most important first, and returns how many they take. One that does not fit is
// passed over for others that do.
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

// block counts a block as far as it is there: its title is needed in any case.
func (c *lineCosts) block(text []byte) int {
	if len(text) == 0 {
		return c.count(append(c.buf[:0], Title...))
	}
	return c.counter.CountTokens(string(text))
}

// percentOf does not overflow.
func percentOf(n, percent int) int { return n/100*percent + n%100*percent/100 }
