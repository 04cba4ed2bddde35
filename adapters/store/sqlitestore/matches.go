package sqlitestore

import (
	"database/sql"
	"math"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// termsPerQuery is the maximum number of terms in one statement.
const termsPerQuery = 500

// selectPostings returns the query for the postings of n terms, term by term: the records in scope,
// and whether they match the filter.
func selectPostings(n int, in searched, filter *where) string {
	terms := strings.TrimSuffix(strings.Repeat("(?, ?, ?), ", n), ", ")
	return `SELECT q.column1, r.id, p.term, r.terms, r.created_at, r.accessed_at, coalesce(` + filter.String() + `, 0)
		FROM (VALUES ` + terms + `) q CROSS JOIN postings p CROSS JOIN records r ON r.id = p.doc
		WHERE p.term >= q.column2 AND p.term < q.column3 AND ` + in.where.String()
}

// keyword returns the records that have any of the terms, with their BM25 scores.
func (r *recordReader) keyword(s *driver.Search, in searched, filter *where) ([]candidate, error) {
	t := &tally{searched: in, places: map[int64]int{}}
	// Sorted, since sums of floats depend on the order of addition.
	terms := slices.Compact(slices.Sorted(slices.Values(s.Terms)))
	for some := range slices.Chunk(terms, termsPerQuery) {
		args := slices.Clone(filter.args)
		for i, term := range some {
			first, end := postingRange(term, in.owner)
			args = append(args, i, first, end)
		}
		if err := r.tally(t, selectPostings(len(some), in, filter), append(args, in.where.args...)); err != nil {
			return nil, err
		}
	}
	return t.found, nil
}

// tally sums BM25 scores term by term.
type tally struct {
	searched
	found  []candidate
	places map[int64]int // indexes in found by row id
	// For the current term: the postings of matching records, and the number of all records
	// in scope that have it.
	postings []posting
	having   float64
}

// posting is a term in a record.
type posting struct {
	id                int64
	count, length     int
	created, accessed sql.NullInt64
}

func (r *recordReader) tally(t *tally, query string, args []any) error {
	var p posting
	var text string
	var passes bool
	var term int
	last := 0
	into := []any{&term, &p.id, &text, number(&p.length), optional(&p.created), optional(&p.accessed), &passes}
	err := r.each(func(scan func(...any) error) (err error) {
		if err := scan(into...); err != nil {
			return err
		}
		if term != last {
			t.endTerm()
		}
		last = term
		t.having++
		if !passes {
			return nil
		}
		p.count, err = countOf(text)
		t.postings = append(t.postings, p)
		return err
	}, query, args...)
	t.endTerm()
	return err
}

// endTerm adds the scores of a term, once the number of records that have it is known.
func (t *tally) endTerm() {
	rarity := math.Log1p((float64(t.records) - t.having + 0.5) / (t.having + 0.5))
	for _, p := range t.postings {
		place, ok := t.places[p.id]
		if !ok {
			place = len(t.found)
			t.places[p.id] = place
			t.found = append(t.found, candidate{ID: p.id, CreatedAt: timeOfMicros(p.created), LastAccessed: timeOfMicros(p.accessed)})
		}
		t.found[place].BM25 += rarity * t.saturation(p.count, p.length)
	}
	t.postings, t.having = t.postings[:0], 0
}

// saturation returns the BM25 factor for the number of occurrences of a term in a record of a given
// length, with the constants of FTS5. FTS5 itself would use the statistics of all records, which
// would let the records of other owners affect the order of a search.
func (in *searched) saturation(count, length int) float64 {
	const k1, b = 1.2, 0.75
	mean := float64(in.terms) / float64(in.records)
	return float64(count) * (k1 + 1) / (float64(count) + k1*(1-b+b*float64(length)/mean))
}

// nearest compares a vector with those of all records that match the filter. It adds the records to
// those found by keyword.
func (r *recordReader) nearest(s *driver.Search, in searched, filter *where, found []candidate) ([]candidate, error) {
	places := make(map[int64]int, len(found))
	for i := range found {
		places[found[i].ID] = i
	}
	w := in.where.and(filter)
	w.add("v.model = ? AND length(v.vector) = ?", s.Model, 4*len(s.Vector))
	var c candidate
	var vector sql.RawBytes
	var created, accessed sql.NullInt64
	into := []any{&c.ID, &vector, optional(&created), optional(&accessed)}
	err := r.each(func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		place, ok := places[c.ID]
		if !ok {
			c.CreatedAt, c.LastAccessed = timeOfMicros(created), timeOfMicros(accessed)
			place = len(found)
			found = append(found, c)
		}
		found[place].Compared, found[place].Similarity = true, dot(s.Vector, vector)
		return nil
	}, selectVectors(w), w.args...)
	return found, err
}

func selectVectors(w *where) string {
	return `SELECT r.id, v.vector, r.created_at, r.accessed_at
		FROM records r CROSS JOIN vectors v ON v.record = r.id WHERE ` + w.String()
}
