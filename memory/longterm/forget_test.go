package longterm_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// aged returns a record by its age and the time since its last use, in days.
func aged(id string, age, unused int) longterm.Record {
	return longterm.Record{
		ID: id, Text: "fact " + id, CreatedAt: noon.Add(-time.Duration(age) * day), LastAccessed: noon.Add(-time.Duration(unused) * day),
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	pinned := aged("pinned", 1000, 1000)
	pinned.Pinned = true
	event := aged("event", 50, 1)
	event.Type = session.RecordEpisodic
	records := []longterm.Record{
		aged("new", 1, 1), aged("used", 100, 2), aged("unused", 40, 35), aged("both", 100, 60), aged("ancient", 400, 3), pinned, event,
	}
	for name, test := range map[string]struct {
		policy longterm.Policy
		want   []string
	}{
		"nothing":                      {longterm.Policy{}, nil},
		"age":                          {longterm.Policy{MaxAge: 45 * day}, []string{"both", "ancient", "used", "event"}},
		"exact age":                    {longterm.Policy{MaxAge: 400 * day}, nil},
		"inactivity":                   {longterm.Policy{MaxInactive: 30 * day}, []string{"both", "unused"}},
		"both":                         {longterm.Policy{MaxAge: 45 * day, MaxInactive: 30 * day}, []string{"both"}},
		"both, exact hard age":         {longterm.Policy{MaxAge: 40 * day, MaxInactive: 100 * day, HardAgeMultiplier: 10}, nil},
		"both, or beyond the hard age": {longterm.Policy{MaxAge: 30 * day, MaxInactive: 30 * day}, []string{"both", "unused", "ancient"}},
		"both, another multiplier":     {longterm.Policy{MaxAge: 30 * day, MaxInactive: 30 * day, HardAgeMultiplier: 1.5}, []string{"both", "unused", "ancient", "used", "event"}},
		"budget":                       {longterm.Policy{Budget: new(2)}, []string{"both", "unused", "ancient", "used"}},
		"budget after age":             {longterm.Policy{MaxAge: 300 * day, Budget: new(4)}, []string{"ancient", "both"}},
		"types":                        {longterm.Policy{MaxAge: 45 * day, Types: []session.RecordType{session.RecordEpisodic, session.RecordMessage}}, []string{"event"}},
		"pinned ids":                   {longterm.Policy{MaxAge: 45 * day, Pinned: []string{"both", "x", "event"}}, []string{"ancient", "used"}},
		"budget beside pinned ids":     {longterm.Policy{Budget: new(2), Pinned: []string{"both", "new", "pinned"}}, []string{"unused", "ancient"}},
		"filter":                       {longterm.Policy{Budget: new(0), Filter: longterm.RecordFilter{ID: &longterm.TextCondition{StartsWith: new("u")}}, Pinned: []string{"used", "new"}}, []string{"unused"}},
		"filter and types": {longterm.Policy{Budget: new(0), Filter: longterm.RecordFilter{Type: &longterm.TextCondition{Ne: new("semantic")}},
			Types: []session.RecordType{session.RecordSemantic, session.RecordEpisodic}}, []string{"event"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			w.put(t, records...)
			_, err := w.Put(t.Context(), longterm.Of("shop", "bob"), records, nil)
			require.NoError(t, err)
			dry, err := w.Forget(t.Context(), anna, test.policy, nil)
			require.NoError(t, err)
			require.Len(t, w.ids(t), 14, "a dry run forgets nothing")
			require.True(t, dry.DryRun)
			done, err := w.Forget(t.Context(), anna, test.policy, &longterm.ForgetOptions{Delete: true})
			require.NoError(t, err)
			require.False(t, done.DryRun)
			done.DryRun = true
			require.Equal(t, dry, done)
			var ids []string
			for _, key := range done.Keys {
				require.Equal(t, "anna", key.UserID)
				ids = append(ids, key.ID)
			}
			require.Equal(t, test.want, ids)
			require.Len(t, w.ids(t), 14-len(test.want))
		})
	}
}

func TestForgetLimit(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 350 {
		r := aged(fmt.Sprintf("%03d", i), 500, 500-i)
		r.Pinned = i < 150
		records = append(records, r)
	}
	w.put(t, records...)
	for _, test := range []struct {
		policy      longterm.Policy
		opts        longterm.ForgetOptions
		scanned     int
		keys        int
		first, last string
	}{
		{longterm.Policy{MaxAge: day}, longterm.ForgetOptions{}, 350, 200, "150", "349"},
		// Pinned records do not count toward the limit.
		{longterm.Policy{MaxAge: day}, longterm.ForgetOptions{Limit: 120, Delete: true}, 120, 120, "150", "269"},
		// A budget covers all records, not only those within the limit.
		{longterm.Policy{Budget: new(70)}, longterm.ForgetOptions{Limit: 50}, 50, 10, "270", "279"},
	} {
		f, err := w.Forget(t.Context(), anna, test.policy, &test.opts)
		require.NoError(t, err)
		require.Equal(t, test.scanned, f.Scanned)
		require.Len(t, f.Keys, test.keys)
		require.Equal(t, []driver.RecordKey{key(test.first), key(test.last)}, []driver.RecordKey{f.Keys[0], f.Keys[test.keys-1]})
	}
}

func TestForgetDuringChanges(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, aged("1", 100, 100), aged("2", 100, 100), aged("3", 100, 100))
	w.index.before = func(n int) error {
		switch n {
		case 2:
			return w.index.Touch(t.Context(), []driver.RecordKey{key("1")}, noon)
		case 3:
			_, err := w.reopen(t, &longterm.Options{}).Delete(t.Context(), anna, "2")
			return err
		}
		return nil
	}
	f, err := w.Forget(t.Context(), anna, longterm.Policy{MaxAge: day}, &longterm.ForgetOptions{Delete: true})
	require.NoError(t, err)
	require.Equal(t, []driver.RecordKey{key("3")}, f.Keys)
	require.Equal(t, []string{"1"}, w.ids(t))

	// A record that is used while others are read moves to a later page, and another to its place.
	w = setup(t, nil)
	var records []longterm.Record
	for i := range 150 {
		records = append(records, aged(fmt.Sprintf("%03d", i), 500-i, 500-i))
	}
	w.put(t, records...)
	w.index.search = func(s driver.Search) error {
		if s.Offset == 0 {
			return nil
		}
		w.index.search = nil
		return w.index.Index.Touch(t.Context(), []driver.RecordKey{key("000")}, noon)
	}
	f, err = w.Forget(t.Context(), anna, longterm.Policy{MaxAge: 300 * day}, &longterm.ForgetOptions{Delete: true})
	require.NoError(t, err)
	require.Len(t, f.Keys, 148)
	require.Equal(t, "000", w.ids(t)[0])
}

func TestForgetRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for name, policy := range map[string]longterm.Policy{
		"age": {MaxAge: -1}, "inactivity": {MaxInactive: -1}, "budget": {Budget: new(-1)}, "multiplier": {HardAgeMultiplier: 0.5},
		"NaN": {HardAgeMultiplier: math.NaN()}, "infinite": {HardAgeMultiplier: math.Inf(1)}, "type": {Types: []session.RecordType{"rumour"}},
		"many pinned": {Pinned: make([]string, driver.MaxConditions+1)}, "filter": {Filter: longterm.RecordFilter{ID: &longterm.TextCondition{Any: []string{}}}},
	} {
		_, err := w.Forget(t.Context(), anna, policy, nil)
		require.ErrorIs(t, err, longterm.ErrFilter, name)
	}
	_, err := w.Forget(t.Context(), anna, longterm.Policy{}, &longterm.ForgetOptions{Limit: -1})
	require.ErrorIs(t, err, longterm.ErrFilter)
	_, err = w.Forget(t.Context(), longterm.Scope{}, longterm.Policy{}, nil)
	require.ErrorIs(t, err, longterm.ErrScope)
}

func TestForgetAfterAnError(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 1500 {
		records = append(records, aged(fmt.Sprint(i), 100, 100))
	}
	w.put(t, records...)
	w.index.before = func(n int) error { return failIf(n == 8, longterm.ErrUnavailable) }
	for _, test := range []struct {
		want error
		keys int
	}{{longterm.ErrUnavailable, 1000}, {nil, 500}} {
		f, err := w.Forget(t.Context(), anna, longterm.Policy{MaxAge: day}, &longterm.ForgetOptions{Limit: 2000, Delete: true})
		require.ErrorIs(t, err, test.want)
		require.Len(t, f.Keys, test.keys)
	}
}
