package longterm_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestPutSetsMissingFields(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	given := longterm.Record{ID: "1", Text: "Anna likes tea.", Topics: []string{}, Metadata: map[string]any{"n": 1.5}, AccessCount: -7}
	require.Equal(t, []longterm.Put{{Key: key("1"), Status: longterm.PutAdded}}, w.put(t, given))
	given.Metadata["n"] = "changed"
	r := w.get(t, "1")
	require.Equal(t, driver.HashOf(&r, false), r.Hash)
	require.Equal(t, "1.5", fmt.Sprint(r.Metadata["n"]))
	r.Hash, r.Metadata = "", nil
	require.Equal(t, longterm.Record{
		ID: "1", Text: "Anna likes tea.", Type: session.RecordSemantic, ExtractionStrategy: "discrete", Namespace: "shop", UserID: "anna",
		CreatedAt: noon, UpdatedAt: noon, LastAccessed: noon, PersistedAt: noon,
	}, r)
	at, want := time.Date(2025, 1, 2, 3, 4, 5, 6789, time.FixedZone("east", 3600)), time.Date(2025, 1, 2, 2, 4, 5, 6000, time.UTC)
	w.put(t, longterm.Record{ID: "2", Text: "Anna came.", Type: session.RecordEpisodic, CreatedAt: at, LastAccessed: at, EventDate: at, AccessCount: 3})
	r = w.get(t, "2")
	require.Equal(t, []time.Time{want, want, want, want, noon}, []time.Time{r.CreatedAt, r.LastAccessed, r.EventDate, r.UpdatedAt, r.PersistedAt})
	require.Equal(t, 3, r.AccessCount)
}

func TestPutReplacesTheSameID(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"drinks"}, Pinned: true})
	require.NoError(t, w.index.Touch(t.Context(), []driver.RecordKey{key("1")}, noon.Add(time.Minute)))
	w.clock.Sleep(time.Hour)
	require.Equal(t, longterm.PutReplaced, w.put(t, longterm.Record{ID: "1", Text: "coffee @90"})[0].Status)
	r := w.get(t, "1")
	require.Equal(t, longterm.Record{
		ID: "1", Text: "coffee @90", Type: session.RecordSemantic, ExtractionStrategy: "discrete", Namespace: "shop", UserID: "anna", Hash: r.Hash, AccessCount: 1,
		CreatedAt: noon, UpdatedAt: noon.Add(time.Hour), LastAccessed: noon.Add(time.Minute), PersistedAt: noon,
	}, r)
	require.InDelta(t, 1, semantic(t, w.Memory, "@90")[0].Similarity, 1e-6)
	require.Equal(t, []string{"1"}, w.ids(t))
	// UpdatedAt moves with each change, unless the client gives a later one.
	for _, at := range []time.Time{r.UpdatedAt, r.UpdatedAt.Add(-time.Hour), {}} {
		w.clock.Sleep(time.Hour)
		r = w.get(t, "1")
		r.Text, r.UpdatedAt = r.Text+"!", at
		w.put(t, r)
		require.Equal(t, w.clock.Now(), w.get(t, "1").UpdatedAt)
	}
	later := w.clock.Now().Add(time.Minute)
	w.put(t, longterm.Record{ID: "1", Text: "ale", UpdatedAt: later})
	require.Equal(t, later, w.get(t, "1").UpdatedAt)
}

