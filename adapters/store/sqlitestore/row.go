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

	// What a change must know of a session, with the number of its last message.
	selectSession = `SELECT ` + columns + `, (SELECT max(seq) FROM messages WHERE session = sessions.id)
		FROM sessions WHERE key = ?`

	selectWithHead = `SELECT ` + columns + `, head
		FROM sessions LEFT JOIN heads ON heads.session = sessions.id WHERE key = ?`
)

// row is a session as the file has it.
type row struct {
	driver.Position
	id      int64
	format  int
	updated int64 // in ms
	expires sql.NullInt64
	due     sql.NullInt64
}

// scan scans the columns, and what else was selected.
func (r *row) scan(key driver.Key, from *sql.Row, more ...any) error {
	into := []any{
		&r.id, number(&r.format), number(&r.Revision), number(&r.First), number(&r.Next), number(&r.Tokens),
		number(&r.Window), number(&r.updated), optional(&r.expires),
		optional(&r.due),
	}
	err := from.Scan(append(into, more...)...)
	if errors.Is(err, errNotNumber) {
		return &driver.DamagedError{Key: key, Part: "position", Err: errNotNumber}
	}
	r.setTimes()
	return err
}

// setTimes sets the times of the position as the file has them.
func (r *row) setTimes() {
	r.UpdatedAt, r.ExpiresAt, r.DueAt = time.UnixMilli(r.updated).UTC(), timeOf(r.expires), timeOf(r.due)
}

// timeOf is a time that the file has in ms; NULL: the zero time.
func timeOf(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// expired reports whether the session is gone at a time in ms.
func (r *row) expired(now int64) bool { return r.expires.Valid && r.expires.Int64 <= now }

// possible reports whether the numbers are such that a position can have.
func (r *row) possible() bool {
	return int64(r.Revision) >= 1 && int64(r.First) >= 1 && int64(r.Next) >= int64(r.First)
}

// check returns what is wrong with a session whose last message has the number
// last. It costs the same for every session.
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

// find returns the session of a key; nil: it is not there. One that has expired is
// not there, but its row: see clear.
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

// clear removes what is stored under a key, whatever it is.
func (t *tx) clear(key driver.Key) error {
	_, err := t.exec(`DELETE FROM sessions WHERE key = ?`, key.String())
	return err
}

// create makes a session without messages. One that has expired makes way for it.
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

// save writes where a session stands now.
func (t *tx) save(r *row, expiry, due bool) error {
	if expiry { // apart, for its index is written for it
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

// touch sets what every change sets. It reports whether the expiry changed.
func (r *row) touch(now int64, ttl time.Duration, window int64, at time.Time) (expiry bool) {
	before := r.expires
	switch ms, _ := driver.TTLMillis(ttl); { // it was checked
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

// setDue sets when the session is due. It reports whether that changed.
func (r *row) setDue(at time.Time) bool {
	before := r.due
	r.due = sql.NullInt64{Int64: at.UnixMilli(), Valid: true}
	if at.IsZero() {
		r.due = sql.NullInt64{}
	}
	r.setTimes()
	return r.due != before
}

// bytesOf keeps no bytes from becoming NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
