package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// errAnswered wraps an error that followed the server's answer: the server may have committed.
var errAnswered = errors.New("after the answer")

// maxTries limits the attempts of a call, which take about five seconds in all.
const maxTries = 100

// call runs f, which is one transaction on the server. It retries f if the server certainly did
// nothing: the transaction was rolled back because of another, or the connection was dead
// before anything was sent. A lost answer is not such a case. If key is not nil, it is checked
// and named in errors.
func (s *Store) call(ctx context.Context, op string, key *driver.Key, f func() error) error {
	if err := s.ready(ctx, key); err != nil {
		return fmt.Errorf("postgresstore: %s: %w", op, err)
	}
	err := retry(ctx, f)
	if err == nil {
		return nil
	}
	switch {
	case s.closed.Load() && !isOwn(err):
		err = driver.ErrClosed
	case errors.Is(err, driver.ErrNotFound), errors.Is(err, driver.ErrConflict):
		err = fmt.Errorf("%w: %s", err, key.Short())
	}
	return fmt.Errorf("postgresstore: %s: %w", op, wrap(ctx, err))
}

func retry(ctx context.Context, f func() error) error {
	err := f()
	for try := 1; try < maxTries && nothingDone(err); try++ {
		if pause(ctx, try) != nil {
			break
		}
		err = f()
	}
	return err
}

// ready returns an error if the store is closed, the key is invalid or ctx has ended.
func (s *Store) ready(ctx context.Context, key *driver.Key) error {
	if s.closed.Load() {
		return driver.ErrClosed
	}
	if key != nil {
		if err := key.Check(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// nothingDone reports whether the server certainly did nothing and may succeed if f is retried.
func nothingDone(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting || err == nil {
		return false
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return pgconn.SafeToRetry(err) && !errors.Is(err, errAnswered)
	}
	switch pg.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return true
	case "57P01": // terminated, as idle connections are when the server restarts
		return !errors.Is(err, errAnswered)
	}
	return false
}

// pause waits before the next attempt, for up to 2 ms at first and up to 128 ms later.
func pause(ctx context.Context, try int) error {
	longest := time.Millisecond << min(try, 7)
	timer := time.NewTimer(rand.N(longest))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
