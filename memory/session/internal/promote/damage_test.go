package promote_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

func TestOneSessionThatFailsDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(ctx context.Context) error{
		"error":   func(context.Context) error { return errModel },
		"panic":   func(context.Context) error { panic("SECRET") },
		"forever": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLongTerm(all)
				var failing atomic.Bool
				l.before = func(ctx context.Context, call string) error {
					if call == "promote" && failing.CompareAndSwap(false, true) {
						return fails(ctx)
					}
					return nil
				}
				var mu sync.Mutex
				var failed []error
				m := promoting(t, memstore.New(nil), l, time.Now, working, func(o *session.Options) {
					o.Promotions.OnPromoted = func(_ session.Key, o promotion.Outcome) {
						mu.Lock()
						defer mu.Unlock()
						if o.Err != nil {
							failed = append(failed, o.Err)
						}
						panic("OnPromoted too")
					}
				})
				for i := range 5 {
					fixture.SendTo(t, m, fixture.KeyNo(i), fixture.Tens("a")...)
				}
				time.Sleep(2 * promotion.DefaultLease)
				synctest.Wait()
				for i := range 5 {
					assert.EqualValues(t, 2, fixture.Load(t, m, fixture.KeyNo(i)).Progress.Kept)
				}
				require.Len(t, failed, 1)
				assert.NotContains(t, failed[0].Error(), "SECRET")
				require.NoError(t, m.Close(t.Context()))
			})
		})
	}
}

// Damaged sessions stay due: they are left alone for a while, and take no room.
func TestDamagedSessionsDoNotStopOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, l := memstore.New(nil), newLongTerm(all)
		var outcomes int
		const damaged = 1500 // more than wait at once
		for i := range damaged {
			_, _, err := store.Append(t.Context(), session.Key{SessionID: fmt.Sprint("damaged", i)},
				driver.Append{Head: []byte(`{"no":"head"}`), Format: 1, Due: time.Now(), Now: time.Now()})
			require.NoError(t, err)
		}
		var mu sync.Mutex
		time.Sleep(time.Second)
		fixture.Send(t, promoting(t, store, l, time.Now), fixture.Tens("a")...)
		m := promoting(t, store, l, time.Now, working, func(o *session.Options) {
			o.Promotions.OnPromoted = func(_ session.Key, o promotion.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				if o.Err != nil {
					outcomes++
				}
			}
		})
		time.Sleep(4 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, l.keptMessages())
		mu.Lock()
		assert.GreaterOrEqual(t, outcomes, 1024)
		assert.Less(t, outcomes, 4*damaged)
		mu.Unlock()
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestADamagedMessageDoesNotKeepMemoriesBack(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, l, clock.Now)
	fixture.Put(t, store, fixture.Anna, driver.Format, `{"created_at":"2026-03-01T12:00:00Z","memories":[{"id":"x","text":"likes tea"}]}`, `SECRET`)
	outcome, err := m.Promote(t.Context(), fixture.Anna)
	damaged, ok := errors.AsType[*session.DamagedError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "message 1", damaged.Part)
	assert.Equal(t, 1, outcome.Memories)
	assert.Equal(t, []string{"x"}, l.has())
	assert.Len(t, due(t, m), 0)
	clock.Sleep(promotion.DefaultRetryAfter)
	assert.Len(t, due(t, m), 1)
}
