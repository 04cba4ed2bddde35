package sqlitestore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// candidate is a match, identified by its row id.
type candidate = driver.Candidate[int64]

// Search implements driver.Index. A semantic search compares every vector in the scope that passes
// the filter, so its result is exact.
func (x *Index) Search(ctx context.Context, s driver.Search) (page driver.HitPage, err error) {
	if err := s.Check(); err != nil {
		return page, err
	}
	err = x.read(ctx, func(r *recordReader) (err error) {
		page, err = r.search(&s)
		return err
	})
	if err != nil {
		return driver.HitPage{}, x.failed(ctx, "searching records", err)
	}
	return page, nil
}

func (r *recordReader) search(s *driver.Search) (driver.HitPage, error) {
	in, err := r.scope(s.Scope)
	if err != nil || in.records == 0 {
		return driver.HitPage{}, err
	}
	filter := matching(in.owner, &s.Filter)
	if s.Mode == driver.ModeList {
		return r.list(s, in, filter)
	}
	var found []candidate
	if s.Mode != driver.ModeSemantic {
		if found, err = r.keyword(s, in, filter); err != nil {
			return driver.HitPage{}, err
		}
	}
	if s.Mode != driver.ModeKeyword {
		if found, err = r.nearest(s, in, filter, found); err != nil {
			return driver.HitPage{}, err
		}
	}
	ranked, total, err := r.rank(s, found)
	if err != nil {
		return driver.HitPage{}, err
	}
	return r.page(ranked, total)
}

// page reads the records of a page.
func (r *recordReader) page(ranked []candidate, total int) (page driver.HitPage, err error) {
	page.Total = total
	stmt := r.tx.StmtContext(r.ctx, r.prepared.recordByNumber)
	for _, c := range ranked {
		hit, err := r.hit(stmt, c.ID)
		if err != nil {
			return page, err
		}
		hit.Score, hit.Similarity, hit.Keyword, hit.Compared = c.Score, c.Similarity, c.Keyword, c.Compared
		page.Hits = append(page.Hits, hit)
	}
	return page, nil
}

// searched is the scope of a search.
type searched struct {
	owner          int64 // 0 for several owners
	where          *where
	records, terms int64 // counts in the scope
}

const selectOwner = `SELECT id, records, terms FROM owners WHERE namespace = ? AND user_id = ?`

// scope reads the owners and counts of a scope.
func (r *recordReader) scope(s driver.Scope) (searched, error) {
	owners := ownersIn(s)
	in := searched{where: &where{}}
	if namespace, user, one := s.Owner(); one {
		err := r.tx.StmtContext(r.ctx, r.prepared.owner).QueryRowContext(r.ctx, namespace, user).Scan(&in.owner, number(&in.records), number(&in.terms))
		in.where.add("r.owner = ?", in.owner)
		if errors.Is(err, sql.ErrNoRows) {
			return searched{}, nil
		}
		return in, err
	}
	err := r.tx.QueryRowContext(r.ctx, `SELECT coalesce(sum(o.records), 0), coalesce(sum(o.terms), 0) FROM owners o WHERE `+owners.String(), owners.args...).
		Scan(number(&in.records), number(&in.terms))
	if len(owners.parts) > 0 {
		in.where.add("r.owner IN (SELECT o.id FROM owners o WHERE "+owners.String()+")", owners.args...)
	}
	return in, err
}

// orderBy returns the sort order of a list.
func orderBy(o driver.Order) string {
	const key = "o.namespace, o.user_id, r.key"
	switch o {
	case driver.OrderNewest:
		return "r.created_at DESC, " + key
	case driver.OrderLeastRecentlyUsed:
		return "max(coalesce(r.accessed_at, r.created_at), coalesce(r.created_at, r.accessed_at)), " + key
	}
	return key
}

const fromRecords = ` FROM records r JOIN owners o ON o.id = r.owner WHERE `

func selectCount(w *where) string { return `SELECT count(*)` + fromRecords + w.String() }

func selectList(w *where, o driver.Order) string {
	return `SELECT r.id` + fromRecords + w.String() + ` ORDER BY ` + orderBy(o) + ` LIMIT ? OFFSET ?`
}

// list returns the records that match a filter, in order.
func (r *recordReader) list(s *driver.Search, in searched, filter *where) (page driver.HitPage, err error) {
	w := in.where.and(filter)
	if s.After != nil {
		w.add("(o.namespace, o.user_id, r.key) > (?, ?, ?)", s.After.Namespace, s.After.UserID, s.After.ID)
	}
	if err := r.tx.QueryRowContext(r.ctx, selectCount(w), w.args...).Scan(&page.Total); err != nil {
		return page, err
	}
	if s.Limit == 0 || s.Offset >= page.Total {
		return page, nil
	}
	var ranked []candidate
	err = r.each(func(scan func(...any) error) error {
		var c candidate
		err := scan(&c.ID)
		ranked = append(ranked, c)
		return err
	}, selectList(w, s.Order), append(w.args, s.Limit, s.Offset)...)
	if err != nil {
		return page, err
	}
	return r.page(ranked, page.Total)
}
