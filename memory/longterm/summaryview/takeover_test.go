package summaryview_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// slow returns a model that takes a second for each answer.
func slow() *model {
	return &model{before: func(ctx context.Context, _ []string) error {
		select {
		case <-time.After(time.Second):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// The task of a process that dies is taken over when its lease expires, and goes on with the
// partitions that were not written yet.
func TestTakeover(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for i := range 6 {
			w.put(fmt.Sprintf("u%d: m%d", i, i))
		}
		dying, heir := w.process(), w.process()
		first, second := slow(), slow()
		v := w.viewsOn(dying, &summaryview.Options{Model: first})
		id := create(t, v, shop, byUser)
		run(t, v, shop, id, "t-1")
		started := time.Now()
		stopFirst := work(t, v)
		time.Sleep(time.Millisecond) // it claims the task
		other := w.viewsOn(heir, &summaryview.Options{Model: second})
		stop := work(t, other)
		time.Sleep(2500 * time.Millisecond)
		dying.kill()
		time.Sleep(summaryview.DefaultLease - 3*time.Second)
		assert.Zero(t, second.calls(), "the lease has not expired")
		assert.Equal(t, summaryview.TaskRunning, taskOf(t, other, shop, "t-1").Status)
		time.Sleep(2 * time.Minute)
		stopFirst()
		stop()
		task := taskOf(t, other, shop, "t-1")
		assert.Equal(t, summaryview.TaskSuccess, task.Status)
		assert.Equal(t, started.UTC(), task.StartedAt)
		assert.Len(t, dying.stored, 2)
		assert.Len(t, heir.stored, 4)
		for _, p := range []*process{dying, heir} {
			for key, n := range p.stored {
				assert.Equal(t, 1, n, key)
			}
		}
		assert.Len(t, summaries(t, other, shop, id), 6)
		assert.Equal(t, 4, second.calls())
	})
}

// A process that loses its lease, as its clock or its machine stops for a while, writes nothing
// after another has taken the task over.
func TestLostLease(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea", "bert: coffee")
		sleeper, heir := w.process(), w.process()
		wakes := make(chan struct{})
		asleep := &model{before: func(context.Context, []string) error { <-wakes; return nil }}
		v := w.viewsOn(sleeper, &summaryview.Options{Model: asleep})
		id := create(t, v, shop, byUser)
		run(t, v, shop, id, "t-1")
		stopFirst := work(t, v)
		time.Sleep(time.Second)
		other := w.viewsOn(heir, &summaryview.Options{Model: &model{}, Now: func() time.Time { return time.Now().Add(2 * time.Minute) }})
		stop := work(t, other)
		time.Sleep(10 * time.Second)
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, other, shop, "t-1").Status)
		close(wakes)
		time.Sleep(time.Minute)
		stopFirst()
		stop()
		assert.Empty(t, sleeper.stored)
		assert.Len(t, heir.stored, 2)
		assert.Equal(t, summaryview.TaskSuccess, taskOf(t, other, shop, "t-1").Status)
	})
}

// A long task keeps its lease.
func TestLeaseIsRenewed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for i := range 50 {
			w.put(fmt.Sprintf("u%02d: m%02d", i, i))
		}
		slow := &model{before: func(context.Context, []string) error { time.Sleep(20 * time.Second); return nil }}
		idle := &model{}
		v := w.views(&summaryview.Options{Model: slow})
		id := create(t, v, shop, byUser)
		run(t, v, shop, id, "t-1")
		stop := work(t, v)
		time.Sleep(time.Second)
		other := work(t, w.views(&summaryview.Options{Model: idle}))
		time.Sleep(17 * time.Minute)
		stop()
		other()
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "t-1").Status)
		require.Equal(t, 50, slow.calls())
		require.Zero(t, idle.calls())
	})
}

// A process that is stopped returns its task, which the next one continues at once.
func TestStoppedProcess(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea", "bert: coffee")
		var v *summaryview.Views
		var id string
		for range summaryview.MaxAttempts + 2 { // these do not count as attempts
			v = w.views(&summaryview.Options{Model: &model{before: func(ctx context.Context, _ []string) error { <-ctx.Done(); return ctx.Err() }}})
			if id == "" {
				id = create(t, v, shop, byUser)
				run(t, v, shop, id, "t-1")
			}
			stop := work(t, v)
			time.Sleep(time.Second)
			require.Equal(t, summaryview.TaskRunning, taskOf(t, v, shop, "t-1").Status)
			stop()
			require.Equal(t, summaryview.TaskPending, taskOf(t, v, shop, "t-1").Status)
		}
		stop := work(t, w.views(nil))
		time.Sleep(time.Second)
		stop()
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "t-1").Status)
	})
}

