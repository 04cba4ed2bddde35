package sqlitestore

import (
	"database/sql"
	"math"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// What is found by a term: records in the scope that have it, and whether each passes
// the filter.
func selectPostings(in searched, filter *where) string {
	return `SELECT r.id, p.term, r.terms, r.created_at, r.accessed_at, coalesce(` + filter.String() + `, 0)
		FROM postings p CROSS JOIN records r ON r.id = p.doc WHERE p.term >= ? AND p.term < ? AND ` + in.where.String()
}

// keyword finds records that have one of the terms at least, with their BM25.
func (r *recordReader) keyword(s *longterm.Search, in searched, filter *where) ([]candidate, error) {
	var found []candidate
	places := map[int64]int{}
	query := selectPostings(in, filter)
	// In order: sums of floats depend on it, and what is asked for does not.
	for _, term := range slices.Compact(slices.Sorted(slices.Values(s.Terms))) {
		first, behind := postingRange(term, in.owner)
		args := append(append(append([]any{}, filter.args...), first, behind), in.where.args...)
		postings, having, err := r.postings(query, args)
		if err != nil {
			return nil, err
		}
		rarity := math.Log1p((float64(in.records) - having + 0.5) / (having + 0.5))
		for _, p := range postings {
			place, ok := places[p.ID]
			if !ok {
				place = len(found)
				places[p.ID] = place
				found = append(found, p.candidate)
			}
			found[place].BM25 += rarity * in.saturation(p.count, p.length)
		}
	}
	return found, nil
}

// posting is a term of a record that passes the filter.
type posting struct {
	candidate
	count, length int
}

// postings returns those that pass the filter, and how many records in the scope have
// the term, passing or not.
func (r *recordReader) postings(query string, args []any) (postings []posting, having float64, err error) {
	var p posting
	var text string
	var created, accessed sql.NullInt64
	var passes bool
	into := []any{&p.ID, &text, number(&p.length), optional(&created), optional(&accessed), &passes}
	err = r.each(func(scan func(...any) error) (err error) {
		if err := scan(into...); err != nil {
			return err
		}
		having++
		if !passes {
			return nil
		}
		p.CreatedAt, p.LastAccessed = timeOfMicros(created), timeOfMicros(accessed)
		p.count, err = countOf(text)
		postings = append(postings, p)
		return err
	}, query, args...)
	return postings, having, err
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
func (r *recordReader) nearest(s *longterm.Search, in searched, filter *where, found []candidate) ([]candidate, error) {
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
	}, `SELECT r.id, v.vector, r.created_at, r.accessed_at
		FROM records r CROSS JOIN vectors v ON v.record = r.id WHERE `+w.String(), w.args...)
	return found, err
}
