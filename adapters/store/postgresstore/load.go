package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Load implements driver.Store. It takes one round trip.
func (s *Store) Load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	var record *driver.StoredSession
	err := s.call(ctx, "load", &key, func() (err error) {
		record, err = s.load(ctx, key, last)
		return err
	})
	if err != nil {
		return nil, err
	}
	return record, check(key, record, last)
}

func (s *Store) load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	hash, reserve := hashOf(key), driver.ReserveFrom(ctx)
	if last == 0 && reserve == nil {
		return scanHead(s.pool.QueryRow(ctx, s.sql.head, hash))
	}
	// Size, head and messages must come from one snapshot.
	var batch pgx.Batch
	batch.Queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	if reserve != nil {
		batch.Queue(s.sql.size, hash, limit(last))
	}
	batch.Queue(s.sql.head, hash)
	batch.Queue(s.sql.messages, hash, limit(last))
	batch.Queue(`COMMIT`)
	results := s.pool.SendBatch(ctx, &batch)
	record, err := s.scanAll(results, reserve)
	if closing := results.Close(); err == nil {
		err = closing
	}
	return record, err
}

// limit returns a number of messages for SQL.
func limit(last int) int64 {
	if last < 0 {
		return math.MaxInt64
	}
	return int64(last)
}

// scanAll reads the results of load. It asks for memory before it reads what the size says, since
// rows arrive one by one. If that is refused, pgx passes over the rest.
func (s *Store) scanAll(results pgx.BatchResults, reserve driver.Reserve) (*driver.StoredSession, error) {
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	if reserve != nil {
		var size int64
		err := results.QueryRow().Scan(&size)
		if err == nil {
			err = reserve(s, 2*size)
		}
		if err != nil && !errors.Is(err, pgx.ErrNoRows) { // the head reports that there is none
			return nil, err
		}
	}
	record, err := scanHead(results.QueryRow())
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	record.Messages, err = pgx.CollectRows(rows, scanMessage)
	if err != nil {
		return nil, err
	}
	_, err = results.Exec()
	return record, err
}

func scanHead(row pgx.Row) (*driver.StoredSession, error) {
	var record driver.StoredSession
	err := scanPosition(row, &record.Position, &record.Format, &record.Head)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, driver.ErrNotFound
	}
	return &record, err
}

func scanMessage(row pgx.CollectableRow) (driver.StoredMessage, error) {
	var m driver.StoredMessage
	var id []byte
	err := row.Scan(&m.Seq, &id, &m.Tokens, &m.Body)
	m.ID = string(id)
	return m, err
}

// check returns a *session.DamagedError if a session with its last messages (all if last is
// negative) is inconsistent.
func check(key driver.Key, r *driver.StoredSession, last int) error {
	damaged := func(part string, err error) error {
		return fmt.Errorf("postgresstore: load: %w", &driver.DamagedError{Key: key, Part: part, Err: err})
	}
	if r.Revision == 0 || r.First == 0 || r.Next < r.First || int64(r.Revision) < 0 {
		return damaged("position", errors.New("impossible numbers"))
	}
	want := r.Len()
	if last >= 0 {
		want = min(want, last)
	}
	var tokens int64
	for i, m := range r.Messages {
		if m.Seq != r.Next-uint64(want)+uint64(i) {
			return damaged("list of messages", errMissing)
		}
		if m.Body == nil {
			return damaged(fmt.Sprintf("message %d", m.Seq), errors.New("missing body"))
		}
		tokens += m.Tokens
	}
	if len(r.Messages) != want {
		return damaged("list of messages", errMissing)
	}
	if want == r.Len() && tokens != r.Tokens {
		return damaged("position", errors.New("tokens differ from those of the messages"))
	}
	return nil
}
