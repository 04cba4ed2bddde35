package summaryview_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

func TestTasks(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea", "anna: cake", "bert: coffee")
		m := &model{before: func(context.Context, []string) error { time.Sleep(time.Second); return nil }}
		v := w.views(&summaryview.Options{Model: m})
		id := create(t, v, shop, byUser)
		began := time.Now().UTC()
		task := run(t, v, shop, id, "t-1")
		require.Equal(t, summaryview.Task{ID: "t-1", ViewID: id, Status: summaryview.TaskPending, CreatedAt: began}, task)
		time.Sleep(time.Minute)
		require.Equal(t, task, taskOf(t, v, shop, "t-1"), "nothing happens without Work")
		stop := work(t, v)
		time.Sleep(time.Second / 2)
		task.Status, task.StartedAt = summaryview.TaskRunning, began.Add(time.Minute)
		require.Equal(t, task, taskOf(t, v, shop, "t-1"))
		time.Sleep(time.Second)
		require.Len(t, summaries(t, v, shop, id), 1, "each partition is stored when it is computed")
		time.Sleep(time.Minute)
		task.Status, task.CompletedAt = summaryview.TaskSuccess, began.Add(time.Minute+2*time.Second)
		require.Equal(t, task, taskOf(t, v, shop, "t-1"))
		require.Equal(t, map[string]string{"anna": "[cake; tea]", "bert": "[coffee]"}, summaries(t, v, shop, id))

		time.Sleep(summaryview.DefaultRetention - time.Minute)
		taskOf(t, v, shop, "t-1")
		time.Sleep(2 * time.Minute)
		_, err := v.Task(t.Context(), shop, "t-1")
		require.ErrorIs(t, err, summaryview.ErrNotFound)
		stop()
		n, err := w.store.Count(t.Context(), "task/")
		require.NoError(t, err)
		require.Zero(t, n, "expired tasks are removed")
	})
}

// A task id names one run at a time.
func TestTaskIDs(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		m := &model{}
		w.put("anna: tea")
		v := w.views(&summaryview.Options{Model: m})
		id, other := create(t, v, shop, byUser), create(t, v, shop, byUser)
		first := run(t, v, shop, id, "nightly")
		require.Equal(t, first, run(t, v, shop, id, "nightly"), "a repeated call")
		_, err := v.Run(t.Context(), shop, other, "nightly")
		require.ErrorIs(t, err, summaryview.ErrBusy)
		bank := summaryview.Tenant{Namespace: "bank"}
		run(t, v, bank, create(t, v, bank, byUser), "nightly")
		require.NotEqual(t, run(t, v, shop, id, "").ID, run(t, v, shop, id, "").ID)
		for _, wrong := range []string{"\xff", strings.Repeat("x", summaryview.MaxNameBytes+1)} {
			_, err := v.Run(t.Context(), shop, id, wrong)
			require.ErrorIs(t, err, summaryview.ErrInvalid)
		}
		stop := work(t, v)
		time.Sleep(time.Second)
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "nightly").Status)
		require.Equal(t, 3, m.calls())
		again := run(t, v, shop, other, "nightly")
		require.Equal(t, other, again.ViewID)
		require.Equal(t, summaryview.TaskPending, again.Status)
		time.Sleep(time.Second)
		stop()
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "nightly").Status)
		require.Equal(t, other, taskOf(t, v, shop, "nightly").ViewID)
		require.Equal(t, 4, m.calls())
	})
}

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	v := newWorld(t).views(nil)
	id := create(t, v, shop, byUser)
	for range summaryview.MaxQueued {
		run(t, v, shop, id, "")
	}
	_, err := v.Run(t.Context(), shop, id, "")
	require.ErrorIs(t, err, summaryview.ErrLimit)
	run(t, v, everyone, create(t, v, everyone, byUser), "")
}

// A run leaves the partitions of the memories that there are, and those computed during it.
func TestStalePartitionsAreRemoved(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea", "bert: coffee")
		v := w.views(nil)
		id := create(t, v, shop, byUser)
		group := func(user string) map[string]string { return map[string]string{"user_id": user} }
		for _, user := range []string{"anna", "bert", "cleo"} {
			summarize(t, v, shop, id, group(user))
		}
		_, err := w.memory.Delete(t.Context(), longterm.Everyone(), "coffee")
		require.NoError(t, err)
		time.Sleep(time.Second)
		m := &model{before: func(context.Context, []string) error { time.Sleep(time.Second); return nil }}
		running := w.views(&summaryview.Options{Model: m})
		run(t, running, shop, id, "t-1")
		stop := work(t, running)
		time.Sleep(time.Second / 2)
		summarize(t, v, shop, id, group("dora"))
		time.Sleep(time.Minute)
		stop()
		require.Equal(t, map[string]string{"anna": "[tea]", "dora": ""}, summaries(t, v, shop, id))
	})
}

