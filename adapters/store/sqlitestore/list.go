package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// List implements driver.Store.
func (s *Store) List(ctx context.Context, f driver.ListOptions) (driver.Listing, error) {
	page, err := s.reader.list(ctx, f, s.now())
	if errors.Is(err, driver.ErrKey) {
		err = &FileError{Path: s.path, Err: ErrDamaged}
	}
	if err != nil {
		return driver.Listing{}, s.failed(ctx, "listing", driver.Key{}, err)
	}
	return page, nil
}

// list reads a page and its total from one snapshot.
func (r *reader) list(ctx context.Context, f driver.ListOptions, now int64) (page driver.Listing, err error) {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return page, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	where, args := conditions(f, now)
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sessions WHERE `+where, args...).Scan(&page.Total); err != nil {
		return driver.Listing{}, err
	}
	if f.Offset >= page.Total {
		return page, nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT key FROM sessions WHERE `+where+` ORDER BY key LIMIT ? OFFSET ?`,
		append(args, max(f.Limit, -1), max(f.Offset, 0))...)
	if err != nil {
		return driver.Listing{}, err
	}
	page.Keys, err = scanKeys(rows)
	return page, err
}

// conditions returns a filter in SQL. Keys start with the namespace and a slash, which namespaces
// do not contain, so the keys of a namespace are a range.
func conditions(f driver.ListOptions, now int64) (string, []any) {
	parts, args := []string{`(expires_at IS NULL OR expires_at > ?)`}, []any{now}
	add := func(part string, values ...any) {
		parts = append(parts, part)
		args = append(args, values...)
	}
	if f.Namespace != nil {
		namespace, _, _ := driver.Key{Namespace: *f.Namespace}.Escaped()
		add(`key > ? AND key < ?`, namespace+"/", namespace+"0") // 0 follows /
	}
	if f.UserID != nil {
		_, user, _ := driver.Key{UserID: *f.UserID}.Escaped()
		add(`user_id = ?`, user)
	}
	if f.SessionID != nil {
		_, _, id := driver.Key{SessionID: *f.SessionID}.Escaped()
		add(`session_id = ?`, id)
	}
	return strings.Join(parts, ` AND `), args
}
