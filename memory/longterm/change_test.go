package longterm_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func TestGetAndUpdateFindOneRecord(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for _, owner := range [][2]string{{"shop", "anna"}, {"shop", "bob"}, {"bank", "anna"}, {"", ""}} {
		_, err := w.Put(t.Context(), longterm.Of(owner[0], owner[1]), []longterm.Record{
			{ID: "same", Text: "of " + owner[1]}, {ID: owner[0] + owner[1] + "1", Text: "only of " + owner[0] + owner[1]},
		}, nil)
		require.NoError(t, err)
	}
	for _, test := range []struct {
		scope longterm.Scope
		id    string
		want  string
		err   error
	}{
		{anna, "same", "of anna", nil}, {longterm.Of("", ""), "same", "of ", nil},
		{anna, "shopbob1", "", longterm.ErrNotFound}, {anna, "x", "", longterm.ErrNotFound}, {anna, "", "", longterm.ErrNotFound},
		{longterm.OfNamespace("shop"), "shopbob1", "only of shopbob", nil}, {longterm.OfNamespace("shop"), "same", "", longterm.ErrNotFound},
		{longterm.OfNamespace("shop"), "bankanna1", "", longterm.ErrNotFound}, {longterm.OfUser("anna"), "bankanna1", "only of bankanna", nil},
		{longterm.OfUser("anna"), "same", "", longterm.ErrNotFound}, {longterm.Everyone(), "bankanna1", "only of bankanna", nil},
		{longterm.Everyone(), "same", "", longterm.ErrNotFound}, {longterm.Scope{}, "same", "", longterm.ErrScope},
	} {
		r, err := w.Get(t.Context(), test.scope, test.id)
		require.ErrorIs(t, err, test.err, "%v %q", test.scope, test.id)
		require.Equal(t, test.want, r.Text)
		_, err = w.Update(t.Context(), test.scope, test.id, func(*longterm.Record) error { return nil })
		require.ErrorIs(t, err, test.err)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"a"}, CreatedAt: noon.Add(-time.Hour)})
	w.embed.takeTexts()
	w.clock.Sleep(time.Minute)
	want := w.get(t, "1")
	updated := w.update(t, "1", func(r *longterm.Record) {
		r.Topics, r.Pinned, r.PersistedAt = append(r.Topics, "b"), true, time.Time{}
	})
	want.Topics, want.Pinned, want.UpdatedAt = []string{"a", "b"}, true, noon.Add(time.Minute)
	require.Equal(t, want, updated)
	require.Equal(t, want, w.get(t, "1"))
	require.Empty(t, w.embed.takeTexts(), "the text is the same")
	w.update(t, "1", func(r *longterm.Record) { r.Text = "ale @90" })
	require.Equal(t, []string{"ale @90"}, w.embed.takeTexts())
	require.InDelta(t, 1, semantic(t, w.Memory, "@90")[0].Similarity, 1e-6)
	require.Zero(t, search(t, w.Memory, longterm.Query{Text: "tea", Mode: longterm.ModeKeyword, NoTouch: true}).Total)
	writes := w.index.writes
	w.update(t, "1", func(*longterm.Record) {})
	require.Equal(t, writes, w.index.writes, "nothing has changed")
	w.update(t, "1", func(r *longterm.Record) { r.AccessCount = 70 })
	w.update(t, "1", func(r *longterm.Record) { r.LastAccessed = noon.Add(70 * day) })
	r := w.get(t, "1")
	require.Equal(t, 70, r.AccessCount)
	require.Equal(t, noon.Add(70*day), r.LastAccessed)
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "secret tea"})
	before := w.all(t)
	for _, test := range []struct {
		change func(r *longterm.Record)
		want   error
	}{
		{func(r *longterm.Record) { r.ID = "2" }, longterm.ErrFixed},
		{func(r *longterm.Record) { r.UserID = "bob" }, longterm.ErrScope},
		{func(r *longterm.Record) { r.Namespace = "bank" }, longterm.ErrScope},
		{func(r *longterm.Record) { r.Hash = "x" }, longterm.ErrFixed},
		{func(r *longterm.Record) { r.Text = "" }, longterm.ErrNoText},
		{func(r *longterm.Record) { r.Type = "rumour" }, longterm.ErrType},
	} {
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
	}
	calls := 0
	_, err := w.Update(t.Context(), anna, "1", func(*longterm.Record) error {
		calls++
		return longterm.ErrConflict
	})
	require.Equal(t, longterm.ErrConflict, err)
	require.Equal(t, 1, calls, "the error of the function is not a conflict of the index")
}

