package prompt

import (
	"cmp"
	"slices"
)

// maxMisses is how many consecutive entities that do not fit end the search for
// smaller ones.
const maxMisses = 16

// considered returns how many entities, and how many candidates, are considered for a
// budget: one per token, several times what fits, so that a long list does not hide older
// ones.
func considered(budget int) int { return budget + maxMisses }

// maxOlder is how many entities and candidates behind them are searched for what the agent
// works with and what the user names.
const maxOlder = 512

// What the agent works with takes room first, so that one large result takes at most the rest:
// favoredShare percent of a budget, of which what is only held takes at most heldShare.
const favoredShare, heldShare = 60, 30

// labelledShare is the part of a budget, in percent, that is spent on entities with labels of
// usual length. Farther ones have the first words of their names, or none if they have no name:
// more of them fit, and the farther an entity is from the next call, the more it matters only
// that its id is not lost.
const labelledShare = 60

// wholeRunes returns the length of the longest name of what the agent works with under a
// budget: a fifth of it, at least 20 runes.
func wholeRunes(budget, limit int) int { return min(max(budget/5, 20), limit) }

// choose returns the lines that a budget is spent on, the nearest first, with their
// labels and ids set. It skips lines that do not fit.
func (d *draft) choose(budget, labelRunes int, cost *lineCosts) []int32 {
	all := budget - cost.count(append(cost.buf[:0], Title+"\n"...))
	left, misses := all, 0
	for i := range d.groups {
		d.groups[i].count = 0
	}
	whole := wholeRunes(budget, labelRunes)
	d.favor(all, whole, labelRunes, cost)
	chosen := d.chosen[:0]
	for _, i := range d.order {
		l := &d.lines[i]
		g := &d.groups[l.group]
		l.shownIDs = l.ids
		if g.used {
			l.shownIDs = 1
		}
		switch {
		case l.favored, l.use == meant && l.entity.Name != "", l.name > 0:
			d.abridge(i, chosen, l.workingRunes(whole, labelRunes), labelRunes)
		case 100*(all-left) <= labelledShare*all:
			d.abridge(i, chosen, shortLabelRunes, labelRunes)
		default:
			d.abridge(i, chosen, firstWordRunes, labelRunes)
		}
		l.leads = g.count == 0
		c := cost.line(l, g)
		if c > left && l.label != "" {
			d.abridge(i, chosen, firstWordRunes, labelRunes)
			c = cost.line(l, g)
		}
		if c > left {
			if misses++; misses == maxMisses {
				break
			}
			continue
		}
		left -= c
		misses = 0
		g.count++
		chosen = append(chosen, i)
	}
	d.chosen = chosen
	d.widen(chosen, left, labelRunes, cost)
	d.markSources(chosen)
	return chosen
}

// workingRunes returns the length of the longest label of what the agent works with: a whole name
// of what it uses or what is meant, and any label of what was made or named, or has a name that
// another one means.
func (l *line) workingRunes(whole, labelRunes int) int {
	switch {
	case l.entity.Name == "" || l.use < used && l.name == 0:
		return shortLabelRunes
	case l.use >= made || l.name > 0:
		return labelRunes
	}
	return whole
}

// favor moves lines that the agent works with to the front of the order, by their use, until
// they take their share of a number of tokens. It passes over a line that takes more than is
// left, unless there is no other.
func (d *draft) favor(tokens, whole, labelRunes int, cost *lineCosts) {
	front := d.front[:0]
	for _, i := range d.order {
		if d.lines[i].favored = false; d.lines[i].use != unused && d.lines[i].use != meant {
			front = append(front, i)
		}
	}
	slices.SortStableFunc(front, func(a, b int32) int {
		return cmp.Or(d.lines[a].match.compare(&d.lines[b].match), cmp.Compare(d.lines[a].far, d.lines[b].far))
	})
	n, spent := 0, 0
	for _, i := range front {
		l := &d.lines[i]
		share := favoredShare
		if l.use < used {
			share = heldShare
		}
		d.abridge(i, nil, l.workingRunes(whole, labelRunes), labelRunes)
		l.leads, l.shownIDs = true, 1
		if c := cost.line(l, &d.groups[l.group]); spent+c <= percentOf(tokens, share) {
			spent += c
			front[n] = i
			n++
		}
	}
	if d.front = front; len(front) == 0 {
		return
	}
	front = front[:max(n, 1)]
	for _, i := range front {
		d.lines[i].favored = true
	}
	rest := slices.DeleteFunc(d.order, func(i int32) bool { return d.lines[i].favored })
	d.order = slices.Insert(rest, 0, front...)
}

// widen spends the rest of a budget on full labels and all ids of the chosen lines, the
// nearest first, until several consecutive ones do not fit.
func (d *draft) widen(chosen []int32, left, labelRunes int, cost *lineCosts) {
	for misses := 0; len(chosen) > 0 && left > 0 && misses < maxWidenMisses; chosen = chosen[1:] {
		l := &d.lines[chosen[0]]
		short := *l
		l.shownIDs = l.ids
		if hasLabel(l.entity) {
			d.fullLabel(chosen[0], labelRunes)
		}
		if l.label == short.label && l.cut == short.cut && l.shownIDs == short.shownIDs {
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

// line counts an entity and, if it leads its group, the header.
func (c *lineCosts) line(l *line, g *group) int {
	l.tokens = c.entity(l)
	if !l.leads {
		return l.tokens
	}
	if g.header == 0 {
		g.header = c.header(g.typ)
	}
	return l.tokens + g.header
}

// entity counts an entity with the space before it, unless it leads its group, and the
// comma after it.
func (c *lineCosts) entity(l *line) int {
	known := &l.costs[0]
	if l.label != "" {
		known = &l.costs[1]
	}
	now := lineCost{label: l.label, cut: l.cut, leads: l.leads, first: l.first, shownIDs: l.shownIDs, tokens: known.tokens}
	if *known != now || now.tokens == 0 {
		text := c.buf[:0]
		if !l.leads {
			text = append(text, ' ')
		}
		now.tokens = c.count(append(appendEntity(text, l), ','))
		*known = now
	}
	return now.tokens
}

func (c *lineCosts) count(text []byte) int {
	c.buf = text
	return c.counter.CountTokens(string(text))
}
