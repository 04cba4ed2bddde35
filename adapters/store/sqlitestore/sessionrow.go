package sqlitestore

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const (
	columns = `id, format, revision, first, next, tokens, window, updated_at, expires_at, due_at`

	// selectSession also returns the number of the last message.
	selectSession = `SELECT ` + columns + `, (SELECT max(seq) FROM messages WHERE session = sessions.id)
		FROM sessions WHERE key = ?`

	selectWithHead = `SELECT ` + columns + `, head
		FROM sessions LEFT JOIN heads ON heads.session = sessions.id WHERE key = ?`
)

// row is the row of a session.
type row struct {
	driver.Position
	id      int64
	format  int
	updated int64 // in milliseconds
	expires sql.NullInt64
	due     sql.NullInt64
}

// scan scans columns and the additional ones that were selected.
func (r *row) scan(key driver.Key, from *sql.Row, more ...any) error {
	into := []any{
		&r.id, number(&r.format), number(&r.Revision), number(&r.First), number(&r.Next), number(&r.Tokens),
		number(&r.Window), number(&r.updated), optional(&r.expires), optional(&r.due),
	}
	err := from.Scan(append(into, more...)...)
	if errors.Is(err, errNotNumber) {
		return &driver.DamagedError{Key: key, Part: "position", Err: errNotNumber}
	}
	r.setTimes()
	return err
}

// setTimes sets the times of the position from the columns.
func (r *row) setTimes() {
	r.UpdatedAt, r.ExpiresAt, r.DueAt = time.UnixMilli(r.updated).UTC(), timeOf(r.expires), timeOf(r.due)
}

// timeOf returns a time from milliseconds, the zero time for NULL.
func timeOf(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// expired reports whether the session has expired at a time in milliseconds.
func (r *row) expired(now int64) bool { return r.expires.Valid && r.expires.Int64 <= now }

// possible reports whether the numbers of the position are consistent.
func (r *row) possible() bool {
	return int64(r.Revision) >= 1 && int64(r.First) >= 1 && int64(r.Next) >= int64(r.First)
}

// check returns a *session.DamagedError if the session is inconsistent with the number of its last
// message. Its cost does not depend on the length of the session.
func (r *row) check(key driver.Key, last sql.NullInt64) error {
	switch {
	case !r.possible():
		return &driver.DamagedError{Key: key, Part: "position", Err: errImpossible}
	case r.Next > r.First && (!last.Valid || uint64(last.Int64) < r.Next-1):
		return damagedMessage(key, r.Next-1, errMissing)
	case last.Valid && uint64(last.Int64) >= r.Next:
		return damagedMessage(key, uint64(last.Int64), errImpossible)
	}
	return nil
}

func damagedMessage(key driver.Key, seq uint64, err error) error {
	return &driver.DamagedError{Key: key, Part: fmt.Sprintf("message %d", seq), Err: err}
}

// meets returns ErrConflict unless the session meets a condition.
func (r *row) meets(where driver.Condition) error {
	if r.Revision != where.Revision || where.Next != 0 && r.Next != where.Next {
		return driver.ErrConflict
	}
	return nil
}

// find returns the session of a key, or nil if it does not exist or has expired. The row of an
// expired session may still exist: see clear.
func (t *tx) find(key driver.Key, now int64) (*row, error) {
	stmt, err := t.stmt(t.ctx, selectSession)
	if err != nil {
		return nil, err
	}
	var r row
	var last sql.NullInt64
	err = r.scan(key, stmt.QueryRowContext(t.ctx, key.String()), optional(&last))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case r.expired(now):
		return nil, nil
	}
	return &r, r.check(key, last)
}

// clear removes the row of a key, if any.
func (t *tx) clear(key driver.Key) error {
	_, err := t.exec(`DELETE FROM sessions WHERE key = ?`, key.String())
	return err
}

// create inserts a session without messages. It replaces an expired one.
func (t *tx) create(key driver.Key, r *row, head []byte) error {
	if err := t.clear(key); err != nil {
		return err
	}
	_, user, id := key.Escaped()
	res, err := t.exec(`INSERT INTO sessions (key, user_id, session_id, format, revision, first, next, tokens, window, updated_at, expires_at, due_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, key.String(), user, id,
		r.format, int64(r.Revision), int64(r.First), int64(r.Next), r.Tokens, r.Window, r.updated, r.expires, r.due)
	if err != nil {
		return err
	}
	if r.id, err = res.LastInsertId(); err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO heads (session, head) VALUES (?, ?)`, r.id, bytesOf(head))
	return err
}

// save writes the position and the format of a session.
func (t *tx) save(r *row, expiry, due bool) error {
	if expiry { // separate, since it also updates an index
		if _, err := t.exec(`UPDATE sessions SET expires_at = ? WHERE id = ?`, r.expires, r.id); err != nil {
			return err
		}
	}
	if due {
		if _, err := t.exec(`UPDATE sessions SET due_at = ? WHERE id = ?`, r.due, r.id); err != nil {
			return err
		}
	}
	_, err := t.exec(`UPDATE sessions SET format = ?, revision = ?, first = ?, next = ?, tokens = ?, window = ?, updated_at = ? WHERE id = ?`,
		r.format, int64(r.Revision), int64(r.First), int64(r.Next), r.Tokens, r.Window, r.updated, r.id)
	return err
}

// touch sets expiry, window and time of the last change. It reports whether the expiry changed.
func (r *row) touch(now int64, ttl time.Duration, window int64, at time.Time) (expiry bool) {
	before := r.expires
	switch ms, _ := driver.TTLMillis(ttl); { // checked by the caller
	case ms < 0:
		r.expires = sql.NullInt64{}
	case ms > 0:
		r.expires = sql.NullInt64{Int64: now + ms, Valid: true}
	}
	if window != 0 {
		r.Window = window
	}
	r.updated = at.UnixMilli()
	r.setTimes()
	return r.expires != before
}

// setDue sets the due time and reports whether it changed.
func (r *row) setDue(at time.Time) bool {
	before := r.due
	r.due = sql.NullInt64{Int64: at.UnixMilli(), Valid: true}
	if at.IsZero() {
		r.due = sql.NullInt64{}
	}
	r.setTimes()
	return r.due != before
}

// bytesOf returns an empty slice for nil, which would be stored as NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
