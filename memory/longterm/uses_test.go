package longterm_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func (w *world) find(t *testing.T, text string) {
	t.Helper()
	require.NotEmpty(t, search(t, w.Memory, longterm.Query{Text: text}).Hits)
}

func TestUsesAreWrittenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, func(o *longterm.Options, w *world) { o.TouchEvery = 0 })
		w.put(t, longterm.Record{ID: "1", Text: "tea"}, longterm.Record{ID: "2", Text: "tea with milk"}, longterm.Record{ID: "3", Text: "ale"})
		w.clock.Sleep(time.Hour)
		for range 5 {
			w.find(t, "tea")
			w.clock.Sleep(time.Minute)
		}
		require.Zero(t, w.get(t, "1").AccessCount)
		time.Sleep(time.Second)
		synctest.Wait()
		for id, want := range map[string]int{"1": 1, "2": 1, "3": 0} {
			require.Equal(t, want, w.get(t, id).AccessCount)
		}
		require.Equal(t, noon.Add(time.Hour+4*time.Minute), w.get(t, "2").LastAccessed)
		require.Equal(t, noon, w.get(t, "3").LastAccessed)

		w.find(t, "ale")
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 1, w.get(t, "3").AccessCount)
	})
}

func TestUnusedResults(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea"})
	for _, query := range []longterm.Query{{}, {Text: "tea", NoTouch: true}, {Text: "ale"}, {Text: "tea", Offset: 1}} {
		search(t, w.Memory, query)
	}
	require.Zero(t, w.get(t, "1").AccessCount)
	for _, d := range []time.Duration{2 * time.Hour, -time.Hour} { // the clock is set back
		w.clock.Sleep(d)
		w.find(t, "tea")
	}
	require.Equal(t, 2, w.get(t, "1").AccessCount, "written at once")
	require.Equal(t, noon.Add(2*time.Hour), w.get(t, "1").LastAccessed)
}

func TestCloseWritesUses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, func(o *longterm.Options, w *world) { o.TouchEvery = time.Hour })
		w.put(t, longterm.Record{ID: "1", Text: "tea"})
		for _, d := range []time.Duration{2 * time.Hour, -time.Hour} {
			w.clock.Sleep(d)
			w.find(t, "tea")
		}
		require.NoError(t, w.Close(t.Context()))
		time.Sleep(2 * time.Hour)
		require.Equal(t, 1, w.all(t)[0].AccessCount)
		require.Equal(t, noon.Add(2*time.Hour), w.all(t)[0].LastAccessed)
	})
}

// Uses that cannot be written are dropped, and a panic of the index does not end the program.
func TestUsesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"unavailable": func() error { return longterm.ErrUnavailable }, memory.ErrPanic.Error(): func() error { panic("secret") },
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			w := setup(t, func(o *longterm.Options, w *world) {
				o.TouchEvery, o.Logger = 0, slog.New(slog.NewTextHandler(&log, nil))
			})
			w.put(t, longterm.Record{ID: "1", Text: "secret tea"})
			for _, touch := range []func() error{fail, nil} {
				w.index.touch = touch
				w.find(t, "tea")
				time.Sleep(time.Minute)
				synctest.Wait()
			}
			require.Contains(t, log.String(), name)
			require.NotContains(t, log.String(), "secret")
			require.Equal(t, 1, w.get(t, "1").AccessCount)
			w.index.touch = fail
			w.find(t, "tea")
			require.Error(t, w.Close(t.Context()))
		})
	}
}

// Close waits for uses that are being written, but not longer than its context lives.
func TestCloseOfAHangingIndex(t *testing.T) {
	t.Parallel()
	for _, pending := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m, err := longterm.New(&hanging{memindex.New(nil)}, nil)
			require.NoError(t, err)
			_, err = m.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "tea"}}, nil)
			require.NoError(t, err)
			search(t, m, longterm.Query{Text: "tea"})
			time.Sleep(time.Second) // the timer has fired
			if pending {
				search(t, m, longterm.Query{Text: "tea"})
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begin := time.Now()
			require.ErrorIs(t, m.Close(ctx), context.DeadlineExceeded)
			require.Equal(t, time.Second, time.Since(begin))
		})
	}
}

type hanging struct{ driver.Index }

func (*hanging) Touch(ctx context.Context, _ []driver.RecordKey, _ time.Time) error {
	<-ctx.Done()
	return ctx.Err()
}

// Pending uses are limited, and written in calls of a size that an index accepts.
func TestUsesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, func(o *longterm.Options, w *world) { o.TouchEvery = time.Hour })
		for i := range 12 {
			var changes []driver.RecordChange
			for j := range 1000 {
				r := longterm.Record{ID: fmt.Sprintf("%d-%d", i, j), Namespace: "shop", UserID: "anna", Hash: fmt.Sprintf("%d-%d", i, j), SessionID: fmt.Sprint(i)}
				changes = append(changes, driver.RecordChange{Key: driver.KeyOf(&r), Entry: &driver.Entry{Record: r, Terms: []string{"tea"}}})
			}
			require.NoError(t, w.index.Write(t.Context(), changes))
			filter := longterm.RecordFilter{SessionID: &longterm.TextCondition{Eq: new(fmt.Sprint(i))}}
			search(t, w.Memory, longterm.Query{Text: "tea", Filter: filter, Limit: 1000})
		}
		calls := 0
		w.index.touch = func() error {
			calls++
			return nil
		}
		require.NoError(t, w.Close(t.Context()))
		require.Equal(t, 10, calls)
	})
}

// Pending uses protect records from Forget.
func TestForgetOfRecordsInUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, func(o *longterm.Options, w *world) { o.TouchEvery = time.Hour })
		w.put(t, longterm.Record{ID: "1", Text: "tea"}, longterm.Record{ID: "2", Text: "ale"})
		w.clock.Sleep(40 * day)
		w.find(t, "tea")
		forgotten, err := w.Forget(t.Context(), anna, longterm.Policy{MaxInactive: 30 * day}, &longterm.ForgetOptions{Delete: true})
		require.NoError(t, err)
		require.Equal(t, []driver.RecordKey{key("2")}, forgotten.Keys)
		w.find(t, "tea")
		w.index.touch = func() error { return errBroken }
		_, err = w.Forget(t.Context(), anna, longterm.Policy{Budget: new(0)}, &longterm.ForgetOptions{Delete: true})
		require.ErrorIs(t, err, errBroken)
		w.index.touch = nil
		w.find(t, "tea")
		begin := time.Now()
		require.NoError(t, w.Close(t.Context()))
		require.Zero(t, time.Since(begin), "no timer is waited for that has nothing to write")
		require.Equal(t, 2, w.all(t)[0].AccessCount)
	})
}
