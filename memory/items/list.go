package items

import (
	"iter"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// itemList keeps items in the order of arrival. Classes and positions are not stored:
// they are computed from the current moment by scanning the items.
type itemList struct {
	policy *itemPolicy
	now    moment // the latest one seen
	kept   slab.Keyed[Item]
	tokens int // of all items
}

func (l *itemList) len() int { return l.kept.Len() }

// advance moves the step and the clock forward.
func (l *itemList) advance(now moment) {
	l.now.step = max(l.now.step, now.step)
	if now.time.After(l.now.time) {
		l.now.time = now.time
	}
}

// complete sets the step of an item, and its time if it is missing or JSON cannot
// express it.
func (l *itemList) complete(it *Item, step *int) {
	it.StepIndex = l.now.step
	if step != nil {
		it.StepIndex = clampStep(*step)
	}
	if !state.HasTime(it.Timestamp) {
		it.Timestamp = l.now.time
	}
}

// push adds an item at the back.
func (l *itemList) push(it Item) {
	l.kept.PushBack(it.ID, it)
	l.tokens += it.Tokens
}

func (l *itemList) remove(h slab.Handle) {
	l.tokens -= l.kept.At(h).Tokens
	l.kept.Remove(h)
}

// evict removes the item at a position and returns a record of the eviction.
func (l *itemList) evict(h slab.Handle, position int, reason EvictionReason) Evicted {
	it := l.kept.At(h)
	e := Evicted{Item: it.copy(), Class: classes[l.policy.classify(it, l.now)], Reason: reason}
	e.Item.Position = position
	l.remove(h)
	return e
}

// fits reports whether there is room for more items and tokens.
func (l *itemList) fits(items, tokens int) bool {
	return l.len() <= l.policy.MaxItems-items && l.tokens <= l.policy.MaxTokens-tokens
}

// makeRoom evicts items, by rank and then by age, until more items and tokens fit.
func (l *itemList) makeRoom(items, tokens int) []Evicted {
	var evicted []Evicted
	for !l.fits(items, tokens) {
		h, position := l.nextVictim()
		least := l.policy.rank(l.kept.At(h), l.now)
		for h != slab.None && !l.fits(items, tokens) {
			next, it := l.kept.Next(h), l.kept.At(h) // evict invalidates h
			if l.policy.rank(it, l.now) == least {
				evicted = append(evicted, l.evict(h, position, l.policy.reason(it, l.now)))
			} else {
				position++
			}
			h = next
		}
	}
	return evicted
}

// nextVictim returns the oldest item of the lowest rank and its position. The list must
// not be empty.
func (l *itemList) nextVictim() (first slab.Handle, at int) {
	least, position := maxRank+1, 0
	for h, it := range l.all() {
		if r := l.policy.rank(it, l.now); r < least {
			first, at, least = h, position, r
		}
		position++
	}
	return first, at
}

// canMakeRoom reports whether an item with a number of tokens fits without evicting a
// protected one.
func (l *itemList) canMakeRoom(tokens int) bool {
	items := 1
	for _, it := range l.all() {
		if l.policy.classify(it, l.now) == protected {
			items++
			tokens += it.Tokens
		}
	}
	return items <= l.policy.MaxItems && tokens <= l.policy.MaxTokens
}

// all iterates over the items, oldest first.
func (l *itemList) all() iter.Seq2[slab.Handle, *Item] {
	return func(yield func(slab.Handle, *Item) bool) {
		next := slab.None
		for h := l.kept.Front(); h != slab.None; h = next {
			next = l.kept.Next(h) // before yield, which may remove h
			if !yield(h, l.kept.At(h)) {
				return
			}
		}
	}
}

// copy returns a copy of an item with its position.
func (l *itemList) copy(h slab.Handle) Item { return l.copies([]slab.Handle{h})[0] }

// copies returns copies of items with their positions. The handles are given oldest
// first.
func (l *itemList) copies(hs []slab.Handle) []Item {
	var items []Item
	position := 0
	for h, it := range l.all() {
		if len(items) == len(hs) {
			break
		}
		if h == hs[len(items)] {
			c := it.copy()
			c.Position = position
			items = append(items, c)
		}
		position++
	}
	return items
}

// filtered iterates over the items for which keep returns true, oldest first. They share
// Tags and Metadata with the list, which never modifies these.
func (l *itemList) filtered(keep func(*Item) bool) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		position := 0
		for _, kept := range l.all() {
			if keep(kept) {
				it := *kept
				it.Position = position
				if !yield(it) {
					return
				}
			}
			position++
		}
	}
}

// clone returns a copy that shares no mutable state.
func (l *itemList) clone() itemList {
	clone := *l
	clone.kept = l.kept.Clone()
	return clone
}
