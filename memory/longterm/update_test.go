package longterm_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func TestGetFindsOneRecord(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for _, owner := range [][2]string{{"shop", "anna"}, {"shop", "bob"}, {"bank", "anna"}, {"", ""}} {
		_, err := w.Put(t.Context(), longterm.Of(owner[0], owner[1]), []longterm.Record{
			{ID: "same", Text: "of " + owner[1]}, {ID: owner[0] + owner[1] + "1", Text: "only of " + owner[0] + owner[1]},
		}, nil)
		require.NoError(t, err)
	}
	tests := map[string]struct {
		scope longterm.Scope
		id    string
		want  string
		err   error
	}{
		"owner":           {anna, "same", "of anna", nil},
		"nobody":          {longterm.Of("", ""), "same", "of ", nil},
		"not the owner's": {anna, "shopbob1", "", longterm.ErrNotFound},
		"not there":       {anna, "x", "", longterm.ErrNotFound},
		"no id":           {anna, "", "", longterm.ErrNotFound},
		"one of a space":  {longterm.OfNamespace("shop"), "shopbob1", "only of shopbob", nil},
		"two of a space":  {longterm.OfNamespace("shop"), "same", "", longterm.ErrNotFound},
		"not of a space":  {longterm.OfNamespace("shop"), "bankanna1", "", longterm.ErrNotFound},
		"one of a user":   {longterm.OfUser("anna"), "bankanna1", "only of bankanna", nil},
		"two of a user":   {longterm.OfUser("anna"), "same", "", longterm.ErrNotFound},
		"one of all":      {longterm.Everyone(), "bankanna1", "only of bankanna", nil},
		"many of all":     {longterm.Everyone(), "same", "", longterm.ErrNotFound},
		"no scope":        {longterm.Scope{}, "same", "", longterm.ErrScope},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := w.Get(t.Context(), test.scope, test.id)
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.want, r.Text)
			_, err = w.Update(t.Context(), test.scope, test.id, func(*longterm.Record) error { return nil })
			require.ErrorIs(t, err, test.err)
		})
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"a"}, CreatedAt: noon.Add(-time.Hour)})
	w.embed.embedded()
	w.clock.Sleep(time.Minute)
	updated, err := w.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
		r.Topics, r.Pinned, r.PersistedAt = append(r.Topics, "b"), true, time.Time{}
		r.Metadata = map[string]any{"n": 1}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, w.get(t, "1"), updated)
	assert.Equal(t, []string{"a", "b"}, updated.Topics)
	assert.True(t, updated.Pinned)
	assert.Equal(t, noon, updated.PersistedAt)
	assert.Equal(t, noon.Add(time.Minute), updated.UpdatedAt)
	assert.Equal(t, noon.Add(-time.Hour), updated.CreatedAt)
	assert.Empty(t, w.embed.embedded(), "the text is the same")

	_, err = w.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
		r.Text = "ale @90"
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"ale @90"}, w.embed.embedded())
	results, err := w.Search(t.Context(), anna, longterm.Query{Text: "@90", Mode: longterm.ModeSemantic, NoTouch: true})
	require.NoError(t, err)
	assert.InDelta(t, 1, results.Hits[0].Similarity, 1e-6)
	results, err = w.Search(t.Context(), anna, longterm.Query{Text: "tea", Mode: longterm.ModeKeyword, NoTouch: true})
	require.NoError(t, err)
	assert.Zero(t, results.Total)

	writes := w.index.written()
	_, err = w.Update(t.Context(), anna, "1", func(r *longterm.Record) error { return nil })
	require.NoError(t, err)
	require.Equal(t, writes, w.index.written(), "nothing has changed")
	for _, change := range []func(r *longterm.Record){
		func(r *longterm.Record) { r.AccessCount = 70 },
		func(r *longterm.Record) { r.LastAccessed = noon.Add(70 * day) },
	} {
		_, err = w.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
			change(r)
			return nil
		})
		require.NoError(t, err)
	}
	r := w.get(t, "1")
	require.Equal(t, 70, r.AccessCount)
	require.Equal(t, noon.Add(70*day), r.LastAccessed)
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(r *longterm.Record)
		want   error
	}{
		"id":        {func(r *longterm.Record) { r.ID = "2" }, longterm.ErrFixed},
		"user":      {func(r *longterm.Record) { r.UserID = "bob" }, longterm.ErrFixed},
		"no user":   {func(r *longterm.Record) { r.UserID = "" }, longterm.ErrFixed},
		"namespace": {func(r *longterm.Record) { r.Namespace = "bank" }, longterm.ErrFixed},
		"hash":      {func(r *longterm.Record) { r.Hash = "x" }, longterm.ErrFixed},
		"no text":   {func(r *longterm.Record) { r.Text = "" }, longterm.ErrNoText},
		"type":      {func(r *longterm.Record) { r.Type = "rumour" }, longterm.ErrType},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			w.put(t, longterm.Record{ID: "1", Text: "secret tea"})
			before := w.all(t)
			_, err := w.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
				r.Topics = []string{"changed"}
				test.change(r)
				return nil
			})
			require.ErrorIs(t, err, test.want)
			var wrong *longterm.RecordError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, "1", wrong.ID)
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, before, w.all(t))
		})
	}
	t.Run("by its function", func(t *testing.T) {
		t.Parallel()
		w := setup(t, nil)
		w.put(t, longterm.Record{ID: "1", Text: "tea"})
		calls := 0
		_, err := w.Update(t.Context(), anna, "1", func(*longterm.Record) error {
			calls++
			return longterm.ErrConflict
		})
		require.Equal(t, longterm.ErrConflict, err)
		require.Equal(t, 1, calls, "it is another conflict than that of the index")
	})
}

