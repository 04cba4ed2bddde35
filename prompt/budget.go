package prompt

// maxMisses is how many consecutive entities that do not fit end the search for
// smaller ones.
const maxMisses = 16

// candidates returns how many entities are considered for a budget: one per token,
// several times what fits, so that a long list does not hide older entities.
func candidates(budget int) int { return budget + maxMisses }

// labelledShare is the part of a budget, in percent, that is spent on entities with
// labels. The rest is spent on ids alone: more of them fit, and the farther an entity
// is from the next call, the more it matters only that its id is not lost.
const labelledShare = 70

// choose returns the lines that a budget is spent on, the nearest first, with their
// labels set. It skips lines that do not fit.
func (d *draft) choose(budget, labelRunes int, cost *lineCosts) []int32 {
	all := budget - cost.count(append(cost.buf[:0], Title+"\n"...))
	left, misses := all, 0
	for i := range d.groups {
		d.groups[i].taken = 0
	}
	chosen := d.order[:0] // never longer than the part of order already read
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

// widen spends the rest of a budget on full labels of the chosen lines, the nearest
// first, until several consecutive ones do not fit.
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

// maxWidenMisses is how many consecutive labels that do not fit end widen.
const maxWidenMisses = 4

// lineCosts counts the tokens of parts of a block, each with the characters next to it
// that tokenizers join to it.
type lineCosts struct {
	counter TokenCounter
	buf     []byte
}

// header counts the line above a group and the dash of its line.
func (c *lineCosts) header(typ string) int {
	return c.count(append(append(appendHeader(c.buf[:0], typ), '\n'), entityPrefix...))
}

// entity counts an entity with the space before it, unless it leads its group, and the
// comma after it.
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
