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

// selectPostings returns the query for the postings of n terms, term by term, each with the ids of
// its records. One text of many ids takes much less time to read than many rows.
func selectPostings(n int) string {
	terms := strings.TrimSuffix(strings.Repeat("(?, ?, ?), ", n), ", ")
	return `SELECT q.column1, p.term, (SELECT group_concat(t.rowid) FROM terms t WHERE t.terms MATCH '"' || p.term || '"')
		FROM (VALUES ` + terms + `) q CROSS JOIN postings p WHERE p.term >= q.column2 AND p.term < q.column3`
}

// keyword returns the BM25 scores of the slots of an overview.
func (r *recordReader) keyword(s *driver.Search, v *overview) ([]float64, error) {
	t := &tally{overview: v, scores: make([]float64, len(v.slots))}
	// Sorted, since sums of floats depend on the order of addition.
	terms := slices.Compact(slices.Sorted(slices.Values(s.Terms)))
	for some := range slices.Chunk(terms, termsPerQuery) {
		var args []any
		for i, term := range some {
			first, end := postingRange(term, v.owner)
			args = append(args, i, first, end)
		}
		if err := r.tally(t, selectPostings(len(some)), args); err != nil {
			return nil, err
		}
	}
	return t.scores, nil
}

// tally sums BM25 scores term by term.
type tally struct {
	*overview
	scores []float64
	// having are the slots that have the current term.
	having []occurrence
}

// occurrence is how often a record has a term.
type occurrence struct{ slot, count int }

func (r *recordReader) tally(t *tally, query string, args []any) error {
	var posting string
	var ids sql.RawBytes
	last, term := 0, 0
	err := r.each(func(scan func(...any) error) error {
		if err := scan(&term, &posting, &ids); err != nil {
			return err
		}
		if term != last {
			t.endTerm()
		}
		last = term
		count, err := countOf(posting)
		at := 0
		for id := range listedIDs(ids) {
			// A posting of several owners may be that of one outside of the scope.
			var ok bool
			if at, ok = t.find(at, id); ok {
				t.having = append(t.having, occurrence{at, count})
			}
		}
		return err
	}, query, args...)
	t.endTerm()
	return err
}

// listedIDs yields the ids of a list by group_concat.
func listedIDs(list []byte) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		for id, i := int64(0), 0; i < len(list); i++ {
			if c := list[i]; c != ',' {
				id = 10*id + int64(c-'0')
			}
			if i+1 == len(list) || list[i] == ',' {
				if !yield(id) {
					return
				}
				id = 0
			}
		}
	}
}

// endTerm adds the scores of a term, once the number of records that have it is known.
func (t *tally) endTerm() {
	having := float64(len(t.having))
	rarity := math.Log1p((float64(t.records) - having + 0.5) / (having + 0.5))
	for _, o := range t.having {
		t.scores[o.slot] += rarity * t.saturation(o.count, int(t.slots[o.slot].length))
	}
	t.having = t.having[:0]
}

// saturation returns the BM25 factor for the number of occurrences of a term in a record of a given
// length. FTS5 itself would use the statistics of all records, which would let the records of other
// owners affect the order of a search.
func (in *searched) saturation(count, length int) float64 {
	const k1, b = driver.BM25K1, driver.BM25B
	mean := float64(in.terms) / float64(in.records)
	return float64(count) * (k1 + 1) / (float64(count) + k1*(1-b+b*float64(length)/mean))
}
