package sqlitestore

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// rank returns the page of what was found, and the total. Keys, which decide ties, are
// read only where there are some: there are far more candidates.
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
		// Which of them are on the page is not known before all of them are.
		all.Limit = total
		ranked, total = driver.Rank(&all, ranked[:total])
	}
	first := begin
	for first > 0 && tied(first-1, begin) {
		first--
	}
	for first < end {
		behind := first + 1
		for behind < len(ranked) && tied(first, behind) {
			behind++
		}
		if err := r.sortByKey(ranked[first:behind]); err != nil {
			return nil, 0, err
		}
		first = behind
	}
	return ranked[begin:end], total, nil
}

const selectKey = `SELECT o.namespace, o.user_id, r.key FROM records r JOIN owners o ON o.id = r.owner WHERE r.id = ?`

// sortByKey sorts candidates by the keys of their records.
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
