package sqlitestore

import (
	"database/sql"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/vectorcode"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// A block holds what a search needs to know of some records before it reads any: reading one large
// value takes much less time than many rows. Its values have room for a power of two of slots, so
// that most changes overwrite them in place, for which SQLite writes only the pages that differ.
const (
	leastSlots = 8
	// A block has at most mostSlots, or as many as have codeBytes of codes, but at least fewSlots.
	mostSlots = 512
	fewSlots  = 64
	codeBytes = 32 << 10
)

// slotLimit returns the number of slots of a full block whose codes have a size in bytes.
func slotLimit(codeSize int) int {
	limit := mostSlots
	for limit > fewSlots && limit*codeSize > codeBytes {
		limit /= 2
	}
	return limit
}

// space identifies the vectors of an owner that are comparable. Records without vectors have an
// empty model and dimension 0.
type space struct {
	owner     int64
	model     string
	dimension int
}

// slot is a record in a block.
type slot struct {
	id int64
	// created and accessed are Unix times in µs, or unknownTime.
	created, accessed int64
	// length is the number of terms, with repetitions.
	length uint32
	// kind is an index of kinds.
	kind byte
	// coded is set in an overview if the record has a vector that is comparable with that of the
	// search. It is not stored.
	coded bool
}

// slotSize is the size of an encoded slot in bytes.
const slotSize = 3*8 + 4 + 1

// unknownTime is earlier than any other time.
const unknownTime = math.MinInt64

// kinds returns the types of records by slot.kind. The first is that of all others.
func kinds() []sessiondriver.RecordType {
	return []sessiondriver.RecordType{"", sessiondriver.RecordSemantic, sessiondriver.RecordEpisodic, sessiondriver.RecordMessage}
}

func kindOf(t sessiondriver.RecordType) byte { return byte(max(0, slices.Index(kinds(), t))) }

func slotTime(us sql.NullInt64) int64 {
	if !us.Valid {
		return unknownTime
	}
	return us.Int64
}

// timeOfSlot is the inverse of slotTime.
func timeOfSlot(us int64) time.Time {
	return timeOfMicros(sql.NullInt64{Int64: us, Valid: us != unknownTime})
}

func slotOf(id int64, row *recordRow) slot {
	rec := &row.Record
	return slot{
		id: id, created: slotTime(micros(rec.CreatedAt)), accessed: slotTime(micros(rec.LastAccessed)),
		length: uint32(len(row.Terms)), kind: kindOf(rec.Type),
	}
}

func (s *slot) encode(b []byte) {
	binary.LittleEndian.PutUint64(b, uint64(s.id))
	binary.LittleEndian.PutUint64(b[8:], uint64(s.created))
	binary.LittleEndian.PutUint64(b[16:], uint64(s.accessed))
	binary.LittleEndian.PutUint32(b[24:], s.length)
	b[28] = s.kind
}

func (s *slot) decode(b []byte) {
	_ = b[slotSize-1]
	s.id = int64(binary.LittleEndian.Uint64(b))
	s.created = int64(binary.LittleEndian.Uint64(b[8:]))
	s.accessed = int64(binary.LittleEndian.Uint64(b[16:]))
	s.length = binary.LittleEndian.Uint32(b[24:])
	s.kind = b[28]
}

// block is a stored block.
type block struct {
	id       int64
	codeSize int // in bytes
	used     int
	slots    []byte
	codes    []byte
	// changed and recoded are set if slots and codes differ from the stored ones.
	changed, recoded bool
}

func codeSize(dimension int) int { return 8 * vectorcode.Words(dimension) }

func (b *block) isFull() bool { return b.used >= slotLimit(b.codeSize) }

// add adds a record to a block that is not full.
func (b *block) add(s slot, code []uint64) {
	i := b.used
	b.used++
	b.resize()
	s.encode(b.slots[i*slotSize:])
	for j, word := range code {
		binary.LittleEndian.PutUint64(b.codes[i*b.codeSize+8*j:], word)
	}
	b.changed, b.recoded = true, b.codeSize > 0
}

// resize makes room for the slots in use, and gives up room if three quarters of it are free.
func (b *block) resize() {
	room := max(leastSlots, len(b.slots)/slotSize)
	for room < b.used {
		room *= 2
	}
	for room > leastSlots && room >= 4*b.used {
		room /= 2
	}
	b.slots, b.codes = resized(b.slots, room*slotSize), resized(b.codes, room*b.codeSize)
}

func resized(b []byte, size int) []byte {
	if size <= len(b) {
		return b[:size]
	}
	return append(b, make([]byte, size-len(b))...)
}

// find returns the slot of a record.
func (b *block) find(id int64) (int, error) {
	for i := range b.used {
		if binary.LittleEndian.Uint64(b.slots[i*slotSize:]) == uint64(id) {
			return i, nil
		}
	}
	return 0, errMissing
}

// remove removes a record. The last one takes its slot.
func (b *block) remove(id int64) error {
	i, err := b.find(id)
	if err != nil {
		return err
	}
	b.used--
	moveLast(b.slots, i, b.used, slotSize)
	moveLast(b.codes, i, b.used, b.codeSize)
	b.resize()
	b.changed, b.recoded = true, b.codeSize > 0
	return nil
}

// moveLast moves the last part of a size to part i, and clears it.
func moveLast(b []byte, i, last, size int) {
	from := b[last*size : (last+1)*size]
	copy(b[i*size:], from)
	clear(from)
}

// setAccessed sets the time of the last use of a record.
func (b *block) setAccessed(id int64, us sql.NullInt64) error {
	i, err := b.find(id)
	if err == nil {
		binary.LittleEndian.PutUint64(b.slots[i*slotSize+16:], uint64(slotTime(us)))
		b.changed = true
	}
	return err
}

// blocks are the blocks that a change uses. Each is read and written at most once.
type blocks struct {
	*tx
	loaded map[int64]*block
	// open are the ids of blocks that may have room.
	open map[space][]int64
}

func newBlocks(t *tx) *blocks {
	return &blocks{tx: t, loaded: map[int64]*block{}, open: map[space][]int64{}}
}

const (
	selectBlock = `SELECT b.dimension, b.used, b.slots, c.codes FROM blocks b LEFT JOIN codes c ON c.block = b.id WHERE b.id = ?`
	selectOpen  = `SELECT id FROM blocks WHERE owner = ? AND model = ? AND dimension = ? AND full = 0`
)

// block returns a block.
func (b *blocks) block(id int64) (*block, error) {
	if found := b.loaded[id]; found != nil {
		return found, nil
	}
	err := b.query(func(scan func(...any) error) error {
		var dimension int
		var slots, codes content
		loaded := &block{id: id}
		if err := scan(number(&dimension), number(&loaded.used), &slots, &codes); err != nil {
			return err
		}
		loaded.codeSize, loaded.slots, loaded.codes = codeSize(dimension), slots, codes
		if err := checkBlock(dimension, loaded.used, slots, codes); err != nil {
			return err
		}
		b.loaded[id] = loaded
		return nil
	}, selectBlock, id)
	if err == nil && b.loaded[id] == nil {
		err = errMissing
	}
	return b.loaded[id], err
}

// checkBlock returns an error if the values of a block do not fit its numbers.
func checkBlock(dimension, used int, slots, codes []byte) error {
	const most = 1 << 20
	if dimension < 0 || dimension > most || used < 0 || used > most || len(slots) < used*slotSize || len(codes) < used*codeSize(dimension) {
		return errMissing
	}
	return nil
}

// withRoom returns a block of a space that is not full.
func (b *blocks) withRoom(of space) (*block, error) {
	open, ok := b.open[of]
	if !ok {
		err := b.query(func(scan func(...any) error) error {
			var id int64
			err := scan(number(&id))
			open = append(open, id)
			return err
		}, selectOpen, of.owner, of.model, of.dimension)
		if err != nil {
			return nil, err
		}
	}
	for ; len(open) > 0; open = open[1:] {
		b.open[of] = open
		if found, err := b.block(open[0]); err != nil || !found.isFull() {
			return found, err
		}
	}
	res, err := b.exec(`INSERT INTO blocks (owner, model, dimension, version, used, full, slots) VALUES (?, ?, ?, 0, 0, 0, x'')`, of.owner, of.model, of.dimension)
	if err != nil {
		return nil, err
	}
	id, err := res.LastInsertId()
	b.loaded[id] = &block{id: id, codeSize: codeSize(of.dimension)}
	b.open[of] = []int64{id}
	return b.loaded[id], err
}

// spaceOf returns the space of a record, and the code of its vector.
func spaceOf(owner int64, model string, vector []float32) (space, []uint64) {
	if len(vector) == 0 {
		return space{owner: owner}, nil
	}
	return space{owner, model, len(vector)}, vectorcode.Of(vector)
}

const updateSlots = `UPDATE blocks SET version = ?, used = ?, full = ?, slots = ? WHERE id = ?`

// save writes the blocks that have changed, with a new version, and removes those that are empty.
func (b *blocks) save(version int64) error {
	for _, id := range slices.Sorted(maps.Keys(b.loaded)) {
		if err := b.saveBlock(b.loaded[id], version); err != nil {
			return err
		}
	}
	return nil
}

func (b *blocks) saveBlock(changed *block, version int64) error {
	if changed.used == 0 {
		_, err := b.exec(`DELETE FROM blocks WHERE id = ?`, changed.id)
		return err
	}
	if changed.changed {
		if _, err := b.exec(updateSlots, version, changed.used, changed.isFull(), changed.slots, changed.id); err != nil {
			return err
		}
	}
	if !changed.recoded {
		return nil
	}
	// Not REPLACE or an upsert, which would write the value again.
	res, err := b.exec(`UPDATE codes SET codes = ? WHERE block = ?`, changed.codes, changed.id)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		_, err = b.exec(`INSERT INTO codes (block, codes) VALUES (?, ?)`, changed.id, changed.codes)
	}
	return err
}