func TestPutOfTheSameRecordsWritesNothing(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	records := []longterm.Record{
		{ID: "1", Text: "tea @0", Topics: []string{"drinks"}, Metadata: map[string]any{"list": []int{1, 2}, "n": 1e21}},
		{ID: "2", Text: "tea @0", Topics: []string{"leaves"}, Entities: []string{"Assam"}},
		{ID: "3", Text: "more tea @5", CreatedAt: noon.Add(-time.Hour)},
		{ID: "4", Text: "hello", Type: session.RecordMessage}, {ID: "5", Text: " ", Type: session.RecordMessage},
	}
	first := w.put(t, records...)
	before, writes := w.all(t), w.index.writes
	require.Equal(t, []string{"hello", "more tea @5", "tea @0"}, w.embed.takeTexts())
	w.clock.Sleep(time.Hour)
	require.Equal(t, longterm.PutSame, w.put(t, records...)[3].Status)
	require.Equal(t, writes, w.index.writes)
	require.Equal(t, []string{"more tea @5"}, w.embed.takeTexts(), "only the text that another replaced")
	for i, r := range records {
		r.LastAccessed, r.AccessCount = noon, 0
		require.Equal(t, first[i].Key, w.put(t, r)[0].Key)
	}
	require.Equal(t, before, w.all(t))
	w.embed.takeTexts()
	w.put(t, longterm.Record{ID: "4", Text: "hello", Topics: []string{"new"}, Type: session.RecordMessage})
	require.Empty(t, w.embed.takeTexts(), "the text is the same")
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	for name, test := range map[string]struct {
		record longterm.Record
		want   error
	}{
		"no id":           {longterm.Record{Text: "x"}, longterm.ErrNoID},
		"long id":         {longterm.Record{ID: strings.Repeat("€", driver.MaxIDBytes), Text: "x"}, longterm.ErrTooLarge},
		"no text":         {longterm.Record{ID: "1", Text: " \n"}, longterm.ErrNoText},
		"long text":       {longterm.Record{ID: "1", Text: strings.Repeat("x", driver.MaxTextBytes+1)}, longterm.ErrTooLarge},
		"type":            {longterm.Record{ID: "1", Text: "x", Type: "rumour"}, longterm.ErrType},
		"UTF-8":           {longterm.Record{ID: "1", Text: "x\xff"}, longterm.ErrInvalidUTF8},
		"many topics":     {longterm.Record{ID: "1", Text: "x", Topics: make([]string, driver.MaxTags+1)}, longterm.ErrTooLarge},
		"metadata":        {longterm.Record{ID: "1", Text: "x", Metadata: map[string]any{"x": math.Inf(1)}}, longterm.ErrMetadata},
		"cyclic metadata": {longterm.Record{ID: "1", Text: "x", Metadata: cyclic}, longterm.ErrTooLarge},
		"far future":      {longterm.Record{ID: "1", Text: "x", CreatedAt: noon.AddDate(9000, 0, 0)}, longterm.ErrMetadata},
		"other user":      {longterm.Record{ID: "1", Text: "x", UserID: "bob"}, longterm.ErrScope},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "good", Text: "secret words"}, test.record}, nil)
			require.ErrorIs(t, err, test.want)
			var wrong *longterm.RecordError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, 1, wrong.Index)
			require.LessOrEqual(t, len(err.Error()), 300)
			require.True(t, utf8.ValidString(wrong.ID))
			require.Empty(t, w.ids(t))
		})
	}
}

func TestPutInWideScopes(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for _, scope := range []longterm.Scope{longterm.OfNamespace("shop"), longterm.OfUser("anna"), longterm.Everyone()} {
		puts, err := w.Put(t.Context(), scope, []longterm.Record{{ID: "1", Text: "x"}}, nil)
		require.NoError(t, err)
		require.Equal(t, longterm.PutAdded, puts[0].Status)
	}
	var owners []string
	for _, r := range w.all(t) {
		owners = append(owners, r.Namespace+"/"+r.UserID)
	}
	require.Equal(t, []string{"/", "/anna", "shop/"}, owners)
	_, err := w.Put(t.Context(), longterm.Scope{}, []longterm.Record{{ID: "1", Text: "x"}}, nil)
	require.ErrorIs(t, err, longterm.ErrScope)
}

