package items

import (
	"iter"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// itemList keeps items in the order of their arrival. The class of an item is
// derived from the current moment, so that nothing has to follow steps and time:
// what depends on classes or positions scans the items.
type itemList struct {
	policy *itemPolicy
	now    moment // the latest seen
	kept   slab.Keyed[Item]
	tokens int // of all items
}

func (l *itemList) len() int { return l.kept.Len() }

// advance moves step and clock on.
func (l *itemList) advance(now moment) {
	l.now.step = max(l.now.step, now.step)
	if now.time.After(l.now.time) {
		l.now.time = now.time
	}
}

// date completes an item that is to be pushed. A time that JSON cannot express
// counts as missing.
func (l *itemList) date(it *Item, step *int) {
	it.StepIndex = l.now.step
	if step != nil {
		it.StepIndex = clampStep(*step)
	}
	if !state.HasTime(it.Timestamp) {
		it.Timestamp = l.now.time
	}
}

// push adds an item behind all others.
func (l *itemList) push(it Item) {
	l.kept.PushBack(it.ID, it)
	l.tokens += it.Tokens
}

func (l *itemList) remove(h slab.Handle) {
	l.tokens -= l.kept.At(h).Tokens
	l.kept.Remove(h)
}

// evict removes the item at a position and returns the record of it.
func (l *itemList) evict(h slab.Handle, position int, reason EvictionReason) Evicted {
	it := l.kept.At(h)
	e := Evicted{Item: it.copy(), Class: classes[l.policy.classify(it, l.now)], Reason: reason}
	e.Item.Position = position
	l.remove(h)
	return e
}

// fits reports whether there is room for as many more items and tokens.
func (l *itemList) fits(items, tokens int) bool {
	return l.len() <= l.policy.MaxItems-items && l.tokens <= l.policy.MaxTokens-tokens
}

// makeRoom evicts until as many items and tokens fit in: rank after rank, of each
// the oldest first.
func (l *itemList) makeRoom(items, tokens int) []Evicted {
	var evicted []Evicted
	for !l.fits(items, tokens) {
		h, position := l.first()
		least := l.policy.rank(l.kept.At(h), l.now)
		for h != slab.None && !l.fits(items, tokens) {
			next, it := l.kept.Next(h), l.kept.At(h)
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

// first returns the oldest item of the least rank, and its position. There must
// be an item.
func (l *itemList) first() (first slab.Handle, at int) {
	least, position := maxRank+1, 0
	for h, it := range l.all() {
		if r := l.policy.rank(it, l.now); r < least {
			first, at, least = h, position, r
		}
		position++
	}
	return first, at
}

// canMakeRoom reports whether an item of so many tokens fits in without a
// protected one leaving.
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
			next = l.kept.Next(h) // now: h may be removed
			if !yield(h, l.kept.At(h)) {
				return
			}
		}
	}
}

// copy returns an item as callers see it.
func (l *itemList) copy(h slab.Handle) Item { return l.copies([]slab.Handle{h})[0] }

// copies returns items, given oldest first, as callers see them.
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

// filtered iterates over the items that a filter keeps, oldest first. They share
// Tags and Metadata with the list, which never changes those.
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

// clone returns a copy that shares nothing that changes.
func (l *itemList) clone() itemList {
	clone := *l
	clone.kept = l.kept.Clone()
	return clone
}
