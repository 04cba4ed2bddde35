package sqlitestore

import (
	"database/sql"
	"math"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// atOnce is how many terms one statement looks for.
const atOnce = 500

// selectPostings finds, one behind the other, what has each of n terms: records in the
// scope, and whether they pass the filter.
func selectPostings(n int, in searched, filter *where) string {
	terms := strings.TrimSuffix(strings.Repeat("(?, ?, ?), ", n), ", ")
	return `SELECT q.column1, r.id, p.term, r.terms, r.created_at, r.accessed_at, coalesce(` + filter.String() + `, 0)
		FROM (VALUES ` + terms + `) q CROSS JOIN postings p CROSS JOIN records r ON r.id = p.doc
		WHERE p.term >= q.column2 AND p.term < q.column3 AND ` + in.where.String()
}

// keyword finds records that have one of the terms at least, with their BM25.
func (r *recordReader) keyword(s *driver.Search, in searched, filter *where) ([]candidate, error) {
	t := &tally{searched: in, places: map[int64]int{}}
	// In order: sums of floats depend on it, and what is asked for does not.
	terms := slices.Compact(slices.Sorted(slices.Values(s.Terms)))
	for some := range slices.Chunk(terms, atOnce) {
		args := slices.Clone(filter.args)
		for i, term := range some {
			first, behind := postingRange(term, in.owner)
			args = append(args, i, first, behind)
		}
		if err := r.tally(t, selectPostings(len(some), in, filter), append(args, in.where.args...)); err != nil {
			return nil, err
		}
	}
	return t.found, nil
}

// tally adds up BM25, term by term.
type tally struct {
	searched
	found  []candidate
	places map[int64]int // in found
	// Of the term that is read: what passes the filter, and how many have it, passing
	// or not.
	postings []posting
	having   float64
}

// posting is a term of a record.
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

// endTerm adds what a term counts, now that it is known how many have it.
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

// saturation is what BM25 makes of how often a record of a length has a term, with the
// constants of FTS5. It is made here as FTS5 counts all records of the table, where
// those in the scope count: what others wrote must not show in the order of a search.
func (in *searched) saturation(count, length int) float64 {
	const k1, b = 1.2, 0.75
	mean := float64(in.terms) / float64(in.records)
	return float64(count) * (k1 + 1) / (float64(count) + k1*(1-b+b*float64(length)/mean))
}

// nearest compares a vector with those of all records that pass the filter. It adds to
// what was found by keyword.
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