func TestPutInSteps(t *testing.T) {
	t.Parallel()
	many := func(n int) (records []longterm.Record) {
		for i := range n {
			records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprint("fact ", i)})
		}
		return records
	}
	t.Run("results change", func(t *testing.T) {
		t.Parallel()
		w := setup(t, nil)
		records := many(300)
		records[0].ExtractedFrom, records[1].ExtractedFrom = []string{"m"}, []string{"n"}
		records[1].Text, records[299].Text, records[298].Text = "fact 0", "fact 0", "fact 2"
		puts := w.put(t, records...)
		for i, want := range map[int]longterm.Put{
			0: {Key: key("299"), Status: longterm.PutMerged}, 1: {Key: key("299"), Status: longterm.PutMerged}, 2: {Key: key("2"), Status: longterm.PutAdded},
			298: {Key: key("2"), Status: longterm.PutMerged}, 299: {Key: key("299"), Status: longterm.PutMerged},
		} {
			require.Equal(t, want, puts[i])
		}
		require.Len(t, w.ids(t), 297)
		require.Equal(t, 2, w.index.writes)
	})
	t.Run("an error", func(t *testing.T) {
		t.Parallel()
		w := setup(t, nil)
		w.index.before = func(n int) error { return failIf(n == 2, longterm.ErrUnavailable) }
		puts, err := w.Put(t.Context(), anna, many(300), nil)
		require.ErrorIs(t, err, longterm.ErrUnavailable)
		require.Len(t, puts, 250)
		require.Equal(t, key("249"), puts[249].Key)
	})
	t.Run("size", func(t *testing.T) {
		t.Parallel()
		w := setup(t, nil)
		large, tags := map[string]any{"x": strings.Repeat("x", 3<<20)}, []string{strings.Repeat(" ", 3<<20)}
		w.put(t, longterm.Record{ID: "a", Text: "a", Metadata: large}, longterm.Record{ID: "b", Text: "b", ExtractedFrom: tags})
		require.Equal(t, 2, w.index.writes)
		var records []longterm.Record
		for i := range 5 {
			records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprint(i) + strings.Repeat(" ", driver.MaxTextBytes-1)})
		}
		w.put(t, records...)
		require.Equal(t, 4, w.index.writes)
	})
	t.Run("one id", func(t *testing.T) {
		t.Parallel()
		w := setup(t, nil)
		puts := w.put(t, longterm.Record{ID: "1", Text: "tea"}, longterm.Record{ID: "2", Text: "tea"}, longterm.Record{ID: "1", Text: "ale"})
		require.Equal(t, puts[0], puts[2])
		require.Equal(t, key("2"), puts[1].Key)
		require.Equal(t, "ale", w.get(t, "1").Text)
	})
}

func TestPutAfterErrors(t *testing.T) {
	t.Parallel()
	records := []longterm.Record{{ID: "1", Text: "tea"}, {ID: "2", Text: "tea"}, {ID: "3", Text: "coffee"}}
	for name, test := range map[string]struct {
		before, after func(n int) error
		want          error
	}{
		"conflicts":                {before: func(n int) error { return failIf(n < 5, longterm.ErrConflict) }},
		"unavailable":              {before: func(n int) error { return failIf(n == 1, longterm.ErrUnavailable) }, want: longterm.ErrUnavailable},
		"written, but unavailable": {after: func(n int) error { return failIf(n == 1, longterm.ErrUnavailable) }, want: longterm.ErrUnavailable},
		"written, but a conflict":  {after: func(n int) error { return failIf(n == 1, longterm.ErrConflict) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			w.index.before, w.index.after = test.before, test.after
			_, err := w.Put(t.Context(), anna, records, nil)
			require.ErrorIs(t, err, test.want)
			w.put(t, records...)
			require.Equal(t, []string{"1", "3"}, w.ids(t))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, nil)
		w.index.before = func(int) error { return longterm.ErrConflict }
		_, err := w.Put(t.Context(), anna, records, nil)
		require.ErrorIs(t, err, longterm.ErrConflict)
		require.Equal(t, 100, w.index.writes)
		ctx, cancel := context.WithCancel(t.Context())
		w.index.before = func(n int) error {
			if n == 103 {
				cancel()
			}
			return longterm.ErrConflict
		}
		_, err = w.Put(ctx, anna, records, nil)
		require.ErrorIs(t, err, context.Canceled)
		require.LessOrEqual(t, w.index.writes, 104)
	})
	w := setup(t, embedded)
	w.index.search = func(driver.Search) error { return longterm.ErrUnavailable }
	_, err := w.Put(t.Context(), anna, records, nil)
	require.ErrorIs(t, err, longterm.ErrUnavailable)
	require.Empty(t, w.ids(t))
}
