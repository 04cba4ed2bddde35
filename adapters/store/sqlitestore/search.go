package sqlitestore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// candidate is a match, identified by its row id.
type candidate = driver.Candidate[int64]

// Search implements driver.Index.
func (x *Index) Search(ctx context.Context, s driver.Search) (page driver.HitPage, err error) {
	if err := s.Check(); err != nil {
		return page, err
	}
	err = x.read(ctx, func(r *recordReader) (err error) {
		page, err = r.search(&s, nil)
		return err
	})
	if err != nil {
		return driver.HitPage{}, x.failed(ctx, "searching records", err)
	}
	return page, nil
}

// overviews are the overviews that several searches on one state share.
type overviews map[overviewKey]*overview

func (r *recordReader) search(s *driver.Search, shared overviews) (driver.HitPage, error) {
	switch {
	case s.Mode == driver.ModeList && s.Order == driver.OrderKey && s.NoTotal && s.Offset == 0:
		return r.scan(s)
	case s.Mode == driver.ModeList:
		return r.list(s)
	}
	key := overviewKey{scope: s.Scope}
	if isSemantic(s) {
		key.model, key.dimension = s.Model, len(s.Vector)
	}
	view := shared[key]
	if view == nil {
		in, err := r.scope(s.Scope)
		if err != nil || in.records == 0 {
			return driver.HitPage{}, err
		}
		if view, err = r.overview(key, in); err != nil {
			return driver.HitPage{}, err
		}
		if shared != nil {
			view.isShared = true
			shared[key] = view
		}
	}
	ranked, total, err := r.ranked(s, view)
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
	owner          int64  // 0 for several owners
	condition      string // on the column owner
	args           []any
	records, terms int64 // counts in the scope
}

// owners returns the condition for rows of a table in scope.
func (in *searched) owners(table string) string { return table + "." + in.condition }

// where returns the condition for records r in scope.
func (in *searched) where() *where {
	w := &where{}
	w.add(in.owners("r"), in.args...)
	return w
}

const selectOwner = `SELECT id, records, terms FROM owners WHERE namespace = ? AND user_id = ?`

// scope reads the owners and counts of a scope.
func (r *recordReader) scope(s driver.Scope) (searched, error) {
	in := searched{condition: "owner = ?"}
	if namespace, user, one := s.Owner(); one {
		err := r.tx.StmtContext(r.ctx, r.prepared.owner).QueryRowContext(r.ctx, namespace, user).Scan(&in.owner, number(&in.records), number(&in.terms))
		in.args = []any{in.owner}
		if errors.Is(err, sql.ErrNoRows) {
			return searched{}, nil
		}
		return in, err
	}
	owners := ownersIn(s)
	in.condition, in.args = "owner IN (SELECT o.id FROM owners o WHERE "+owners.String()+")", owners.args
	err := r.tx.QueryRowContext(r.ctx, `SELECT coalesce(sum(o.records), 0), coalesce(sum(o.terms), 0) FROM owners o WHERE `+owners.String(), owners.args...).
		Scan(number(&in.records), number(&in.terms))
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
func (r *recordReader) list(s *driver.Search) (page driver.HitPage, err error) {
	in, err := r.scope(s.Scope)
	if err != nil || in.records == 0 {
		return page, err
	}
	w := in.where().and(matching(in.owner, &s.Filter))
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
