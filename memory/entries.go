package memory

import (
	"hash/maphash"
	"iter"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// fewRecords is the largest number of records that are packed, which takes half the
// memory of a slab. Beyond it, an index is faster than a linear search.
const fewRecords = 32

// entries keeps records in order of use and finds them by a hash of their identity.
// A few records are packed one after another, since most contexts never hold more;
// many are in a slab. The zero value is empty.
type entries struct {
	seed maphash.Seed
	few  slab.Packed
	many *crowd // if not nil, used in place of few
	// aliased is set once a record has aliases.
	aliased bool
	held    int // the number of held records, and of those that a call made
	made    int
}

// place names a record until the next change. It is the position plus one in few and
// the handle in many.
type place int32

const nowhere place = 0

func (e *entries) len() int {
	if e.many != nil {
		return e.many.records.Len()
	}
	return e.few.Len()
}

// size returns the size of all records in bytes.
func (e *entries) size() int {
	if e.many == nil {
		return e.few.Size()
	}
	return e.many.size
}

// hashOf returns the hash of an identity. Only the id is hashed, because records of all
// types are candidates. The seed is random, so that collisions cannot be provoked.
func (e *entries) hashOf(id *identity) uint32 {
	if e.seed == (maphash.Seed{}) {
		e.seed = maphash.MakeSeed()
	}
	return uint32(maphash.Bytes(e.seed, id.id))
}

// find returns a record with the hash; findNext returns the others.
func (e *entries) find(hash uint32) place {
	if e.many != nil {
		return place(e.many.records.Find(hash))
	}
	return place(e.few.Find(byte(hash)) + 1)
}

func (e *entries) findNext(p place) place {
	if e.many != nil {
		return place(e.many.records.FindNext(slab.Handle(p)))
	}
	return place(e.few.FindNext(int(p)-1) + 1)
}

// at returns a record, which is valid until the next change. Its flags may be changed
// in place.
func (e *entries) at(p place) record {
	if e.many != nil {
		return *e.many.records.At(slab.Handle(p))
	}
	return e.few.At(int(p) - 1)
}

// oldest returns the least recently used record.
func (e *entries) oldest() place {
	if e.many != nil {
		return place(e.many.records.Back())
	}
	return place(e.few.First() + 1)
}

// newer returns the record used next after p, or nowhere.
func (e *entries) newer(p place) place {
	if e.many != nil {
		return place(e.many.records.Prev(slab.Handle(p)))
	}
	return place(e.few.Next(int(p)-1) + 1)
}

// next returns the record to evict first: the least recently used one, but for the held ones
// and those that a call made, as long as there are at most reserve of them.
func (e *entries) next(reserve int) place {
	p := e.oldest()
	for p != nowhere && (e.held <= reserve && e.at(p).held() || e.made <= reserve && e.at(p).made()) {
		p = e.newer(p)
	}
	if p == nowhere {
		return e.oldest()
	}
	return p
}

// setMark marks a record as held, or as made and therefore held, and reports whether it was not.
func (e *entries) setMark(p place, mark byte) bool {
	r := e.at(p)
	if r[marksAt]&mark != 0 {
		return false
	}
	e.forget(r)
	r[marksAt] |= mark | flagHeld
	e.note(r)
	return true
}

// hash returns the hash of a record.
func (e *entries) hash(p place) uint32 {
	if e.many != nil {
		return e.many.records.Hash(slab.Handle(p))
	}
	id := e.at(p).identity()
	return e.hashOf(&id)
}

// hasHash reports whether the hash of a record is among hashes.
func (e *entries) hasHash(p place, hashes []uint32) bool {
	if e.many == nil {
		tag := e.few.Tag(int(p) - 1)
		if !slices.ContainsFunc(hashes, func(hash uint32) bool { return byte(hash) == tag }) {
			return false
		}
	}
	return slices.Contains(hashes, e.hash(p))
}

func (e *entries) isNewest(p place) bool {
	if e.many != nil {
		return e.many.records.Front() == slab.Handle(p)
	}
	return e.few.Next(int(p)-1) == slab.NoRecord
}

// newest appends the places of the n newest records, or of all if there are fewer,
// newest first.
func (e *entries) newest(dst []place, n int) []place {
	n = min(n, e.len())
	dst = slices.Grow(dst, n)
	if e.many != nil {
		h := e.many.records.Front()
		for range n {
			dst = append(dst, place(h))
			h = e.many.records.Next(h)
		}
		return dst
	}
	start := len(dst)
	skip := e.few.Len() - n
	for at := e.few.First(); at != slab.NoRecord; at = e.few.Next(at) {
		if skip--; skip < 0 {
			dst = append(dst, place(at+1))
		}
	}
	slices.Reverse(dst[start:])
	return dst
}

// pushFront adds a copy of a record as the newest.
func (e *entries) pushFront(hash uint32, r record) {
	e.makeRoom()
	e.note(r)
	if e.many != nil {
		e.many.pushFront(hash, r)
	} else {
		e.few.Append(byte(hash), r)
	}
}

// pushBack adds a copy of a record as the oldest.
func (e *entries) pushBack(hash uint32, r record) {
	e.makeRoom()
	e.note(r)
	if e.many != nil {
		e.many.pushBack(hash, r)
	} else {
		e.few.Prepend(byte(hash), r)
	}
}

// touch makes a record the newest.
func (e *entries) touch(p place) {
	if e.many != nil {
		e.many.records.MoveToFront(slab.Handle(p))
	} else {
		e.few.MoveToEnd(int(p) - 1)
	}
}

// renew replaces a record with a copy of another that has the same hash, and makes it
// the newest.
func (e *entries) renew(p place, hash uint32, r record) {
	if e.many != nil {
		e.many.records.MoveToFront(slab.Handle(p))
		e.replace(p, r)
		return
	}
	e.forget(e.at(p))
	e.note(r)
	e.few.Remove(int(p) - 1)
	e.few.Append(byte(hash), r)
}

// replace replaces a record with a copy of another that has the same hash.
func (e *entries) replace(p place, r record) {
	e.forget(e.at(p))
	e.note(r)
	if e.many != nil {
		e.many.replace(slab.Handle(p), r)
	} else {
		e.few.Replace(int(p)-1, r)
	}
}

func (e *entries) remove(p place) {
	e.forget(e.at(p))
	if e.many != nil {
		e.many.remove(slab.Handle(p))
	} else {
		e.few.Remove(int(p) - 1)
	}
}

// note counts a record, and forget is the reverse.
func (e *entries) note(r record) {
	e.aliased = e.aliased || len(r.aliases()) > 0
	if r.held() {
		e.held++
	}
	if r.made() {
		e.made++
	}
}

func (e *entries) forget(r record) {
	if r.held() {
		e.held--
	}
	if r.made() {
		e.made--
	}
}

// withAlias iterates over the records that may have an alias.
func (e *entries) withAlias(alias string) iter.Seq[place] {
	return func(yield func(place) bool) {
		if e.many != nil {
			for _, h := range e.many.aliases[alias] {
				if !yield(place(h)) {
					return
				}
			}
			return
		}
		for at := e.few.First(); at != slab.NoRecord; at = e.few.Next(at) {
			if len(record(e.few.At(at)).aliases()) > 0 && !yield(place(at+1)) {
				return
			}
		}
	}
}

// fitCapacity releases memory that a large change needed only temporarily.
func (e *entries) fitCapacity(capacity int) {
	switch {
	case e.many == nil:
		e.few.Trim()
	case e.len() <= fewRecords/2 || e.many.records.Slots() > 2*capacity+fewRecords:
		*e = e.clone()
	}
}

// clone returns a deep copy without spare capacity.
func (e *entries) clone() entries {
	clone := entries{seed: e.seed, aliased: e.aliased}
	switch {
	case e.many == nil:
		clone.few, clone.held, clone.made = e.few.Clone(), e.held, e.made
	case e.len() <= fewRecords:
		for h := e.many.records.Front(); h != slab.None; h = e.many.records.Next(h) {
			clone.pushBack(e.many.records.Hash(h), *e.many.records.At(h))
		}
	default:
		clone.many, clone.held, clone.made = e.many.clone(), e.held, e.made
	}
	return clone
}

// makeRoom moves the records from few to many if one more would exceed fewRecords.
func (e *entries) makeRoom() {
	if e.many != nil || e.few.Len() < fewRecords {
		return
	}
	e.many = new(crowd)
	for at := e.few.First(); at != slab.NoRecord; at = e.few.Next(at) {
		r := record(e.few.At(at))
		id := r.identity()
		e.many.pushFront(e.hashOf(&id), r)
	}
	e.few = slab.Packed{}
}
