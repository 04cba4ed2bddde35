package postgresstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Index is a driver.Index in the schema of a Store. It is safe for concurrent use by any number
// of processes, and is closed with its Store.
type Index struct{ store *Store }

var _ driver.Index = (*Index)(nil)

// Index returns the index of long-term memory in the same schema.
func (s *Store) Index() *Index { return &Index{store: s} }

// call is like Store.call, with the errors of driver.Index.
func (x *Index) call(ctx context.Context, op string, f func() error) error {
	s := x.store
	err := s.ready(ctx, nil)
	if err == nil {
		err = retry(ctx, f)
	}
	switch safe, lost := classify(ctx, err); {
	case err == nil:
		return nil
	case s.closed.Load():
		err = driver.ErrClosed
	case isDuplicate(err):
		err = driver.ErrConflict
	case lost:
		err = fmt.Errorf("%w: %w", driver.ErrUnavailable, safe)
	default:
		err = safe
	}
	return fmt.Errorf("postgresstore: %s: %w", op, err)
}

// isDuplicate reports whether a record was rejected because another one has its key or hash.
func isDuplicate(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23505"
}

// ownerOf returns records.owner of a namespace and a user.
func ownerOf(namespace, userID string) []byte {
	data := binary.BigEndian.AppendUint32(nil, uint32(len(namespace)))
	sum := sha256.Sum256(append(append(data, namespace...), userID...))
	return sum[:]
}
