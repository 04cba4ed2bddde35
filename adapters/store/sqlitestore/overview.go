package sqlitestore

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/go-workingmemory/workingmemory/internal/vectorcode"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// overview is what a search knows of all records in its scope before it reads any.
type overview struct {
	searched
	slots []slot // by id
	// codes are those of slots that are coded, in parts, and codedAt their slots, in the same order.
	codes   [][]uint64
	codedAt []int32
	words   int // of a code
	// others is set if there are records of other types than kinds has.
	others bool
	// isShared is set if several searches use the overview. Then exact keeps the vectors by slot, if
	// they are few, once they were read.
	isShared bool
	exact    [][]byte
	// curve estimates similarities, once a search has measured some.
	curve *curve
}

// overviewKey has what an overview depends on. Without vectors, the dimension is 0.
type overviewKey struct {
	scope     driver.Scope
	model     string
	dimension int
}

func isSemantic(s *driver.Search) bool {
	return s.Mode == driver.ModeSemantic || s.Mode == driver.ModeHybrid
}

func selectBlocks(in searched) string {
	return `SELECT b.id, b.version, b.dimension > 0 AND b.model = ? AND b.dimension = ? FROM blocks b WHERE ` + in.owners("b")
}

// overview reads the blocks of a scope.
func (r *recordReader) overview(key overviewKey, in searched) (*overview, error) {
	type listed struct {
		*decodedBlock
		id, version int64
		comparable  bool
	}
	var blocks []listed
	var b listed
	into := []any{number(&b.id), number(&b.version), &b.comparable}
	err := r.each(func(scan func(...any) error) error {
		err := scan(into...)
		b.decodedBlock = r.prepared.blocks.get(b.id, b.version)
		blocks = append(blocks, b)
		return err
	}, selectBlocks(in), append([]any{key.model, key.dimension}, in.args...)...)
	if err != nil {
		return nil, err
	}
	missing := idList{}
	for _, b := range blocks {
		if b.decodedBlock == nil {
			missing.add(b.id)
		}
	}
	read, err := r.readBlocks(missing)
	if err != nil {
		return nil, err
	}
	v := &overview{searched: in, words: vectorcode.Words(key.dimension)}
	v.slots = make([]slot, 0, max(0, min(int(in.records), len(blocks)*mostSlots)))
	for _, b := range blocks {
		if b.decodedBlock == nil {
			if b.decodedBlock = read[b.id]; b.decodedBlock == nil {
				return nil, errMissing
			}
		}
		var codes []uint64
		if b.comparable {
			codes = b.codes
		}
		v.add(b.slots, codes)
	}
	if err := r.addUnindexed(v, key); err != nil {
		return nil, err
	}
	v.sort()
	return v, nil
}

const selectListedBlocks = `SELECT b.id, b.version, b.dimension, b.used, b.slots, c.codes
	FROM json_each(?) j CROSS JOIN blocks b ON b.id = j.value LEFT JOIN codes c ON c.block = b.id`

// readBlocks reads listed blocks and keeps them for other searches.
func (r *recordReader) readBlocks(ids idList) (map[int64]*decodedBlock, error) {
	read := map[int64]*decodedBlock{}
	if len(ids) == 0 {
		return read, nil
	}
	var id, version int64
	var dimension, used int
	var slots, codes sql.RawBytes
	into := []any{number(&id), number(&version), number(&dimension), number(&used), &slots, &codes}
	err := r.each(func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		if err := checkBlock(dimension, used, slots, codes); err != nil {
			return err
		}
		b := &decodedBlock{version: version, slots: make([]slot, used), codes: make([]uint64, used*vectorcode.Words(dimension))}
		for i := range b.slots {
			b.slots[i].decode(slots[i*slotSize:])
		}
		for i := range b.codes {
			b.codes[i] = binary.LittleEndian.Uint64(codes[8*i:])
		}
		read[id] = b
		r.prepared.blocks.put(id, b)
		return nil
	}, selectListedBlocks, ids.String())
	return read, err
}

// idList is a list of row ids as JSON, without its end.
type idList []byte

func (l *idList) add(id int64) {
	separator := byte(',')
	if len(*l) == 0 {
		separator = '['
	}
	*l = strconv.AppendInt(append(*l, separator), id, 10)
}

