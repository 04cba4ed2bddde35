package sqlitestore

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// rank returns the page of the matches and their total. Keys, which break ties, are read only for
// tied matches.
func (r *recordReader) rank(s *driver.Search, found []candidate) (page []candidate, total int, err error) {
	all := *s
	all.Offset, all.Limit = 0, min(s.Offset, len(found))+s.Limit+1
	ranked, total := driver.Rank(&all, found)
	begin := min(s.Offset, total)
	end := min(begin+s.Limit, total)
	if begin == end {
		return nil, total, nil
	}
	tied := func(a, b int) bool {
		return ranked[a].Score == ranked[b].Score && ranked[a].CreatedAt.Equal(ranked[b].CreatedAt)
	}
	if end < total && tied(end-1, end) {
		// The page ends within a tie, so all of the tied matches are needed.
		all.Limit = total
		ranked, total = driver.Rank(&all, ranked[:total])
	}
	first := begin
	for first > 0 && tied(first-1, begin) {
		first--
	}
	for first < end {
		last := first + 1
		for last < len(ranked) && tied(first, last) {
			last++
		}
		if err := r.sortByKey(ranked[first:last]); err != nil {
			return nil, 0, err
		}
		first = last
	}
	return ranked[begin:end], total, nil
}

const selectKey = `SELECT o.namespace, o.user_id, r.key FROM records r JOIN owners o ON o.id = r.owner WHERE r.id = ?`

// sortByKey sorts candidates by key.
func (r *recordReader) sortByKey(tied []candidate) error {
	if len(tied) == 1 {
		return nil
	}
	stmt := r.tx.StmtContext(r.ctx, r.prepared.keyOfRecord)
	keys := make(map[int64]driver.RecordKey, len(tied))
	for _, c := range tied {
		var k driver.RecordKey
		if err := stmt.QueryRowContext(r.ctx, c.ID).Scan(&k.Namespace, &k.UserID, &k.ID); err != nil {
			return err
		}
		keys[c.ID] = k
	}
	slices.SortFunc(tied, func(a, b candidate) int { return keys[a.ID].Compare(keys[b.ID]) })
	return nil
}
