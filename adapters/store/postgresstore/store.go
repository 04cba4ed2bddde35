package postgresstore

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Store is a driver.Store in PostgreSQL. It is safe for concurrent use, and any number of
// processes can share a schema.
type Store struct {
	pool     *pgxpool.Pool
	ownsPool bool
	opts     Options
	sql      statements

	vectors   atomic.Pointer[vectorColumn] // nil if there is none
	termSteps []float32                    // see query.frequencies

	closed atomic.Bool
	stop   context.CancelFunc // stops the sweeper and reindex
	done   sync.WaitGroup     // waits for them
}

var _ driver.ResultStore = (*Store)(nil)

// New returns a store that uses pool, which the caller must close. It creates or migrates the
// schema. Errors: ErrSchemaName, ErrEncoding, ErrServer, ErrMoved, *SchemaError,
// session.ErrUnavailable.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (*Store, error) {
	own, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool, opts: own, sql: newStatements(quoted(own.Schema))}
	if err := s.migrate(ctx); err != nil {
		return nil, fmt.Errorf("postgresstore: schema %s: %w", own.Schema, wrap(ctx, err))
	}
	stale, err := s.prepareIndex(ctx)
	if err != nil {
		return nil, fmt.Errorf("postgresstore: schema %s: %w", own.Schema, wrap(ctx, err))
	}
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	if stale {
		s.done.Go(func() { s.reindex(background) })
	}
	if own.SweepInterval > 0 {
		s.done.Go(func() { s.sweepOften(background) })
	}
	return s, nil
}

// Open returns a store with its own pool, which Close closes. The connection string is a URL
// or a list of key=value pairs, in the format of pgxpool.ParseConfig. Errors: those of New, and
// one for an invalid connection string.
func Open(ctx context.Context, connString string, opts *Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(connString)
	if err != nil {
		return nil, fmt.Errorf("postgresstore: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgresstore: %w", wrap(ctx, err))
	}
	s, err := New(ctx, pool, opts)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.ownsPool = true
	return s, nil
}

// Close stops the sweeper and the indexing of stale records, which the next store resumes. A store made by Open also waits for running calls and closes its
// pool. Afterwards every call but Close returns session.ErrClosed.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.stop()
	s.done.Wait()
	if s.ownsPool {
		s.pool.Close()
	}
	return nil
}

// hashOf returns sessions.key_hash of a key.
func hashOf(key driver.Key) []byte {
	sum := sha256.Sum256([]byte(key.String()))
	return sum[:]
}
