package slab

import (
	"encoding/binary"
	"slices"
)

const (
	// MaxRecord is the size of the largest record of a Packed list, in bytes.
	MaxRecord = 1<<16 - 1
	// prefix is the size of the header of a record: two bytes of length and a tag.
	prefix = 3
	// spareBytes is the unused capacity that Trim always tolerates.
	spareBytes = 256
)

// Packed is a list of short records in a byte slice, oldest first. Records are found
// by a tag of one byte; several may have the same tag, and the caller compares them.
// Operations take time proportional to the length, which for some tens of records is
// faster than a linked list with an index. The zero value is empty and ready for use. A
// Packed list is not safe for concurrent use and must not be copied (see Clone).
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

// Room returns the number of bytes that the list occupies.
func (p *Packed) Room() int { return cap(p.bytes) }

// Size returns the number of bytes of the records.
func (p *Packed) Size() int { return len(p.bytes) }

// First returns the position of the oldest record, or NoRecord if the list is empty.
func (p *Packed) First() int { return p.position(0) }

// Next returns the position of the next newer record after the one at at, or NoRecord.
func (p *Packed) Next(at int) int { return p.position(p.end(at)) }

// At returns a record. It is valid until the next change and may be changed in place.
func (p *Packed) At(at int) []byte {
	end := p.end(at)
	return p.bytes[at+prefix : end : end]
}

// Tag returns the tag of a record.
func (p *Packed) Tag(at int) byte { return p.bytes[at+prefix-1] }

// Find returns the position of the oldest record with a tag, or NoRecord.
func (p *Packed) Find(tag byte) int { return p.find(0, tag) }

// FindNext returns the position of the next newer record with the same tag as the one
// at at, or NoRecord.
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

// Remove removes a record.
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

// Replace replaces a record with another of at most MaxRecord bytes. The tag and the
// place are kept.
func (p *Packed) Replace(at int, record []byte) {
	tag := p.Tag(at)
	p.Remove(at)
	p.insert(at, tag, record)
}

// Trim releases memory if most of the capacity is unused.
func (p *Packed) Trim() {
	if cap(p.bytes) > 2*len(p.bytes)+spareBytes {
		p.bytes = slices.Clone(p.bytes)
	}
}

// Clone returns a deep copy.
func (p *Packed) Clone() Packed {
	return Packed{bytes: slices.Clone(p.bytes), length: p.length}
}

func (p *Packed) position(at int) int {
	if at >= len(p.bytes) {
		return NoRecord
	}
	return at
}

// end returns the end of the record at a position.
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

// grow allocates exactly n more bytes, because spare capacity would multiply in a
// million lists. The size classes of the allocator keep it from running at each step.
func (p *Packed) grow(n int) {
	p.bytes = append(slices.Grow([]byte(nil), len(p.bytes)+n), p.bytes...)
}