func TestUpdateMergesWithTheSame(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"a"}, CreatedAt: noon.Add(-time.Hour)},
		longterm.Record{ID: "2", Text: "ale @90", Topics: []string{"b"}, ExtractedFrom: []string{"m"}})
	updated, err := w.Update(t.Context(), anna, "2", func(r *longterm.Record) error {
		r.Text = "tea @0"
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"2"}, w.ids(t), "whoever updates a record knows its id")
	require.Equal(t, w.get(t, "2"), updated)
	assert.Equal(t, []string{"a", "b"}, updated.Topics)
	assert.Equal(t, noon.Add(-time.Hour), updated.CreatedAt)

	// What is only near is left alone: it was said so.
	w.put(t, longterm.Record{ID: "3", Text: "ale @90"})
	_, err = w.Update(t.Context(), anna, "3", func(r *longterm.Record) error {
		r.Text = "more tea @1"
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"2", "3"}, w.ids(t))
}

func TestUpdateTriesAgain(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea", AccessCount: 1})
	w.index.before = func(n int) error {
		if n == 2 {
			return w.index.Touch(t.Context(), []driver.RecordKey{{Namespace: "shop", UserID: "anna", ID: "1"}}, noon.Add(time.Hour))
		}
		return nil
	}
	calls := 0
	updated, err := w.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
		calls++
		r.Pinned = true
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 2, calls)
	require.Equal(t, 2, updated.AccessCount)
	require.Equal(t, noon.Add(time.Hour), updated.LastAccessed)
}

func TestUpdateOfWhatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea"})
	other, err := longterm.New(w.index.Index, nil)
	require.NoError(t, err)
	lookups := 0
	w.index.lookup = func() {
		if lookups++; lookups == 2 {
			_, err := other.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
				r.Topics = []string{"other"}
				return nil
			})
			require.NoError(t, err)
		}
	}
	_, err = w.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
		r.Pinned = true
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"other"}, w.get(t, "1").Topics)
	require.True(t, w.get(t, "1").Pinned)
}

func TestDelete(t *testing.T) {
	t.Parallel()
	fill := func(t *testing.T) *world {
		w := setup(t, nil)
		for _, user := range []string{"anna", "bob"} {
			_, err := w.Put(t.Context(), longterm.Of("shop", user), []longterm.Record{
				{ID: "same", Text: "tea"}, {ID: user, Text: "of " + user}, {ID: user + "2", Text: "more of " + user},
			}, nil)
			require.NoError(t, err)
		}
		return w
	}
	tests := map[string]struct {
		scope longterm.Scope
		ids   []string
		want  int
		left  []string
		err   error
	}{
		"some":             {anna, []string{"anna", "same"}, 2, []string{"anna2", "bob", "bob2", "same"}, nil},
		"twice":            {anna, []string{"anna", "anna"}, 1, []string{"anna2", "same", "bob", "bob2", "same"}, nil},
		"none":             {anna, nil, 0, []string{"anna", "anna2", "same", "bob", "bob2", "same"}, nil},
		"of another":       {anna, []string{"bob", "x", ""}, 0, []string{"anna", "anna2", "same", "bob", "bob2", "same"}, nil},
		"in a wide scope":  {longterm.Everyone(), []string{"bob", "anna", "same", "bob", "x"}, 2, []string{"anna2", "same", "bob2", "same"}, nil},
		"without a scope":  {longterm.Scope{}, []string{"bob"}, 0, []string{"anna", "anna2", "same", "bob", "bob2", "same"}, longterm.ErrScope},
		"in other's space": {longterm.OfNamespace("bank"), []string{"bob"}, 0, []string{"anna", "anna2", "same", "bob", "bob2", "same"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fill(t)
			n, err := w.Delete(t.Context(), test.scope, test.ids...)
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.want, n)
			require.Equal(t, test.left, w.ids(t))
		})
	}
	t.Run("while it is used", func(t *testing.T) {
		t.Parallel()
		w := fill(t)
		w.index.before = func(n int) error {
			if n == 3 {
				return w.index.Touch(t.Context(), []driver.RecordKey{{Namespace: "shop", UserID: "anna", ID: "anna"}}, noon)
			}
			return nil
		}
		n, err := w.Delete(t.Context(), anna, "anna")
		require.NoError(t, err)
		require.Equal(t, 1, n)
	})
}

