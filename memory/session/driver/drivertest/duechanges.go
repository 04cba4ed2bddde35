package drivertest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Due sessions that are refused a change, removed, or changed concurrently.

func dueRefused(e *env) {
	p := e.appendTo(key, appendDue(dueTime, "a"), 1)
	refused := []time.Time{dueTime.Add(-time.Hour), dueTime.Add(time.Hour), {}}
	for _, due := range refused {
		e.conflict(writeDue(driver.Condition{}, due))
		e.conflict(writeDue(driver.Condition{Revision: p.Revision, Next: p.Next + 1}, due))
		w := writeDue(at(p), due)
		w.TTL = -2
		_, err := e.store.Write(e.ctx, key, w)
		require.ErrorIs(e, err, driver.ErrTTL)
		e.isDue(dueTime)
	}
	w := writeDue(at(p), dueTime)
	w.Format = format + 1
	p = e.write(w)
	for _, due := range refused {
		_, err := e.store.Write(e.ctx, key, writeDue(at(p), due))
		requireLaterFormat(e, err)
		e.isDue(dueTime)
	}
	w = writeDue(at(p), time.Time{})
	w.Format = format + 1
	e.write(w)
	_, _, err := e.store.Append(e.ctx, key, appendDue(dueTime, "b"))
	requireLaterFormat(e, err)
	e.isDue(time.Time{})
	other := driver.Key{SessionID: "none"}
	_, err = e.store.Write(e.ctx, other, writeDue(driver.Condition{Revision: 1}, dueTime))
	require.ErrorIs(e, err, driver.ErrConflict)
	e.isDue(time.Time{})
}

func requireLaterFormat(e *env, err error) {
	e.Helper()
	_, later := errors.AsType[*driver.FormatError](err)
	require.True(e, later, "%v", err)
}

func dueDeleted(e *env) {
	p := e.appendTo(key, appendDue(dueTime, "a"), 1)
	require.ErrorIs(e, e.store.Delete(e.ctx, key, &driver.Condition{Revision: p.Revision + 1}), driver.ErrConflict)
	e.isDue(dueTime)
	for _, where := range []*driver.Condition{nil, {}} {
		if where != nil {
			*where = at(e.load().Position)
		}
		require.NoError(e, e.store.Delete(e.ctx, key, where))
		require.Empty(e, e.dueBy(longAfter, 10))
		e.append("a")
		e.isDue(time.Time{})
		e.appendTo(key, appendDue(dueTime.Add(time.Hour)), 0)
		e.isDue(dueTime.Add(time.Hour))
	}
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.write(writeIf(driver.Condition{}, `1`, "a"))
	e.isDue(time.Time{})
}

func dueExpired(e *env) {
	due := func() {
		a := appendDue(dueTime, "a")
		a.TTL = shortTTL
		e.appendTo(key, a, 1)
		e.outlive(shortTTL)
	}
	due()
	require.Empty(e, e.dueBy(longAfter, 10))
	e.append("a")
	e.isDue(time.Time{})
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	due()
	e.write(writeIf(driver.Condition{}, `1`, "a"))
	e.isDue(time.Time{})
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	due()
	e.appendTo(key, appendDue(dueTime.Add(time.Hour), "a"), 1)
	e.isDue(dueTime.Add(time.Hour))
}

// dueAtOnce has half of the clients append and make the session due, and the others clear the
// due time if nothing was appended since they looked.
func dueAtOnce(e *env) {
	const rounds = 20
	e.append()
	var mu sync.Mutex
	var seen uint64 // the number up to which messages were seen when the due time was cleared
	e.atOnce(func(client int, store driver.Store) {
		for n := range rounds {
			if client%2 == 0 {
				p, _, err := store.Append(e.ctx, key, appendDue(dueTime, fmt.Sprintf("%d/%d", client, n)))
				if assert.NoError(e, err) {
					assert.False(e, p.DueAt.IsZero(), "an Append leaves a session that is not due")
				}
				continue
			}
			r, err := store.Load(e.ctx, key, 0)
			if !assert.NoError(e, err) {
				return
			}
			_, err = store.Write(e.ctx, key, writeDue(at(r.Position), time.Time{}))
			if errors.Is(err, driver.ErrConflict) || !assert.NoError(e, err) {
				continue
			}
			mu.Lock()
			seen = max(seen, r.Next)
			mu.Unlock()
		}
	})
	if r := e.load(); r.DueAt.IsZero() {
		require.Equal(e, r.Next, seen, "messages that no one has seen do not make the session due")
		e.isDue(time.Time{})
		e.appendTo(key, appendDue(dueTime, "last"), 1)
	}
	e.isDue(dueTime)
}

func dueOfManyAtOnce(e *env) {
	const each = 12
	name := func(client, n int) driver.Key {
		return driver.Key{Namespace: fmt.Sprint(client), SessionID: fmt.Sprint(n)}
	}
	e.atOnce(func(client int, store driver.Store) {
		for n := range each {
			key := name(client, n)
			p, _, err := store.Append(e.ctx, key, appendDue(dueTime, "a"))
			if !assert.NoError(e, err) {
				return
			}
			switch n % 3 {
			case 1:
				_, err = store.Write(e.ctx, key, writeDue(at(p), time.Time{}))
			case 2:
				err = store.Delete(e.ctx, key, nil)
			}
			assert.NoError(e, err)
			_, err = store.Due(e.ctx, longAfter, 5)
			assert.NoError(e, err)
		}
	})
	var want []driver.Key
	for client := range clients {
		for n := 0; n < each; n += 3 {
			want = append(want, name(client, n))
		}
	}
	require.Equal(e, sorted(want), sorted(e.dueBy(longAfter, clients*each)))
}
