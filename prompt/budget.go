package prompt

// maxMisses is how many entities in a row that do not fit are passed over before
// the search for smaller ones ends.
const maxMisses = 16

// candidates is how many entities are worth a look at a budget: one for each
// token, several times what fits, so that a long list does not hide what is
// older than it.
func candidates(budget int) int { return budget + maxMisses }

// labelledShare is how much of a budget is spent on entities with labels, in
// percent. The rest goes to ids alone: more of them fit, and the farther an
// entity is from the next call, the more of its worth is that it is not lost.
const labelledShare = 70

// choose returns the lines that a budget is spent on, the nearest first, with
// their labels set. One that does not fit is passed over for others that do.
func (d *draft) choose(budget, labelRunes int, cost *lineCosts) []int32 {
	all := budget - cost.count(append(cost.buf[:0], Title+"\n"...))
	left, misses := all, 0
	for i := range d.groups {
		d.groups[i].taken = 0
	}
	chosen := d.order[:0] // never longer than what was read of order
	for _, i := range d.order {
		l := &d.lines[i]
		g := &d.groups[l.group]
		if 100*(all-left) <= labelledShare*all {
			d.shorten(i, labelRunes)
		} else {
			l.setLabel("", labelRunes)
		}
		l.leads = g.taken == 0
		l.tokens = cost.entity(l)
		c := l.tokens
		if l.leads && c <= left {
			c += cost.header(g.typ)
		}
		if c > left {
			if misses++; misses == maxMisses {
				break
			}
			continue
		}
		left -= c
		misses = 0
		g.taken++
		chosen = append(chosen, i)
	}
	d.widen(chosen, left, labelRunes, cost)
	return chosen
}

// widen spends what is left of a budget on the whole labels of the chosen
// lines, the nearest first, until several in a row do not fit.
func (d *draft) widen(chosen []int32, left, labelRunes int, cost *lineCosts) {
	for misses := 0; len(chosen) > 0 && left > 0 && misses < maxWidenMisses; chosen = chosen[1:] {
		l := &d.lines[chosen[0]]
		if !hasLabel(l.entity) {
			continue
		}
		short := *l
		if d.fullLabel(chosen[0], labelRunes); l.label == short.label && l.cut == short.cut {
			continue
		}
		if more := cost.entity(l) - short.tokens; more <= left {
			left -= more
			misses = 0
		} else {
			*l = short
			misses++
		}
	}
}

// maxWidenMisses is how many labels in a row that do not fit end the search for
// some that do.
const maxWidenMisses = 4

// lineCosts counts the tokens of parts of a block, each as it stands there:
// with what follows or precedes it, because tokenizers join it to that.
type lineCosts struct {
	counter TokenCounter
	buf     []byte
}

// header counts the line above a group and the dash of its line.
func (c *lineCosts) header(typ string) int {
	return c.count(append(append(appendHeader(c.buf[:0], typ), '\n'), entityPrefix...))
}

// entity counts an entity, with the space before it unless it leads its group,
// and the comma behind it.
func (c *lineCosts) entity(l *line) int {
	text := c.buf[:0]
	if !l.leads {
		text = append(text, ' ')
	}
	return c.count(append(appendEntity(text, l), ','))
}

func (c *lineCosts) count(text []byte) int {
	c.buf = text
	return c.counter.CountTokens(string(text))
}
