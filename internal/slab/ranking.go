package slab

import (
	"iter"
	"math"
	"slices"
)

// fan is how many nodes of a level one of the level above stands for.
const fan = 8

// NeverStep and NeverTime are the dates of what does not fall due.
const (
	NeverStep = math.MaxInt
	NeverTime = math.MaxInt64
)

// Leaf is what a Ranking knows of an entry.
type Leaf struct {
	// Rank orders the entries; MaxRank is the largest.
	Rank uint8
	// Step and Time are when the entry falls due, whichever comes first.
	Step int
	Time int64
}

// MaxRank is the largest rank of a Leaf.
const MaxRank = math.MaxUint8 - 1

// Ranking keeps the entries of a list, known by their handles, in the order in
// which they arrived, and finds the first of those with the least rank, the
// entry at a position, the position of an entry, and one that is due. All of it
// and every change takes logarithmic time; once it has grown to the size a
// collection settles at, nothing allocates. The zero value is empty and ready for
// use. It is not safe for concurrent use, and must not be copied (see Clone).
//
//	levels[2]   [            5 below, least rank 2             ]
//	levels[1]   [ 3 below, least rank 4 | 2 below, least rank 2 ]
//	levels[0]   [ 4 | – | 6 | 4 …       | 2 | 2 ]
//
// An entry that leaves leaves a gap; when there are many, the rest moves up.
type Ranking struct {
	levels  [][]branch // levels[0] has an entry for each slot
	handles []Handle   // of the slots; None where there is a gap
	slots   []int32    // slots[h-1] is where h is
}

// branch sums up what is below it.
type branch struct {
	step  int
	time  int64
	count int32
	rank  uint8
}

var nothing = branch{rank: math.MaxUint8, step: NeverStep, time: NeverTime}

// Len returns the number of entries.
func (r *Ranking) Len() int { return int(r.root().count) }

// Push puts an entry behind all others.
func (r *Ranking) Push(h Handle, l Leaf) {
	if r.gaps() > r.Len()/2+fan {
		r.closeGaps()
	}
	r.append(h, l.branch())
	r.update(len(r.handles) - 1)
}

// At returns what is known of an entry.
func (r *Ranking) At(h Handle) Leaf {
	b := &r.levels[0][r.slots[h-1]]
	return Leaf{Rank: b.rank, Step: b.step, Time: b.time}
}

// Set replaces what is known of an entry.
func (r *Ranking) Set(h Handle, l Leaf) {
	slot := int(r.slots[h-1])
	r.levels[0][slot] = l.branch()
	r.update(slot)
}

// Remove takes an entry out.
func (r *Ranking) Remove(h Handle) {
	slot := int(r.slots[h-1])
	r.levels[0][slot], r.handles[slot] = nothing, None
	r.update(slot)
}

// First returns the first of the entries that have the least rank, None if there
// are no entries.
func (r *Ranking) First() Handle {
	root := r.root()
	if root.count == 0 {
		return None
	}
	return r.find(func(b *branch) bool { return b.rank == root.rank })
}

// Due returns an entry of which one of the dates is reached, None if there is none.
func (r *Ranking) Due(step int, time int64) Handle {
	due := func(b *branch) bool { return b.count > 0 && (b.step <= step || b.time <= time) }
	if root := r.root(); !due(&root) {
		return None
	}
	return r.find(due)
}

// Select returns the entry at a position, None if there is none.
func (r *Ranking) Select(position int) Handle {
	if position < 0 || position >= r.Len() {
		return None
	}
	return r.find(func(b *branch) bool {
		if position < int(b.count) {
			return true
		}
		position -= int(b.count)
		return false
	})
}

// Position returns how many entries stand before one.
func (r *Ranking) Position(h Handle) int {
	at, before := int(r.slots[h-1]), 0
	for _, level := range r.levels {
		for i := at - at%fan; i < at; i++ {
			before += int(level[i].count)
		}
		at /= fan
	}
	return before
}

// Clone returns a copy that shares nothing, without gaps, of which the entries
// have other handles, given in order.
func (r *Ranking) Clone(handles iter.Seq[Handle]) Ranking {
	var clone Ranking
	slot := 0
	for h := range handles {
		for r.handles[slot] == None {
			slot++
		}
		clone.append(h, r.levels[0][slot])
		slot++
	}
	clone.build()
	return clone
}

func (l Leaf) branch() branch {
	return branch{rank: min(l.Rank, MaxRank), step: l.Step, time: l.Time, count: 1}
}

// root sums up all entries.
func (r *Ranking) root() branch {
	if len(r.levels) == 0 {
		return nothing
	}
	return sum(r.levels[len(r.levels)-1])
}

func (r *Ranking) gaps() int { return len(r.handles) - r.Len() }

// find goes down to an entry, on each level to the first branch that fits. One
// of the highest level fits, and one below each that does.
func (r *Ranking) find(fits func(*branch) bool) Handle {
	at := 0
	for _, level := range slices.Backward(r.levels) {
		at *= fan
		for !fits(&level[at]) {
			at++
		}
	}
	return r.handles[at]
}

// append adds a slot, of which the levels above do not know yet.
func (r *Ranking) append(h Handle, b branch) {
	if len(r.levels) == 0 {
		r.levels = make([][]branch, 1)
	}
	r.levels[0] = append(r.levels[0], b)
	for int(h) > len(r.slots) {
		r.slots = append(r.slots, 0)
	}
	r.slots[h-1] = int32(len(r.handles))
	r.handles = append(r.handles, h)
}

// update tells the levels above of a change in a slot, which may be a new one.
func (r *Ranking) update(slot int) {
	for l := 1; len(r.levels[l-1]) > fan; l++ {
		slot /= fan
		if l == len(r.levels) {
			r.fill(l)
			continue
		}
		b := sum(r.below(l, slot))
		if slot == len(r.levels[l]) {
			r.levels[l] = append(r.levels[l], b)
			continue
		}
		if r.levels[l][slot] == b {
			return
		}
		r.levels[l][slot] = b
	}
}

// closeGaps moves all entries up.
func (r *Ranking) closeGaps() {
	leaves, handles := r.levels[0], r.handles
	r.levels[0], r.handles = leaves[:0], handles[:0]
	for slot, h := range handles {
		if h != None {
			r.append(h, leaves[slot])
		}
	}
	r.build()
}

// build makes the levels above the first.
func (r *Ranking) build() {
	top := 0
	for top < len(r.levels) && len(r.levels[top]) > fan {
		top++
		r.fill(top)
	}
	r.levels = r.levels[:min(top+1, len(r.levels))]
}

// fill makes a level anew, in the room of an earlier one if it can.
func (r *Ranking) fill(l int) {
	if l == cap(r.levels) {
		r.levels = append(r.levels, nil)
	}
	r.levels = r.levels[:max(l+1, len(r.levels))]
	r.levels[l] = r.levels[l][:0]
	for at := 0; at*fan < len(r.levels[l-1]); at++ {
		r.levels[l] = append(r.levels[l], sum(r.below(l, at)))
	}
}

// below returns the nodes that one of level l stands for.
func (r *Ranking) below(l, at int) []branch {
	level := r.levels[l-1]
	return level[at*fan : min((at+1)*fan, len(level))]
}

func sum(bs []branch) branch {
	total := nothing
	for i := range bs {
		b := &bs[i]
		total.count += b.count
		total.rank = min(total.rank, b.rank)
		total.step = min(total.step, b.step)
		total.time = min(total.time, b.time)
	}
	return total
}
