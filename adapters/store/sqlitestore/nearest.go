package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Nearest implements driver.Index.
func (x *Index) Nearest(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error) {
	if len(searches) > driver.MaxChanges {
		return nil, tooMany("searching records", len(searches))
	}
	for i := range searches {
		if err := searches[i].Check(); err != nil {
			return nil, fmt.Errorf("sqlitestore: search %d: %w", i, err)
		}
	}
	all := make([][]driver.Hit, len(searches))
	err := x.read(ctx, func(r *recordReader) error {
		shared := overviews{}
		for i := range searches {
			page, err := r.search(&searches[i], shared)
			if err != nil {
				return err
			}
			all[i] = page.Hits
		}
		return nil
	})
	if err != nil {
		return nil, x.failed(ctx, "searching records", err)
	}
	return all, nil
}

const (
	selectMessage = `SELECT r.owner, r.session_id, r.made_at FROM records r WHERE ` + ofOwner + `r.key = ? AND r.type = 'message'`
	ofSession     = `SELECT r.key FROM records r WHERE r.type = 'message' AND r.owner = ? AND r.session_id = ? `

	selectPrevious = ofSession + `AND (r.made_at, r.key) < (?, ?) ORDER BY r.made_at DESC, r.key DESC LIMIT 1`
	selectNext     = ofSession + `AND (r.made_at, r.key) > (?, ?) ORDER BY r.made_at, r.key LIMIT 1`
)

// Neighbours implements driver.Index.
func (x *Index) Neighbours(ctx context.Context, keys []driver.RecordKey) ([]driver.Neighbours, error) {
	if len(keys) > driver.MaxChanges {
		return nil, tooMany("looking messages up", len(keys))
	}
	all := make([]driver.Neighbours, len(keys))
	err := x.read(ctx, func(r *recordReader) (err error) {
		for i, key := range keys {
			if all[i], err = r.neighbours(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, x.failed(ctx, "looking messages up", err)
	}
	return all, nil
}

// neighbours returns the neighbours of a message.
func (r *recordReader) neighbours(key driver.RecordKey) (n driver.Neighbours, err error) {
	var owner, made int64
	var session string
	err = r.tx.StmtContext(r.ctx, r.prepared.message).QueryRowContext(r.ctx, key.Namespace, key.UserID, key.ID).Scan(&owner, &session, number(&made))
	if errors.Is(err, sql.ErrNoRows) {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	for _, side := range []struct {
		stmt *sql.Stmt
		id   *string
	}{{r.prepared.previous, &n.Previous}, {r.prepared.next, &n.Next}} {
		err := r.tx.StmtContext(r.ctx, side.stmt).QueryRowContext(r.ctx, owner, session, made, key.ID).Scan(side.id)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return n, err
		}
	}
	return n, nil
}