func (l idList) String() string {
	if len(l) == 0 {
		return "[]"
	}
	return string(l) + "]"
}

// add adds records, with their codes if they are comparable.
func (v *overview) add(slots []slot, codes []uint64) {
	first := len(v.slots)
	v.slots = append(v.slots, slots...)
	for i := first; i < len(v.slots); i++ {
		s := &v.slots[i]
		v.others = v.others || s.kind == 0
		if codes != nil {
			s.coded = true
			v.codedAt = append(v.codedAt, int32(i))
		}
	}
	if codes != nil {
		v.codes = append(v.codes, codes)
	}
}

func selectUnindexed(in searched) string {
	return `SELECT r.id, r.created_at, r.accessed_at, r.terms, r.type, v.vector FROM records r
		LEFT JOIN vectors v ON v.record = r.id AND v.model = ? AND length(v.vector) = ? WHERE r.block IS NULL AND ` + in.owners("r")
}

// addUnindexed adds the records that have no block yet.
func (r *recordReader) addUnindexed(v *overview, key overviewKey) error {
	var vector sql.RawBytes
	var created, accessed sql.NullInt64
	var length int64
	var kind sessiondriver.RecordType
	var s slot
	into := []any{&s.id, optional(&created), optional(&accessed), number(&length), &kind, &vector}
	return r.each(func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		s.created, s.accessed, s.length, s.kind = slotTime(created), slotTime(accessed), uint32(length), kindOf(kind)
		var code []uint64
		if len(vector) > 0 {
			code = vectorcode.Of(vectorOfBytes(vector))
		}
		v.add([]slot{s}, code)
		return nil
	}, selectUnindexed(v.searched), append([]any{key.model, 4 * key.dimension}, v.args...)...)
}

// sort sorts the slots by id. Most are in order.
func (v *overview) sort() {
	byID := func(a, b slot) int { return cmp.Compare(a.id, b.id) }
	if slices.IsSortedFunc(v.slots, byID) {
		return
	}
	coded := make([]int64, len(v.codedAt))
	for at, i := range v.codedAt {
		coded[at] = v.slots[i].id
	}
	slices.SortFunc(v.slots, byID)
	for at, id := range coded {
		i, _ := v.find(0, id)
		v.codedAt[at] = int32(i)
	}
}

// find returns the first slot from a place on with at least an id, and whether it has that id. It
// takes little time if the slot is near.
func (v *overview) find(from int, id int64) (int, bool) {
	step := 1
	for from+step < len(v.slots) && v.slots[from+step].id < id {
		step *= 2
	}
	first, end := from+step/2, min(from+step+1, len(v.slots))
	at, ok := slices.BinarySearchFunc(v.slots[first:end], id, func(s slot, id int64) int { return cmp.Compare(s.id, id) })
	return first + at, ok
}

func selectVectors(in searched) string {
	return `SELECT r.id, v.vector FROM records r CROSS JOIN vectors v ON v.record = r.id
		WHERE v.model = ? AND length(v.vector) = ? AND ` + in.owners("r")
}

// eachVector calls each with all vectors that are comparable with that of a search. Of a
// shared overview, few vectors are kept for the next search.
func (r *recordReader) eachVector(v *overview, s *driver.Search, each func(slot int, vector []byte)) error {
	if v.exact == nil {
		keep := v.isShared && len(v.codedAt) <= driver.ExactVectors
		if keep {
			v.exact = make([][]byte, len(v.slots))
		}
		var id int64
		var vector sql.RawBytes
		at, ok := 0, false
		err := r.each(func(scan func(...any) error) error {
			if err := scan(&id, &vector); err != nil {
				return err
			}
			if at < len(v.slots) && id < v.slots[at].id {
				at = 0 // the next owner
			}
			if at, ok = v.find(at, id); !ok {
				return errMissing
			}
			if keep {
				v.exact[at] = slices.Clone(vector)
			} else {
				each(at, vector)
			}
			return nil
		}, selectVectors(v.searched), append([]any{s.Model, 4 * len(s.Vector)}, v.args...)...)
		if err != nil || !keep {
			return err
		}
	}
	for i, vector := range v.exact {
		if vector != nil {
			each(i, vector)
		}
	}
	return nil
}
