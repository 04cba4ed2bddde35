package session_test

import (
	"sync"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

// clock is a clock that goes on when it is told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestMemoryStoreConforms(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(testing.TB) sessiontest.Harness {
		c := newClock()
		store := session.NewMemoryStore(&session.MemoryStoreOptions{Now: c.Now})
		return sessiontest.Harness{
			Open:  func(testing.TB) session.Store { return store },
			Sleep: c.Sleep,
		}
	})
}

func TestMemoryStoreConformsOnTheRealClock(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(testing.TB) sessiontest.Harness {
		store := session.NewMemoryStore(nil)
		return sessiontest.Harness{Open: func(testing.TB) session.Store { return store }}
	})
}
