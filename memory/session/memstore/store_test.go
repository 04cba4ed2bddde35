package memstore_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
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
func TestStoreClosedMeanwhile(t *testing.T) {
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

// What drivertest.RunWriters asks of stores that processes share.
func TestManyWritersInProcess(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(memstore.New(nil), &session.Options{Summaries: summary.Options{Mode: summary.Off}})
	require.NoError(t, err)
	const writers, each = 32, 1000
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := range each {
				_, err := m.Append(t.Context(), fixture.Anna, []session.Message{{Role: session.RoleUser, Name: strconv.Itoa(w), Content: strconv.Itoa(n)}}, nil)
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
	s := fixture.Load(t, m, fixture.Anna)
	require.Len(t, s.Messages, writers*each)
	next := map[string]int{}
	for _, message := range s.Messages {
		require.Equal(t, strconv.Itoa(next[message.Name]), message.Content, "writer %s", message.Name)
		next[message.Name]++
	}
	assert.Len(t, next, writers)
}
