package sqlitestore

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// recordRow is an entry with its stored form.
type recordRow struct {
	driver.Entry
	body   []byte
	vector []byte
}

// newRecordRow returns the stored form of an entry.
func newRecordRow(e *driver.Entry) (*recordRow, error) {
	r := &recordRow{Entry: *e, vector: bytesOfVector(e.Vector)}
	rec := e.Record
	for _, at := range []*time.Time{&rec.EventDate, &rec.CreatedAt, &rec.UpdatedAt, &rec.PersistedAt} {
		*at = at.Truncate(time.Microsecond).UTC()
	}
	rec.LastAccessed, rec.AccessCount = time.Time{}, 0 // these have columns of their own
	var err error
	r.body, err = json.Marshal(rec)
	return r, err
}

// recordOf returns the record of a body and its columns.
func recordOf(body []byte, accessed sql.NullInt64, accesses int) (driver.Record, error) {
	var rec driver.Record
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&rec); err != nil {
		return rec, errBody // not err, which may quote the body
	}
	rec.LastAccessed, rec.AccessCount = timeOfMicros(accessed), accesses
	return rec, nil
}

// tagsOf returns topics or entities, sorted and without duplicates.
func tagsOf(tags []string) []string { return slices.Compact(slices.Sorted(slices.Values(tags))) }

// micros returns a time in Unix microseconds, limited to the range of int64, or NULL for the zero
// time.
func micros(t time.Time) sql.NullInt64 {
	const farthest = math.MaxInt64 / 1_000_000 // in seconds
	n := sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
	switch s := t.Unix(); {
	case s >= farthest:
		n.Int64 = math.MaxInt64
	case s <= -farthest:
		n.Int64 = math.MinInt64
	}
	return n
}

// timeOfMicros is the inverse of micros.
func timeOfMicros(us sql.NullInt64) time.Time {
	if !us.Valid {
		return time.Time{}
	}
	return time.UnixMicro(us.Int64).UTC()
}

func bytesOfVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func vectorOfBytes(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// dot returns the dot product of a vector and a stored one of the same dimension, which is their
// cosine if both have length 1.
func dot(v []float32, b []byte) float64 {
	at := func(i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }
	var a0, a1, a2, a3 float32 // four independent sums run in parallel
	i := 0
	for ; i+4 <= len(v); i += 4 {
		a0 += v[i] * at(i)
		a1 += v[i+1] * at(i+1)
		a2 += v[i+2] * at(i+2)
		a3 += v[i+3] * at(i+3)
	}
	for ; i < len(v); i++ {
		a0 += v[i] * at(i)
	}
	return min(1, max(-1, float64(a0+a1+a2+a3)))
}