// A task that kills the processes that run it is given up.
func TestDeadlyTask(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea")
		var processes []*process
		v := w.views(nil)
		id := create(t, v, shop, byUser)
		run(t, v, shop, id, "t-1")
		for range summaryview.MaxAttempts {
			p := w.process()
			processes = append(processes, p)
			stop := work(t, w.viewsOn(p, &summaryview.Options{Model: &model{before: func(context.Context, []string) error {
				p.kill()
				return errKilled
			}}}))
			time.Sleep(2 * time.Minute)
			stop()
			require.Equal(t, summaryview.TaskRunning, taskOf(t, v, shop, "t-1").Status)
		}
		stop := work(t, v)
		time.Sleep(time.Second)
		stop()
		task := taskOf(t, v, shop, "t-1")
		assert.Equal(t, summaryview.TaskFailed, task.Status)
		assert.Equal(t, "summaryview: limit exceeded: the task was begun 3 times, and the process ended each time", task.Error)
		for _, p := range processes {
			assert.Empty(t, p.stored)
		}
	})
}

// Many processes run each of many tasks once.
func TestManyProcesses(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const views, users, processes = 10, 3, 5
		for i := range users {
			w.put(fmt.Sprintf("u%d: m%d", i, i))
		}
		v := w.views(nil)
		tasks := map[string]string{} // view by task
		for range views {
			id := create(t, v, shop, byUser)
			tasks[run(t, v, shop, id, "").ID] = id
		}
		var models []*model
		var stores []*process
		var stops []func()
		for range processes {
			m, p := slow(), w.process()
			models, stores = append(models, m), append(stores, p)
			stops = append(stops, work(t, w.viewsOn(p, &summaryview.Options{Model: m})))
		}
		time.Sleep(5 * time.Minute)
		for _, stop := range stops {
			stop()
		}
		calls, stored := 0, 0
		for i := range models {
			calls += models[i].calls()
			stored += len(stores[i].stored)
			for key, n := range stores[i].stored {
				assert.Equal(t, 1, n, key)
			}
		}
		assert.Equal(t, views*users, calls)
		assert.Equal(t, views*users, stored)
		for task, view := range tasks {
			assert.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, task).Status)
			assert.Len(t, summaries(t, v, shop, view), users)
		}
	})
}

// A tenant with many tasks does not occupy all workers while another waits.
func TestTenantsTakeTurns(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea")
		m := &model{before: func(context.Context, []string) error { time.Sleep(10 * time.Second); return nil }}
		v := w.views(&summaryview.Options{Model: m})
		greedy, modest := create(t, v, everyone, byUser), create(t, v, shop, byUser)
		for range 20 {
			run(t, v, everyone, greedy, "")
		}
		run(t, v, shop, modest, "t-1")
		stop := work(t, v)
		time.Sleep(11 * time.Second)
		stop()
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "t-1").Status)
	})
}

// A document that cannot be read is set aside, and does not keep others from being handled.
func TestUnreadableDocuments(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for _, key := range []string{"queue/x/y", "refresh/x", "removal/x", "other/x"} {
			require.NoError(t, w.store.Write(t.Context(), []driver.DocumentChange{{Document: driver.Document{Key: key, Revision: "r", Due: time.Unix(0, 0), Value: []byte("{")}}}))
		}
		w.put("anna: tea")
		v := w.views(nil)
		id := create(t, v, shop, byUser)
		run(t, v, shop, id, "t-1")
		stop := work(t, v)
		time.Sleep(time.Second)
		stop()
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "t-1").Status)
		for _, key := range []string{"queue/x/y", "refresh/x", "removal/x", "other/x"} {
			d, err := w.store.Get(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, "{", string(d.Value))
			require.True(t, d.Due.IsZero(), key)
		}
	})
}

// A store that does not answer for a while delays tasks, and loses none.
func TestOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea")
		store := &flaky{DocumentStore: w.store}
		v := w.viewsOn(store, nil)
		id := create(t, v, shop, byUser)
		stop := work(t, v)
		store.set(true)
		_, err := v.Run(t.Context(), shop, id, "t-1")
		require.ErrorIs(t, err, summaryview.ErrUnavailable)
		time.Sleep(time.Minute)
		store.set(false)
		run(t, v, shop, id, "t-1")
		time.Sleep(time.Minute)
		stop()
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "t-1").Status)
	})
}

// flaky is a store whose calls fail while it is down.
type flaky struct {
	driver.DocumentStore
	mu   sync.Mutex
	down bool
}

func (f *flaky) set(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *flaky) check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return driver.ErrUnavailable
	}
	return nil
}

func (f *flaky) Due(ctx context.Context, at time.Time, limit int) ([]driver.Document, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return f.DocumentStore.Due(ctx, at, limit)
}

func (f *flaky) Write(ctx context.Context, changes []driver.DocumentChange) error {
	if err := f.check(); err != nil {
		return err
	}
	return f.DocumentStore.Write(ctx, changes)
}
