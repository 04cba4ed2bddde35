package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/jsonweight"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	selectEntry = `SELECT r.id, r.version, b.body, b.origin, r.accessed_at, r.accesses, v.model, v.vector
		FROM records r LEFT JOIN bodies b ON b.record = r.id LEFT JOIN vectors v ON v.record = r.id WHERE `
	ofOwner        = `r.owner = (SELECT id FROM owners WHERE namespace = ? AND user_id = ?) AND `
	selectByKey    = selectEntry + ofOwner + `r.key = ?`
	selectByHash   = selectEntry + ofOwner + `r.hash = ?`
	selectByNumber = `SELECT r.version, b.body, r.accessed_at, r.accesses
		FROM records r LEFT JOIN bodies b ON b.record = r.id WHERE r.id = ?`
)

// Lookup implements driver.Index.
func (x *Index) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	if n := len(l.Keys) + len(l.Hashes); n > driver.MaxChanges {
		return nil, tooMany("looking records up", n)
	}
	var entries []driver.Entry
	err := x.read(ctx, func(r *recordReader) (err error) {
		entries, err = r.lookup(l)
		return err
	})
	if err != nil {
		return nil, x.failed(ctx, "looking records up", err)
	}
	return entries, nil
}

func tooMany(op string, n int) error {
	return fmt.Errorf("sqlitestore: %s: %w: %d exceed the limit of %d", op, driver.ErrFilter, n, driver.MaxChanges)
}

func (r *recordReader) lookup(l driver.Lookup) ([]driver.Entry, error) {
	var entries []driver.Entry
	seen := map[int64]bool{}
	find := func(stmt *sql.Stmt, args ...any) error {
		var id int64
		e, err := r.scanEntry(&id, stmt.QueryRowContext(r.ctx, args...))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		if !seen[id] {
			entries = append(entries, e)
		}
		seen[id] = true
		return nil
	}
	byKey := r.tx.StmtContext(r.ctx, r.prepared.recordByKey)
	for _, k := range l.Keys {
		if err := find(byKey, k.Namespace, k.UserID, k.ID); err != nil {
			return nil, err
		}
	}
	byHash := r.tx.StmtContext(r.ctx, r.prepared.recordByHash)
	for _, hash := range l.Hashes {
		if err := find(byHash, l.Namespace, l.UserID, hash); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// scanEntry scans a row of selectEntry.
func (r *recordReader) scanEntry(id *int64, row *sql.Row) (e driver.Entry, err error) {
	var body, vector content
	var accessed sql.NullInt64
	var accesses int
	var origin, model sql.NullString
	if err := row.Scan(id, number(&e.Version), &body, &origin, optional(&accessed), number(&accesses), &model, &vector); err != nil {
		return e, err
	}
	if err := r.reserve(jsonweight.Stored(body) + int64(2*len(vector))); err != nil {
		return e, err
	}
	e.Record, err = recordOf(body, accessed, accesses)
	e.Origin, e.Model, e.Vector = origin.String, model.String, vectorOfBytes(vector)
	return e, err
}

// hit reads the record of a hit.
func (r *recordReader) hit(stmt *sql.Stmt, id int64) (h driver.Hit, err error) {
	var body content
	var accessed sql.NullInt64
	var accesses int
	err = stmt.QueryRowContext(r.ctx, id).Scan(number(&h.Version), &body, optional(&accessed), number(&accesses))
	if err == nil {
		err = r.reserve(jsonweight.Stored(body))
	}
	if err != nil {
		return h, err
	}
	h.Record, err = recordOf(body, accessed, accesses)
	return h, err
}
