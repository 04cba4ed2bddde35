package slab

import (
	"encoding/binary"
	"slices"
)

const (
	// MaxRecord is the size of the largest record of a Packed list, in bytes.
	MaxRecord = 1<<16 - 1
	// prefix is what stands before each record: its size and its tag.
	prefix = 3
	// spareBytes is the room that a Packed list may keep in any case.
	spareBytes = 256
)

// Packed is a list of short records in one slice of bytes, the oldest first.
// Each has a tag of a byte to find it by: whether a record with the right tag is
// the right one is for its owner to see. Its operations take time in proportion
// to its length, which for some tens of records is less than a linked list with
// an index takes. The zero value is empty and ready for use. It is not safe for
// concurrent use, and must not be copied (see Clone).
//
// A record is named by its position, which is valid until the next change.
type Packed struct {
	bytes  []byte
	length int
}

// NoRecord is the position of no record.
const NoRecord = -1

// Len returns the number of records.
func (p *Packed) Len() int { return p.length }

// Room returns how many bytes the list occupies.
func (p *Packed) Room() int { return cap(p.bytes) }

// First returns the position of the oldest record, NoRecord if there is none.
func (p *Packed) First() int { return p.position(0) }

// Next returns the position of the record that is newer by one than that at a
// position, NoRecord if none is.
func (p *Packed) Next(at int) int { return p.position(p.end(at)) }

// At returns a record. It is valid until the next change, and may be changed in
// place.
func (p *Packed) At(at int) []byte {
	end := p.end(at)
	return p.bytes[at+prefix : end : end]
}

// Tag returns the tag of a record.
func (p *Packed) Tag(at int) byte { return p.bytes[at+prefix-1] }

// Find returns the position of the oldest record with a tag, NoRecord if there
// is none.
func (p *Packed) Find(tag byte) int { return p.find(0, tag) }

// FindNext returns the position of the next newer record with the tag of that at
// a position, NoRecord if there is none.
func (p *Packed) FindNext(at int) int { return p.find(p.end(at), p.Tag(at)) }

func (p *Packed) find(from int, tag byte) int {
	for at := from; at+prefix <= len(p.bytes); {
		head := p.bytes[at : at+prefix]
		if head[2] == tag {
			return at
		}
		at += prefix + int(binary.LittleEndian.Uint16(head))
	}
	return NoRecord
}

// Append adds a record of at most MaxRecord bytes as the newest.
func (p *Packed) Append(tag byte, record []byte) {
	p.insert(len(p.bytes), tag, record)
}

// Prepend adds a record of at most MaxRecord bytes as the oldest.
func (p *Packed) Prepend(tag byte, record []byte) {
	p.insert(0, tag, record)
}

// Remove takes a record out.
func (p *Packed) Remove(at int) {
	p.bytes = slices.Delete(p.bytes, at, p.end(at))
	p.length--
}

// MoveToEnd makes a record the newest.
func (p *Packed) MoveToEnd(at int) {
	var moving [256]byte
	for left := p.end(at) - at; left > 0; left -= len(moving) {
		n := copy(moving[:min(left, len(moving))], p.bytes[at:])
		copy(p.bytes[at:], p.bytes[at+n:])
		copy(p.bytes[len(p.bytes)-n:], moving[:n])
	}
}

// Replace puts another record of at most MaxRecord bytes in the place of one,
// which keeps its tag.
func (p *Packed) Replace(at int, record []byte) {
	tag := p.Tag(at)
	p.Remove(at)
	p.insert(at, tag, record)
}

// Trim releases memory if most of what the list occupies is not in use.
func (p *Packed) Trim() {
	if cap(p.bytes) > 2*len(p.bytes)+spareBytes {
		p.bytes = slices.Clone(p.bytes)
	}
}

// Clone returns a copy that shares nothing.
func (p *Packed) Clone() Packed {
	return Packed{bytes: slices.Clone(p.bytes), length: p.length}
}

func (p *Packed) position(at int) int {
	if at >= len(p.bytes) {
		return NoRecord
	}
	return at
}

// end returns where the record at a position ends.
func (p *Packed) end(at int) int {
	return at + prefix + int(binary.LittleEndian.Uint16(p.bytes[at:]))
}

func (p *Packed) insert(at int, tag byte, record []byte) {
	size := prefix + len(record)
	if len(p.bytes)+size > cap(p.bytes) {
		p.grow(size)
	}
	p.bytes = p.bytes[:len(p.bytes)+size]
	copy(p.bytes[at+size:], p.bytes[at:])
	binary.LittleEndian.PutUint16(p.bytes[at:], uint16(len(record)))
	p.bytes[at+prefix-1] = tag
	copy(p.bytes[at+prefix:], record)
	p.length++
}

// grow makes room for n more bytes and no more than comes with them: what is to
// spare in one of a million lists is to spare a million times. The sizes in
// which memory is handed out keep this from happening at each step.
func (p *Packed) grow(n int) {
	p.bytes = append(slices.Grow([]byte(nil), len(p.bytes)+n), p.bytes...)
}
