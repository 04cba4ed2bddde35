package memstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(testing.TB) drivertest.Harness {
		c := fixture.NewClock()
		store := memstore.New(&memstore.Options{Now: c.Now})
		return drivertest.Harness{
			Open:  func(testing.TB) driver.Store { return store },
			Sleep: c.Sleep,
		}
	})
}

func TestStoreConformsOnTheRealClock(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(testing.TB) drivertest.Harness {
		store := memstore.New(nil)
		return drivertest.Harness{Open: func(testing.TB) driver.Store { return store }}
	})
}

// closingContext closes a store when it is asked whether it has ended.
type closingContext struct {
	context.Context
	store *memstore.Store
}

func (c closingContext) Err() error { return c.store.Close() }

// A store that is closed in the middle of a call does not answer as if it were empty.
func TestStoreClosedConcurrently(t *testing.T) {
	t.Parallel()
	key := session.Key{SessionID: "s"}
	for name, call := range map[string]func(ctx context.Context, s driver.Store) error{
		"Load": func(ctx context.Context, s driver.Store) error { _, err := s.Load(ctx, key, -1); return err },
		"Append": func(ctx context.Context, s driver.Store) error {
			_, _, err := s.Append(ctx, key, driver.Append{})
			return err
		},
		"Write": func(ctx context.Context, s driver.Store) error {
			_, err := s.Write(ctx, key, driver.Write{})
			return err
		},
		"Delete": func(ctx context.Context, s driver.Store) error { return s.Delete(ctx, key, nil) },
		"List": func(ctx context.Context, s driver.Store) error {
			_, err := s.List(ctx, session.ListOptions{Limit: -1})
			return err
		},
		"Due": func(ctx context.Context, s driver.Store) error {
			_, err := s.Due(ctx, time.Now(), 1)
			return err
		},
	} {
		store := memstore.New(nil)
		_, _, err := store.Append(t.Context(), key, driver.Append{})
		require.NoError(t, err)
		require.ErrorIs(t, call(closingContext{t.Context(), store}, store), session.ErrClosed, name)
	}
}

func TestStoreKeepsResults(t *testing.T) {
	t.Parallel()
	drivertest.RunResults(t, func(testing.TB) drivertest.Harness {
		c := fixture.NewClock()
		store := memstore.New(&memstore.Options{Now: c.Now})
		return drivertest.Harness{
			Open:  func(testing.TB) driver.Store { return store },
			Sleep: c.Sleep,
		}
	})
}
