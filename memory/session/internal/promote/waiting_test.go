package promote_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func TestWritesDoNotWaitForALongTermMemoryThatFails(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(t *testing.T, m *session.Manager){
		"append": func(t *testing.T, m *session.Manager) { fixture.Send(t, m, fixture.Tens("f")...) },
		"update": func(t *testing.T, m *session.Manager) { remember(t, m, fact("x", "likes tea")) },
	} {
		for cause, fails := range map[string]func(context.Context, string) error{
			"error": func(context.Context, string) error { return errModel },
			"panic": func(context.Context, string) error { panic("SECRET") },
		} {
			t.Run(name+" "+cause, func(t *testing.T) {
				t.Parallel()
				m, _, l, clock := expired(t)
				l.fail(fails)
				_, err := m.Load(t.Context(), fixture.Anna, nil)
				require.Error(t, err)
				require.NotErrorIs(t, err, session.ErrNotFound)
				assert.NotContains(t, err.Error(), "SECRET")
				write(t, m)
				before := fixture.Load(t, m, fixture.Anna)
				l.fail(nil)
				assert.Len(t, due(t, m), 1)
				clock.Sleep(time.Second)
				promoteNow(t, m) // which looks again
				s := fixture.Load(t, m, fixture.Anna)
				assert.Equal(t, append([]string{"a", "b", "c", "d", "e"}, fixture.IDs(before.Messages)...), fixture.IDs(s.Messages))
				assert.Equal(t, len(s.Messages), len(l.keptMessages()))
				assert.Equal(t, before.UpdatedAt(), s.UpdatedAt())
			})
		}
	}
}

// A long-term memory that hangs holds a write up for seconds, once, and others not at all.
func TestWritesDoNotWaitForALongTermMemoryThatHangs(t *testing.T) {
	t.Parallel()
	for _, write := range []func(t *testing.T, m *session.Manager){
		func(t *testing.T, m *session.Manager) { fixture.Send(t, m, fixture.Tens("f")...) },
		func(t *testing.T, m *session.Manager) { remember(t, m, fact("f", "likes tea")) },
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLongTerm(all)
			m := promoting(t, memstore.New(nil), l, time.Now)
			_, err := m.Append(t.Context(), fixture.Anna, fixture.Tens("a"), &session.WriteOptions{TTL: time.Minute})
			require.NoError(t, err)
			promoteNow(t, m)
			time.Sleep(time.Minute)
			l.fail(func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() })
			start := time.Now()
			write(t, m)
			assert.LessOrEqual(t, time.Since(start), 5*time.Second)
			start = time.Now()
			write(t, m)
			assert.Zero(t, time.Since(start))
			l.fail(nil)
			promoteNow(t, m)
			assert.Equal(t, "a", fixture.Load(t, m, fixture.Anna).Messages[0].ID)
		})
	}
}

// counted counts calls of a store.
type counted struct {
	driver.Store
	calls []string
}

func (c *counted) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	c.calls = append(c.calls, "load")
	return c.Store.Load(ctx, key, last)
}

func (c *counted) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	c.calls = append(c.calls, "append")
	return c.Store.Append(ctx, key, a)
}

func (c *counted) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	c.calls = append(c.calls, "write")
	return c.Store.Write(ctx, key, w)
}

func TestAnAppendIsOneCallOfTheStore(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	c := &counted{Store: store}
	m := promoting(t, c, newLongTerm(all), clock.Now)
	fixture.Send(t, m, fixture.Tens("a")...)
	assert.Equal(t, []string{"append", "load", "write"}, c.calls, "it made the session: is there one to rebuild?")
	c.calls = nil
	fixture.Send(t, m, fixture.Tens("b")...)
	fixture.Send(t, m)
	assert.Equal(t, []string{"append", "append"}, c.calls)
}
