package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// maxChangeBytes limits the size of an Append or a Write. PostgreSQL accepts up to 1 GB in a
// request and in an array, including overhead.
const maxChangeBytes = 512 << 20

// ErrTooLarge is returned when an Append or a Write has more than 512 MiB.
var ErrTooLarge = errors.New("postgresstore: change exceeds 512 MiB")

// errMissing is the cause of a *session.DamagedError.
var errMissing = errors.New("messages are missing")

// Append implements driver.Store. It takes one round trip.
func (s *Store) Append(ctx context.Context, key driver.Key, a driver.Append) (driver.Position, int, error) {
	return s.change(ctx, "append", key, driver.Write{
		Head: a.Head, Messages: a.Messages, Format: a.Format, TTL: a.TTL, Window: a.Window, Now: a.Now, Due: &a.Due,
	}, false)
}

// Write implements driver.Store. It takes one round trip. If the connection is lost before the
// answer, Write returns session.ErrUnavailable, and only a Load reveals whether the session was
// written.
func (s *Store) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
	at, _, err := s.change(ctx, "write", key, w, true)
	return at, err
}

func (s *Store) change(ctx context.Context, op string, key driver.Key, w driver.Write, write bool) (at driver.Position, added int, err error) {
	ttl, err := driver.TTLMillis(w.TTL)
	if err := errors.Join(err, checkSize(w)); err != nil {
		return at, 0, fmt.Errorf("postgresstore: %s: %w", op, err)
	}
	err = s.call(ctx, op, &key, func() error {
		var outcome string
		var format int32
		row := s.pool.QueryRow(ctx, s.sql.change, changeArguments(key, w, ttl, write)...)
		err := scanPosition(row, &at, &outcome, &format, &added)
		switch {
		case err != nil && outcome != "":
			return fmt.Errorf("%w: %w", errAnswered, damaged(key, err))
		case err != nil:
			return damaged(key, err)
		case outcome == "conflict":
			return driver.ErrConflict
		case outcome == "format":
			return &driver.FormatError{Key: key, Format: int(format), Known: w.Format}
		case outcome == "damaged":
			return &driver.DamagedError{Key: key, Part: "list of messages", Err: errMissing}
		}
		return nil
	})
	if err != nil {
		return driver.Position{}, 0, err
	}
	return at, added, nil
}

// changeArguments returns the arguments of change_session. A revision or number beyond bigint
// becomes negative, which no session has.
func changeArguments(key driver.Key, w driver.Write, ttl int64, write bool) []any {
	namespace, user, id := key.Escaped()
	ids := make([][]byte, len(w.Messages))
	tokens := make([]int64, len(w.Messages))
	bodies := make([]string, len(w.Messages))
	for i, m := range w.Messages {
		ids[i], tokens[i], bodies[i] = []byte(m.ID), m.Tokens, string(m.Body)
	}
	return []any{
		hashOf(key), namespace, user, id,
		int64(driver.NewRevision()), append([]byte{}, w.Head...), int32(w.Format),
		ttl, w.Window, w.Now.UTC().Truncate(time.Millisecond), dueOf(w.Due),
		ids, tokens, bodies,
		write, int64(w.If.Revision), int64(w.If.Next), int64(min(w.DropBefore, math.MaxInt64)), int64(driver.RememberedIDs),
		write && w.Due != nil,
	}
}

// dueOf returns a due time as it is stored, nil for none.
func dueOf(due *time.Time) *time.Time {
	if due == nil || due.IsZero() {
		return nil
	}
	return new(due.UTC().Truncate(time.Millisecond))
}

func checkSize(w driver.Write) error {
	size := len(w.Head)
	for _, m := range w.Messages {
		size += len(m.ID) + len(m.Body)
	}
	if size > maxChangeBytes {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	return nil
}

// scanPosition scans other columns followed by those of a position.
func scanPosition(row pgx.Row, at *driver.Position, others ...any) error {
	var revision, first, next int64
	var updated, expires, due *time.Time
	into := append(others, &revision, &first, &next, &at.Tokens, &at.Window, &updated, &expires, &due)
	if err := row.Scan(into...); err != nil {
		return err
	}
	at.Revision, at.First, at.Next = uint64(revision), uint64(first), uint64(next)
	at.UpdatedAt, at.ExpiresAt, at.DueAt = utc(updated), utc(expires), utc(due)
	return nil
}

func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