// A view that exceeds a limit is not summarised in part.
func TestTooManyPartitions(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		records := make([]longterm.Record, summaryview.MaxPartitions+1)
		for i := range records {
			records[i] = longterm.Record{ID: fmt.Sprint(i), Text: "x", Namespace: "shop", UserID: fmt.Sprint(i)}
		}
		w.putRecord(records...)
		v := w.views(nil)
		id := create(t, v, shop, byUser)
		run(t, v, shop, id, "t-1")
		stop := work(t, v)
		time.Sleep(time.Second)
		task := taskOf(t, v, shop, "t-1")
		assert.Equal(t, summaryview.TaskFailed, task.Status)
		assert.Equal(t, "summaryview: limit exceeded: the view has more than 1000 partitions: narrow its filters or group by fewer fields", task.Error)
		assert.Empty(t, summaries(t, v, shop, id))
		_, err := w.memory.Delete(t.Context(), longterm.Everyone(), "0")
		require.NoError(t, err)
		run(t, v, shop, id, "t-1")
		time.Sleep(time.Minute)
		stop()
		require.Equal(t, summaryview.TaskSuccess, taskOf(t, v, shop, "t-1").Status)
		require.Len(t, summaries(t, v, shop, id), summaryview.MaxPartitions)
	})
}

// A view that is deleted while it is summarised leaves nothing.
func TestDeletionDuringATask(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea", "bert: coffee")
		m := &model{before: func(context.Context, []string) error { time.Sleep(time.Second); return nil }}
		v := w.views(&summaryview.Options{Model: m})
		id := create(t, v, shop, byUser)
		run(t, v, shop, id, "t-1")
		waiting := run(t, v, shop, id, "t-2")
		stop := work(t, w.views(&summaryview.Options{Model: m, Workers: 1}))
		time.Sleep(1500 * time.Millisecond)
		require.Len(t, summaries(t, v, shop, id), 1)
		require.NoError(t, v.Delete(t.Context(), shop, id))
		time.Sleep(time.Minute)
		stop()
		for _, id := range []string{"t-1", waiting.ID} {
			task := taskOf(t, v, shop, id)
			assert.Equal(t, summaryview.TaskFailed, task.Status)
			assert.Contains(t, task.Error, "not found")
		}
		n, err := w.store.Count(t.Context(), "partition/")
		require.NoError(t, err)
		require.Zero(t, n)
		due, err := w.store.Due(t.Context(), time.Now(), driver.MaxDocuments)
		require.NoError(t, err)
		require.Empty(t, due)
	})
}

// Continuous views are summarised at once and every hour, by any process. Partitions whose memories
// have not changed cost no call of the model.
func TestContinuousViews(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea", "bert: coffee")
		m := &model{}
		v := w.views(&summaryview.Options{Model: m})
		stops := []func(){work(t, v), work(t, w.views(&summaryview.Options{Model: m}))}
		id := create(t, v, shop, summaryview.Definition{GroupBy: []string{"user_id"}, Continuous: true})
		once := create(t, v, shop, byUser)
		time.Sleep(time.Second)
		require.Equal(t, map[string]string{"anna": "[tea]", "bert": "[coffee]"}, summaries(t, v, shop, id))
		require.Equal(t, 2, m.calls())
		first := taskOf(t, v, shop, summaryview.RefreshID(id))
		require.Equal(t, summaryview.TaskSuccess, first.Status)

		w.put("anna: cake")
		time.Sleep(59 * time.Minute)
		require.Equal(t, 2, m.calls())
		time.Sleep(2 * time.Minute)
		require.Equal(t, map[string]string{"anna": "[tea; cake]", "bert": "[coffee]"}, summaries(t, v, shop, id))
		require.Equal(t, 3, m.calls(), "that of the user with a new memory")
		require.Equal(t, time.Hour, taskOf(t, v, shop, summaryview.RefreshID(id)).CreatedAt.Sub(first.CreatedAt).Round(time.Minute))
		require.Empty(t, summaries(t, v, shop, once))

		require.NoError(t, v.Delete(t.Context(), shop, id))
		time.Sleep(3 * time.Hour)
		for _, stop := range stops {
			stop()
		}
		require.Equal(t, 3, m.calls())
		n, err := w.store.Count(t.Context(), "refresh/")
		require.NoError(t, err)
		require.Zero(t, n)
	})
}

// While a refresh takes longer than an hour, no other is queued.
func TestSlowRefresh(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.put("anna: tea")
		m := &model{before: func(ctx context.Context, _ []string) error { <-ctx.Done(); return ctx.Err() }}
		v := w.views(&summaryview.Options{Model: m, Refresh: 10 * time.Second})
		create(t, v, shop, summaryview.Definition{GroupBy: []string{"user_id"}, Continuous: true})
		stop := work(t, v)
		time.Sleep(50 * time.Second)
		require.Equal(t, 1, m.calls())
		time.Sleep(25 * time.Second)
		stop()
		require.Equal(t, 2, m.calls(), "the model is given up after a minute")
	})
}