func TestUpdateMovesARecordToAnotherOwner(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", AccessCount: 3}, longterm.Record{ID: "2", Text: "ale @90"}, longterm.Record{ID: "3", Text: "gin @45"})
	shop, bob := longterm.OfNamespace("shop"), longterm.Of("shop", "bob")
	_, err := w.Put(t.Context(), bob, []longterm.Record{{ID: "3", Text: "rum @20"}, {ID: "4", Text: "ale @90", Topics: []string{"drinks"}}}, nil)
	require.NoError(t, err)
	move := func(id string) (longterm.Record, error) {
		return w.Update(t.Context(), shop, id, func(r *longterm.Record) error {
			r.UserID = "bob"
			return nil
		})
	}
	want := w.get(t, "1")
	moved, err := move("1")
	require.NoError(t, err)
	want.UserID, want.Hash = "bob", driver.HashOf(&moved, false)
	require.Equal(t, want, moved)
	_, err = w.Get(t.Context(), anna, "1")
	require.ErrorIs(t, err, longterm.ErrNotFound, "it has left its owner")
	page, err := w.Search(t.Context(), bob, longterm.Query{Text: "@0", Mode: longterm.ModeSemantic, NoTouch: true})
	require.NoError(t, err)
	require.Equal(t, "1", page.Hits[0].Record.ID, "with its vector")

	_, err = move("2")
	require.NoError(t, err)
	merged, err := w.Get(t.Context(), bob, "2")
	require.NoError(t, err)
	require.Equal(t, []string{"drinks"}, merged.Topics, "merged with the same text of the new owner")
	_, err = move("3")
	require.ErrorIs(t, err, longterm.ErrNotFound, "two have the id")
	take := func(r *longterm.Record) error {
		r.UserID = "bob"
		return nil
	}
	_, err = w.Move(t.Context(), anna, "3", shop, take)
	require.ErrorIs(t, err, longterm.ErrTaken)
	_, err = w.Move(t.Context(), anna, "3", anna, take)
	require.ErrorIs(t, err, longterm.ErrScope)
	require.Equal(t, []string{"3", "1", "2", "3"}, w.ids(t))
}

func TestUpdateMergesTheSameText(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"a"}, CreatedAt: noon.Add(-time.Hour)},
		longterm.Record{ID: "2", Text: "ale @90", Topics: []string{"b"}, ExtractedFrom: []string{"m"}})
	updated := w.update(t, "2", func(r *longterm.Record) { r.Text = "tea @0" })
	require.Equal(t, []string{"2"}, w.ids(t), "the caller knows the id of the updated record")
	require.Equal(t, w.get(t, "2"), updated)
	require.Equal(t, []string{"a", "b"}, updated.Topics)
	require.Equal(t, noon.Add(-time.Hour), updated.CreatedAt)
	w.put(t, longterm.Record{ID: "3", Text: "ale @90"})
	w.update(t, "3", func(r *longterm.Record) { r.Text = "more tea @1" })
	require.Equal(t, []string{"2", "3"}, w.ids(t), "a similar text does not merge")
}

func TestUpdateDuringChanges(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea"})
	w.index.before = func(n int) error {
		if n == 2 {
			return w.index.Index.Touch(t.Context(), []driver.RecordKey{key("1")}, noon.Add(time.Hour))
		}
		return nil
	}
	calls := 0
	updated := w.update(t, "1", func(r *longterm.Record) { calls++; r.Pinned = true })
	require.Equal(t, 2, calls)
	require.Equal(t, 1, updated.AccessCount)
	require.Equal(t, noon.Add(time.Hour), updated.LastAccessed)
	require.True(t, w.get(t, "1").Pinned)
}

