package sqlitestore

import "github.com/go-workingmemory/workingmemory/memory/longterm/driver"

// inKeyOrder joins the tables in the order of keys, which the indexes of both have, so that a page
// takes the same time wherever it is.
const inKeyOrder = `SELECT r.id FROM owners o CROSS JOIN records r ON r.owner = o.id WHERE `

// scan returns a page of the records that match a filter, in order of their keys, and no total.
func (r *recordReader) scan(s *driver.Search) (driver.HitPage, error) {
	in, err := r.scope(s.Scope)
	if err != nil || in.records == 0 {
		return driver.HitPage{}, err
	}
	var ranked []candidate
	next := func(part *where) error {
		w := ownersIn(s.Scope).and(part).and(matching(in.owner, &s.Filter))
		return r.each(func(scan func(...any) error) error {
			var c candidate
			err := scan(&c.ID)
			ranked = append(ranked, c)
			return err
		}, inKeyOrder+w.String()+` ORDER BY o.namespace, o.user_id, r.key LIMIT ?`, append(w.args, s.Limit-len(ranked))...)
	}
	rest := &where{}
	if after := s.After; after != nil {
		// First the other records of the same owner.
		same := &where{}
		same.add("o.namespace = ? AND o.user_id = ? AND r.key > ?", after.Namespace, after.UserID, after.ID)
		if err := next(same); err != nil {
			return driver.HitPage{}, err
		}
		rest.add("(o.namespace, o.user_id) > (?, ?)", after.Namespace, after.UserID)
	}
	if len(ranked) < s.Limit {
		if err := next(rest); err != nil {
			return driver.HitPage{}, err
		}
	}
	return r.page(ranked, len(ranked))
}
