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

// errAnswered is with an error that came behind the answer: when the server ends a
// connection then, it may have committed.
var errAnswered = errors.New("behind the answer")

// maxTries is how often a call is tried at most, which takes about five seconds.
const maxTries = 100

// call runs f, which is one transaction on the server, again if it is sure that the
// server did nothing: if the transaction was rolled back for another's sake, or the
// connection was dead before anything was sent on it. An answer that was lost is not
// such a case. A key, if there is one, is checked and named in errors.
func (s *Store) call(ctx context.Context, doing string, key *driver.Key, f func() error) error {
	if err := s.ready(ctx, key); err != nil {
		return fmt.Errorf("postgresstore: %s: %w", doing, err)
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
	return fmt.Errorf("postgresstore: %s: %w", doing, wrap(ctx, err))
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

// ready returns why nothing is to be done, if so.
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

// nothingDone reports whether an error means that the server has not done what it was
// asked for, and would perhaps do it now.
func nothingDone(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting || err == nil {
		return false
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return pgconn.SafeToRetry(err) && !errors.Is(err, errAnswered)
	}
	switch pg.Code {
	case "40001", "40P01": // could not be serialized, deadlock: rolled back
		return true
	case "57P01": // ended before it was done, as idle connections are at a restart
		return !errors.Is(err, errAnswered)
	}
	return false
}

// pause waits before the next try: from a millisecond on up to about 100.
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