func TestDelete(t *testing.T) {
	t.Parallel()
	everything := []string{"anna", "anna2", "same", "bob", "bob2", "same"}
	for name, test := range map[string]struct {
		scope longterm.Scope
		ids   []string
		want  int
		left  []string
		err   error
	}{
		"some":            {anna, []string{"anna", "same"}, 2, []string{"anna2", "bob", "bob2", "same"}, nil},
		"twice":           {anna, []string{"anna", "anna"}, 1, []string{"anna2", "same", "bob", "bob2", "same"}, nil},
		"none":            {anna, nil, 0, everything, nil},
		"another's":       {anna, []string{"bob", "x", ""}, 0, everything, nil},
		"wide scope":      {longterm.Everyone(), []string{"bob", "anna", "same", "bob", "x"}, 2, []string{"anna2", "same", "bob2", "same"}, nil},
		"no scope":        {longterm.Scope{}, []string{"bob"}, 0, everything, longterm.ErrScope},
		"other namespace": {longterm.OfNamespace("bank"), []string{"bob"}, 0, everything, nil},
		"while used":      {anna, []string{"anna"}, 1, everything[1:], nil},
	} {
		w := setup(t, nil)
		for _, user := range []string{"anna", "bob"} {
			_, err := w.Put(t.Context(), longterm.Of("shop", user), []longterm.Record{{ID: "same", Text: "tea"}, {ID: user, Text: "of " + user}, {ID: user + "2", Text: "more of " + user}}, nil)
			require.NoError(t, err)
		}
		w.index.before = func(n int) error {
			if n == 3 && name == "while used" {
				return w.index.Touch(t.Context(), []driver.RecordKey{key("anna")}, noon)
			}
			return nil
		}
		n, err := w.Delete(t.Context(), test.scope, test.ids...)
		require.ErrorIs(t, err, test.err, name)
		require.Equal(t, test.want, n, name)
		require.Equal(t, test.left, w.ids(t), name)
	}
}

func TestDeleteOfManyInAWideScope(t *testing.T) {
	t.Parallel()
	for _, shared := range []int{0, 1, 250} { // by two owners
		w := setup(t, nil)
		var ids, left []string
		records := map[string][]longterm.Record{}
		for i := range 250 {
			r := longterm.Record{ID: fmt.Sprintf("m%03d", i), Text: fmt.Sprint("fact ", i)}
			ids = append(ids, r.ID, "none of "+r.ID)
			records["anna"] = append(records["anna"], r)
			if i < shared {
				records["bob"] = append(records["bob"], r)
				left = append(left, r.ID, r.ID)
			}
		}
		for user, some := range records {
			_, err := w.Put(t.Context(), longterm.Of("shop", user), some, nil)
			require.NoError(t, err)
		}
		searches := 0
		w.index.search = func(driver.Search) error { searches++; return nil }
		n, err := w.Delete(t.Context(), longterm.OfNamespace("shop"), ids...)
		require.NoError(t, err)
		require.Equal(t, 250-shared, n)
		require.ElementsMatch(t, left, w.ids(t))
		if shared < 2 {
			require.LessOrEqual(t, searches, 5+14*shared, "one for each hundred ids, and two for each half with the shared one")
		}
	}
}

func TestClosedMemory(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea"})
	p, err := longterm.NewPromoter(w.Memory, keeping)
	require.NoError(t, err)
	require.NoError(t, w.Close(t.Context()))
	require.NoError(t, w.Close(t.Context()))
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"Put": func() error { _, err := w.Put(ctx, anna, []longterm.Record{{ID: "1", Text: "ale"}}, nil); return err },
		"Get": func() error { _, err := w.Get(ctx, anna, "1"); return err },
		"Update": func() error {
			_, err := w.Update(ctx, anna, "1", func(*longterm.Record) error { return nil })
			return err
		},
		"Delete":   func() error { _, err := w.Delete(ctx, anna, "1"); return err },
		"Search":   func() error { _, err := w.Search(ctx, anna, longterm.Query{}); return err },
		"Forget":   func() error { _, err := w.Forget(ctx, anna, longterm.Policy{}, nil); return err },
		"Compact":  func() error { _, err := w.Compact(ctx, anna); return err },
		"Reembed":  func() error { _, err := w.Reembed(ctx, anna); return err },
		"Recall":   func() error { _, err := w.Recall(ctx, anna, "tea", nil); return err },
		"silence":  func() error { _, err := w.Recall(ctx, anna, "", nil); return err },
		"Messages": func() error { _, err := p.Messages(ctx, annas); return err },
	} {
		require.ErrorIs(t, call(), longterm.ErrClosed, name)
	}
	require.Equal(t, []string{"1"}, w.ids(t), "the index stays open")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, err := longterm.New(nil, nil)
	require.ErrorContains(t, err, "longterm: no index")
	for _, opts := range []*longterm.Options{{MergeDistance: math.NaN()}, {MergeDistance: 2.1}, {Embedder: nameless{}}} {
		_, err := longterm.New(memindex.New(nil), opts)
		require.ErrorContains(t, err, "longterm: ")
	}
}

type nameless struct{ *compass }

func (nameless) Model() string { return "" }
