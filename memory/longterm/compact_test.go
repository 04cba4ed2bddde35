package longterm_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// on makes a memory on the index of another, with other options.
func (w *world) on(t *testing.T, opts *longterm.Options) *longterm.Memory {
	t.Helper()
	opts.Now = w.clock.Now
	m, err := longterm.New(w.index, opts)
	require.NoError(t, err)
	return m
}

func TestCompact(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	_, err := w.Put(t.Context(), anna, []longterm.Record{
		{ID: "1", Text: "tea @0", Topics: []string{"a"}, CreatedAt: noon.Add(-time.Hour)}, {ID: "2", Text: "tea @0", Topics: []string{"b"}},
		{ID: "3", Text: "more tea @1", SessionID: "s"}, {ID: "4", Text: "ale @90", ExtractedFrom: []string{"m"}}, {ID: "5", Text: "an ale @91"},
		{ID: "6", Text: "hi @90", Type: session.RecordMessage}, {ID: "7", Text: "hi @90", Type: session.RecordMessage},
	}, &longterm.PutOptions{NoMerge: true})
	require.NoError(t, err)
	_, err = w.Put(t.Context(), longterm.Of("shop", "bob"), []longterm.Record{{ID: "1", Text: "tea @0"}, {ID: "2", Text: "tea @0"}}, &longterm.PutOptions{NoMerge: true})
	require.NoError(t, err)
	calls := w.embed.calls

	c, err := w.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 2, Remaining: 5}, c)
	require.Equal(t, []string{"1", "3", "5", "6", "7", "1", "2"}, w.ids(t))
	require.Equal(t, []string{"a", "b"}, w.get(t, "1").Topics)
	before := w.all(t)
	c, err = w.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Remaining: 5}, c)
	require.Equal(t, before, w.all(t))
	require.Equal(t, calls, w.embed.calls, "nothing is embedded")

	c, err = w.Compact(t.Context(), longterm.Everyone())
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 1, Remaining: 6}, c)

	across := w.on(t, &longterm.Options{AcrossSessions: true, Embedder: w.embed})
	c, err = across.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 1, Remaining: 4}, c)
	for _, r := range w.all(t) {
		if r.UserID == "anna" {
			require.Equal(t, driver.HashOf(&r, r.Type != session.RecordMessage), r.Hash)
		}
	}
}

// The hash goes with the text, also where that comes from a record before.
func TestCompactOfNearRecords(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "at 4 @1", CreatedAt: noon}, longterm.Record{ID: "2", Text: "at 3 @0", CreatedAt: noon.Add(-time.Hour)})
	m := w.on(t, &longterm.Options{Embedder: w.embed})
	_, err := m.Reembed(t.Context(), anna)
	require.NoError(t, err)
	c, err := m.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 1, Remaining: 1}, c)
	r := w.get(t, "2")
	require.Equal(t, "at 4 @1", r.Text)
	require.Equal(t, driver.HashOf(&r, false), r.Hash)
}

func TestCompactOfManyRecords(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 500 {
		records = append(records, longterm.Record{ID: fmt.Sprintf("%03d", i), Text: fmt.Sprint("fact ", i%7), Topics: []string{fmt.Sprint(i)}})
	}
	_, err := w.Put(t.Context(), anna, records, &longterm.PutOptions{NoMerge: true})
	require.NoError(t, err)
	w.index.before = func(n int) error { return only(n%2 == 1, longterm.ErrConflict) }
	c, err := w.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 493, Remaining: 7}, c)
	topics := 0
	for _, r := range w.all(t) {
		topics += len(r.Topics)
	}
	require.Equal(t, 500, topics)
}

// What is removed or changed while records are merged stays so.
func TestCompactWhileOthersWrite(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "tea"}, {ID: "2", Text: "tea"}, {ID: "3", Text: "tea"}}, &longterm.PutOptions{NoMerge: true})
	require.NoError(t, err)
	other := w.on(t, &longterm.Options{})
	w.index.before = func(n int) error {
		if n != 2 {
			return nil
		}
		_, err := other.Delete(t.Context(), anna, "1")
		require.NoError(t, err)
		_, err = other.Update(t.Context(), anna, "3", func(r *longterm.Record) error {
			r.Text = "ale"
			return nil
		})
		return err
	}
	c, err := w.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Remaining: 2}, c)
	require.Equal(t, []string{"2", "3"}, w.ids(t))
	require.Equal(t, "ale", w.get(t, "3").Text)
}

func TestReembed(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 230 {
		records = append(records, longterm.Record{ID: fmt.Sprintf("%03d", i), Text: fmt.Sprintf("fact %d @%d", i, i), SessionID: fmt.Sprint(i)})
	}
	records = append(records, longterm.Record{ID: "blank", Text: " ", Type: session.RecordMessage})
	w.put(t, records...)
	_, err := w.Reembed(t.Context(), anna)
	require.ErrorIs(t, err, longterm.ErrEmbedder)

	m := w.on(t, &longterm.Options{Embedder: w.embed})
	find := func(m *longterm.Memory) int {
		results, err := m.Search(t.Context(), anna, longterm.Query{Text: "@7", Mode: longterm.ModeSemantic, NoTouch: true})
		require.NoError(t, err)
		return results.Total
	}
	require.Zero(t, find(m))
	before := w.all(t)
	w.index.before = func(n int) error { return only(n%2 == 0, longterm.ErrConflict) }
	n, err := m.Reembed(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, 230, n)
	require.Equal(t, 230, find(m))
	require.Equal(t, before, w.all(t), "the records are the same")
	require.Len(t, w.embed.embedded(), 232, "each is embedded once, and two questions")
	n, err = m.Reembed(t.Context(), anna)
	require.NoError(t, err)
	require.Zero(t, n)

	other := &compass{model: "other"}
	m = w.on(t, &longterm.Options{Embedder: other})
	require.Zero(t, find(m), "vectors of different models are not compared")
	other.broken = func([]string) ([][]float32, error) { return nil, errBroken }
	_, err = m.Reembed(t.Context(), anna)
	require.ErrorIs(t, err, longterm.ErrEmbedder)
	require.ErrorIs(t, err, errBroken)
	other.broken = nil
	n, err = m.Reembed(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, 230, n)
	require.Equal(t, 230, find(m))
}
