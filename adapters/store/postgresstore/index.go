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

// Index keeps the records of long-term memory, in the schema of a Store. It is safe for
// concurrent use, also by several processes. It ends with the Store's Close.
type Index struct{ store *Store }

var _ driver.Index = (*Index)(nil)

// Index returns the index of long-term memory in the store's schema.
func (s *Store) Index() *Index { return &Index{store: s} }

// call is Store.call with the errors of an Index.
func (x *Index) call(ctx context.Context, doing string, f func() error) error {
	s := x.store
	err := s.ready(ctx, nil)
	if err == nil {
		err = retry(ctx, f)
	}
	switch safe, lost := classified(ctx, err); {
	case err == nil:
		return nil
	case s.closed.Load():
		err = driver.ErrClosed
	case isUnique(err):
		err = driver.ErrConflict
	case lost:
		err = fmt.Errorf("%w: %w", driver.ErrUnavailable, safe)
	default:
		err = safe
	}
	return fmt.Errorf("postgresstore: %s: %w", doing, err)
}

// isUnique reports whether a record was refused because another has its key or its hash.
func isUnique(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23505"
}

// ownerOf is records.owner of a namespace and a user.
func ownerOf(namespace, userID string) []byte {
	data := binary.BigEndian.AppendUint32(nil, uint32(len(namespace)))
	sum := sha256.Sum256(append(append(data, namespace...), userID...))
	return sum[:]
}
