package memory

import (
	"iter"

	"github.com/go-workingmemory/workingmemory/memory/internal/state"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// itemList keeps items in the order of their arrival, knows which one is to
// leave next, and counts what there is of each class.
type itemList struct {
	policy *itemPolicy
	now    moment // the latest seen
	kept   slab.Keyed[Item]
	ranks  slab.Ranking
	count  [len(classes)]itemCount
}

// itemCount is a number of items and their tokens.
type itemCount struct{ items, tokens int }

func (c *itemCount) add(it *Item, n int) {
	c.items += n
	c.tokens += n * it.Tokens
}

func (l *itemList) len() int { return l.kept.Len() }

func (l *itemList) tokens() int {
	tokens := 0
	for _, c := range l.count {
		tokens += c.tokens
	}
	return tokens
}

// advance moves step and clock on, and looks again at the items of which that
// changes the class.
func (l *itemList) advance(now moment) {
	l.now.step = max(l.now.step, now.step)
	if now.time.After(l.now.time) {
		l.now.time = now.time
	}
	step, time := l.now.step, nanoseconds(l.now.time)
	for h := l.ranks.Due(step, time); h != slab.None; h = l.ranks.Due(step, time) {
		l.rank(h)
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

// rank finds the place of an item in the order of eviction anew.
func (l *itemList) rank(h slab.Handle) {
	it := l.kept.At(h)
	l.count[classOf(l.ranks.At(h))].add(it, -1)
	leaf := l.policy.leaf(it, l.now)
	l.count[classOf(leaf)].add(it, 1)
	l.ranks.Set(h, leaf)
}

// push adds an item behind all others.
func (l *itemList) push(it Item) slab.Handle {
	leaf := l.policy.leaf(&it, l.now)
	h := l.kept.PushBack(it.ID, it)
	l.ranks.Push(h, leaf)
	l.count[classOf(leaf)].add(&it, 1)
	return h
}

func (l *itemList) remove(h slab.Handle) {
	l.count[classOf(l.ranks.At(h))].add(l.kept.At(h), -1)
	l.ranks.Remove(h)
	l.kept.Remove(h)
}

// trim releases memory if most of what the list occupies is not in use. Handles
// are not valid afterwards.
func (l *itemList) trim() {
	if l.kept.Slots() > 4*l.len()+spareSlots {
		*l = l.clone()
	}
}

// evict removes an item and says so.
func (l *itemList) evict(h slab.Handle, reason EvictionReason) EvictedItem {
	e := EvictedItem{Item: l.copy(h), Class: classes[classOf(l.ranks.At(h))], Reason: reason}
	l.remove(h)
	return e
}

// makeRoom evicts until as many items and tokens fit in.
func (l *itemList) makeRoom(items, tokens int) []EvictedItem {
	var evicted []EvictedItem
	for l.len() > l.policy.MaxItems-items || l.tokens() > l.policy.MaxTokens-tokens {
		h := l.ranks.First()
		reason := l.policy.reason(l.kept.At(h), classOf(l.ranks.At(h)), l.now)
		evicted = append(evicted, l.evict(h, reason))
	}
	return evicted
}

// canMakeRoom reports whether an item of so many tokens fits in without a
// protected one leaving.
func (l *itemList) canMakeRoom(tokens int) bool {
	kept := l.count[protected]
	return kept.items < l.policy.MaxItems && kept.tokens <= l.policy.MaxTokens-tokens
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
func (l *itemList) copy(h slab.Handle) Item {
	it := l.kept.At(h).copy()
	it.Position = l.ranks.Position(h)
	return it
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
	clone := itemList{policy: l.policy, now: l.now, count: l.count, kept: l.kept.Clone()}
	clone.ranks = l.ranks.Clone(func(yield func(slab.Handle) bool) {
		for h := range clone.all() {
			if !yield(h) {
				return
			}
		}
	})
	return clone
}