func TestAClosedMemory(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea"})
	require.NoError(t, w.Close(t.Context()))
	require.NoError(t, w.Close(t.Context()))
	ctx := t.Context()
	_, err := w.Put(ctx, anna, []longterm.Record{{ID: "1", Text: "ale"}}, nil)
	assert.ErrorIs(t, err, longterm.ErrClosed)
	_, err = w.Get(ctx, anna, "1")
	assert.ErrorIs(t, err, longterm.ErrClosed)
	_, err = w.Update(ctx, anna, "1", func(*longterm.Record) error { return nil })
	assert.ErrorIs(t, err, longterm.ErrClosed)
	_, err = w.Delete(ctx, anna, "1")
	assert.ErrorIs(t, err, longterm.ErrClosed)
	_, err = w.Search(ctx, anna, longterm.Query{})
	assert.ErrorIs(t, err, longterm.ErrClosed)
	_, err = w.Forget(ctx, anna, longterm.Policy{}, nil)
	assert.ErrorIs(t, err, longterm.ErrClosed)
	_, err = w.Compact(ctx, anna)
	assert.ErrorIs(t, err, longterm.ErrClosed)
	_, err = w.Reembed(ctx, anna)
	assert.ErrorIs(t, err, longterm.ErrClosed)
	for _, said := range []string{"", "tea"} {
		_, err = w.Recall(ctx, anna, said, nil)
		assert.ErrorIs(t, err, longterm.ErrClosed)
	}
	require.Equal(t, []string{"1"}, w.ids(t), "the index stays open")
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := longterm.New(nil, nil)
	require.ErrorContains(t, err, "longterm: no index")
	nan := 0.0
	nan /= nan
	for _, opts := range []*longterm.Options{{MergeDistance: nan}, {MergeDistance: 2.1}, {Embedder: nameless{}}} {
		_, err := longterm.New(memindex.New(nil), opts)
		require.ErrorContains(t, err, "longterm: ")
	}
}

type nameless struct{ *compass }

func (nameless) Model() string { return "" }

// Of many ids in a scope of several owners those go that one record has alone, without a
// search for each.
func TestDeleteOfManyInAWideScope(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]int{"none shared": 0, "one shared": 1, "all shared": 250} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			var ids, left []string
			for i := range 250 {
				id := fmt.Sprintf("m%03d", i)
				ids = append(ids, id, "none of "+id)
				owners := []string{"anna"}
				if i < shared {
					owners = []string{"anna", "bob", "carl"}
					left = append(left, id, id, id)
				}
				for _, user := range owners {
					_, err := w.Put(t.Context(), longterm.Of("shop", user), []longterm.Record{{ID: id, Text: id}}, nil)
					require.NoError(t, err)
				}
			}
			searches := 0
			w.index.search = func(driver.Search) error { searches++; return nil }
			n, err := w.Delete(t.Context(), longterm.OfNamespace("shop"), ids...)
			require.NoError(t, err)
			assert.Equal(t, 250-len(left)/3, n)
			assert.ElementsMatch(t, left, w.ids(t))
			if shared < 2 {
				assert.LessOrEqual(t, searches, 5+14*shared, "one for each hundred, and two for each half of that with the shared one")
			}
			w.index.search = func(driver.Search) error { return errBroken }
			_, err = w.Delete(t.Context(), longterm.OfNamespace("shop"), ids...)
			require.ErrorIs(t, err, errBroken)
		})
	}
}
