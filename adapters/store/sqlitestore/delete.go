package sqlitestore

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	err := check(ctx, key, 0)
	if err == nil {
		err = s.writer.do(ctx, func(t *tx) error {
			if where != nil {
				if err := t.checkCondition(key, *where, s.now()); err != nil {
					return err
				}
			}
			return t.clear(key)
		})
	}
	return s.failed(ctx, "deleting", key, err)
}

// checkCondition returns ErrConflict unless the session exists and meets the condition. It accepts
// a damaged session if its revision and numbers are readable.
func (t *tx) checkCondition(key driver.Key, where driver.Condition, now int64) error {
	r, err := t.find(key, now)
	if _, damaged := errors.AsType[*driver.DamagedError](err); damaged && r == nil {
		return err // its numbers are unreadable
	} else if err != nil && !damaged {
		return err
	}
	if r == nil {
		return driver.ErrConflict
	}
	return r.meets(where)
}

// sweepRows limits the rows that one transaction of a sweep removes, so that writers do not wait
// long.
const sweepRows = 500

// Sweep removes the expired sessions from the file and returns their number. The store sweeps by
// itself unless Options.SweepInterval is negative.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	removed := 0
	for more := true; more; {
		n := 0
		err := s.writer.do(ctx, func(t *tx) (err error) {
			n, more, err = t.sweep(s.now())
			return err
		})
		if err != nil {
			return removed, s.failed(ctx, "sweeping", driver.Key{}, err)
		}
		removed += n
	}
	return removed, nil
}

// sweep removes rows of expired sessions, and reports whether there may be more.
func (t *tx) sweep(now int64) (removed int, more bool, err error) {
	for budget := int64(sweepRows); budget > 0; {
		id, ok, err := t.firstExpired(now)
		if err != nil || !ok {
			return removed, false, err
		}
		gone, err := t.sweepMessages(id, budget)
		if err != nil {
			return removed, false, err
		}
		if budget -= gone; budget <= 0 {
			break // some may be left
		}
		if gone, err = t.sweepChunks(id, (budget+chunkRows-1)/chunkRows); err != nil {
			return removed, false, err
		}
		if budget -= gone * chunkRows; budget <= 0 {
			break
		}
		if _, err := t.exec(`DELETE FROM sessions WHERE id = ?`, id); err != nil {
			return removed, false, err
		}
		removed++
		budget--
	}
	return removed, true, nil
}

func (t *tx) firstExpired(now int64) (id int64, ok bool, err error) {
	err = t.query(func(scan func(...any) error) error {
		ok = true
		return scan(&id)
	}, `SELECT id FROM sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT 1`, now)
	return id, ok, err
}

// sweepMessages removes the oldest messages of an expired session. It sets the expiry far into the
// past, so that a partly removed session does not reappear if the clock is set back.
func (t *tx) sweepMessages(id, limit int64) (int64, error) {
	if _, err := t.exec(`UPDATE sessions SET expires_at = ? WHERE id = ?`, longAgo, id); err != nil {
		return 0, err
	}
	res, err := t.exec(`DELETE FROM messages WHERE session = ?1 AND seq IN
		(SELECT seq FROM messages WHERE session = ?1 ORDER BY seq LIMIT ?2)`, id, limit)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// chunkRows is the number of rows that a chunk of a result counts as, by the time it takes.
const chunkRows = 15

// sweepChunks removes chunks of the results of a session.
func (t *tx) sweepChunks(id, limit int64) (int64, error) {
	res, err := t.exec(`DELETE FROM chunks WHERE (result, n) IN
		(SELECT result, n FROM chunks JOIN results ON results.id = result WHERE session = ? LIMIT ?)`, id, limit)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// longAgo is an expiry in milliseconds before any time of a clock.
const longAgo int64 = -1 << 62
