package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Load implements driver.Store.
func (s *Store) Load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	err := check(ctx, key, 0)
	var rec *driver.StoredSession
	if err == nil {
		err = s.reserve(ctx, key, last)
	}
	if err == nil {
		rec, err = s.reader.load(ctx, key, last, s.now())
	}
	if err != nil {
		return nil, s.failed(ctx, "loading", key, err)
	}
	return rec, nil
}

// selectSize returns the bytes of a session with its last messages. It does not read them: SQLite
// knows their lengths.
const selectSize = `SELECT coalesce(octet_length(head), 0) + (
		SELECT coalesce(sum(octet_length(body) + octet_length(id)), 0) FROM messages
		WHERE session = sessions.id AND seq >= max(first, next - ?2) AND seq < next)
	FROM sessions LEFT JOIN heads ON heads.session = sessions.id WHERE key = ?1`

// reserve asks for the memory of a session with its last messages.
func (s *Store) reserve(ctx context.Context, key driver.Key, last int) error {
	reserve := driver.ReserveFrom(ctx)
	if reserve == nil {
		return nil
	}
	if last < 0 {
		last = math.MaxInt32 // more than any session has
	}
	var size int64
	err := s.reader.loadSize.QueryRowContext(ctx, key.String(), last).Scan(number(&size))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return reserve(s, 2*size)
}

// load reads a session. Head and messages are from one snapshot.
func (r *reader) load(ctx context.Context, key driver.Key, last int, now int64) (*driver.StoredSession, error) {
	if last == 0 {
		_, rec, err := loadSession(ctx, r.loadSession, key, now)
		return rec, err
	}
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	row, rec, err := loadSession(ctx, tx.StmtContext(ctx, r.loadSession), key, now)
	if err != nil {
		return nil, err
	}
	return rec, loadMessages(ctx, tx.StmtContext(ctx, r.loadWindow), key, row, rec, last)
}

func loadSession(ctx context.Context, stmt *sql.Stmt, key driver.Key, now int64) (*row, *driver.StoredSession, error) {
	var r row
	var head content
	err := r.scan(key, stmt.QueryRowContext(ctx, key.String()), &head)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && r.expired(now):
		return nil, nil, driver.ErrNotFound
	case err != nil:
		return nil, nil, err
	}
	if !r.possible() {
		return nil, nil, &driver.DamagedError{Key: key, Part: "position", Err: errImpossible}
	}
	if head == nil {
		return nil, nil, &driver.DamagedError{Key: key, Part: "head", Err: errMissing}
	}
	return &r, &driver.StoredSession{Position: r.Position, Format: r.format, Head: head}, nil
}

// loadMessages reads the last messages of a session into its record.
func loadMessages(ctx context.Context, stmt *sql.Stmt, key driver.Key, r *row, rec *driver.StoredSession, last int) error {
	first := r.First
	if n := r.Next - r.First; last >= 0 && uint64(last) < n {
		first = r.Next - uint64(last)
	}
	rows, err := stmt.QueryContext(ctx, r.id, int64(first), int64(r.Next))
	if err != nil {
		return err
	}
	const trusted = 1 << 12 // a damaged number must not exhaust the memory
	rec.Messages = make([]driver.StoredMessage, 0, min(r.Next-first, trusted))
	var tokens int64
	next := first
	err = forEach(rows, func(scan func(...any) error) error {
		var m driver.StoredMessage
		var body content
		switch err := scan(&m.Seq, &m.ID, number(&m.Tokens), &body); {
		case errors.Is(err, errNotNumber):
			return damagedMessage(key, next, errNotNumber)
		case err != nil:
			return err
		case m.Seq != next || body == nil:
			return damagedMessage(key, next, errMissing)
		}
		m.Body = body
		rec.Messages = append(rec.Messages, m)
		tokens += m.Tokens
		next++
		return nil
	})
	switch {
	case err != nil:
		return err
	case next != r.Next:
		return damagedMessage(key, next, errMissing)
	case first == r.First && tokens != r.Tokens:
		return &driver.DamagedError{Key: key, Part: "tokens", Err: errImpossible}
	}
	return nil
}
