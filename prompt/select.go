package prompt

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// maxMisses is how many entities that do not fit are passed over before the
// search for smaller ones ends.
const maxMisses = 16

// candidates is how many entities are worth a look at a budget: one for each
// token, several times what fits, so that a long list does not hide what is
// older than it.
func candidates(budget int) int { return budget + maxMisses }

// The policy of a budget, whole. Types take turns, so that one long list does
// not flood the block: first the most valuable entity of each type, then the
// second of each. Types of which an id was already taken as an argument have
// more turns than others: what tools ask for they ask for again.
const (
	// turnOfUsed and turnOfOthers are how far apart the turns of a type are.
	turnOfUsed, turnOfOthers = 3, 10
	// maxWorth bounds what coming back in result after result is worth: as much
	// as being this many calls younger.
	maxWorth = 3
)

// byValue returns the indexes of lines given newest first, the most valuable first.
func byValue(lines []line) []int {
	worth := worths(lines)
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })

	used := usedTypes(lines)
	turn := make([]int, len(lines))
	taken := make(map[string]int)
	for _, i := range order {
		typ := lines[i].typ
		step := turnOfOthers
		if used[typ] {
			step = turnOfUsed
		}
		turn[i] = taken[typ] * step
		taken[typ]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	return order
}

// worths is what each line is worth among its type, in calls: the younger its
// last access and the oftener results brought it, the more. Entities of one
// call have one timestamp.
func worths(lines []line) []int {
	worth := make([]int, len(lines))
	age := 0
	var last time.Time
	for i, l := range lines {
		if i > 0 && !l.entity.Timestamp.Equal(last) {
			age++
		}
		last = l.entity.Timestamp
		worth[i] = min(l.entity.Repeats, maxWorth) - age
		if l.entity.Role == memory.RoleAlias {
			worth[i]--
		}
	}
	return worth
}

func usedTypes(lines []line) map[string]bool {
	used := make(map[string]bool)
	for _, l := range lines {
		if l.entity.Uses > 0 {
			used[l.typ] = true
		}
	}
	return used
}

// choose returns the lines that a budget is spent on, by index, the most
// valuable first, and what is left of the budget. One that does not fit is
// passed over for others that do.
func choose(lines []line, budget int, cost coster) (chosen []int, left int) {
	headers := make(map[string]bool)
	left = budget - cost.title()
	misses := 0
	for _, i := range byValue(lines) {
		typ := lines[i].typ
		c := cost.entity(lines[i], !headers[typ])
		if !headers[typ] && c <= left {
			c += cost.header(typ)
		}
		if c > left {
			if misses++; misses == maxMisses {
				break
			}
			continue
		}
		left -= c
		headers[typ] = true
		chosen = append(chosen, i)
	}
	return chosen, left
}

// widen spends what is left of a budget on the whole labels of the chosen
// lines, the most valuable first.
func widen(lines []line, chosen []int, left int, cost coster) {
	for _, i := range chosen {
		l := lines[i]
		if l.label == l.full {
			continue
		}
		more := -cost.entity(l, true)
		l.label = l.full
		if more += cost.entity(l, true); more <= left {
			left -= more
			lines[i] = l
		}
	}
}

// coster says how many tokens parts of a block take.
type coster interface {
	title() int
	header(typ string) int
	// entity counts an entity, with the separator before it unless it is the first of its group.
	entity(l line, first bool) int
}

// lineCosts counts each part as it stands in the block: with what follows or
// precedes it, because tokenizers join it to that.
type lineCosts struct {
	counter TokenCounter
	buf     []byte
}

func (c *lineCosts) title() int { return c.counter.CountTokens(title + "\n") }

// header counts the line above a group and the dash of its line.
func (c *lineCosts) header(typ string) int {
	return c.count(append(append(appendHeader(c.buf[:0], typ), '\n'), entityPrefix...))
}

func (c *lineCosts) entity(l line, first bool) int {
	text := c.buf[:0]
	if !first {
		text = append(text, entitySeparator...)
	}
	return c.count(appendEntity(text, l))
}

func (c *lineCosts) count(text []byte) int {
	c.buf = text
	return c.counter.CountTokens(string(c.buf))
}
