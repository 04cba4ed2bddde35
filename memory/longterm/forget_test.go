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

const day = 24 * time.Hour

// aged is a record by its age and by how long it was not used, in days.
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
	tests := map[string]struct {
		policy longterm.Policy
		want   []string
	}{
		"nothing":                     {longterm.Policy{}, nil},
		"age":                         {longterm.Policy{MaxAge: 45 * day}, []string{"both", "ancient", "used", "event"}},
		"exactly so old":              {longterm.Policy{MaxAge: 400 * day}, nil},
		"inactivity":                  {longterm.Policy{MaxInactive: 30 * day}, []string{"both", "unused"}},
		"exactly so long unused":      {longterm.Policy{MaxInactive: 60 * day}, nil},
		"both":                        {longterm.Policy{MaxAge: 45 * day, MaxInactive: 30 * day}, []string{"both"}},
		"both, exactly far too old":   {longterm.Policy{MaxAge: 40 * day, MaxInactive: 100 * day, HardAgeMultiplier: 10}, nil},
		"both, but far too old":       {longterm.Policy{MaxAge: 30 * day, MaxInactive: 30 * day}, []string{"both", "unused", "ancient"}},
		"both, by another multiplier": {longterm.Policy{MaxAge: 30 * day, MaxInactive: 30 * day, HardAgeMultiplier: 1.5}, []string{"both", "unused", "ancient", "used", "event"}},
		"budget":                      {longterm.Policy{Budget: new(2)}, []string{"both", "unused", "ancient", "used"}},
		"no budget":                   {longterm.Policy{Budget: new(0)}, []string{"both", "unused", "ancient", "used", "event", "new"}},
		"a budget for all":            {longterm.Policy{Budget: new(6)}, nil},
		"budget after age":            {longterm.Policy{MaxAge: 300 * day, Budget: new(4)}, []string{"ancient", "both"}},
		"types":                       {longterm.Policy{MaxAge: 45 * day, Types: []session.RecordType{session.RecordEpisodic, session.RecordMessage}}, []string{"event"}},
		"budget of a type":            {longterm.Policy{Budget: new(1), Types: []session.RecordType{session.RecordSemantic}}, []string{"both", "unused", "ancient", "used"}},
		"no types":                    {longterm.Policy{Budget: new(0), Types: []session.RecordType{}}, nil},
		"pinned ids":                  {longterm.Policy{MaxAge: 45 * day, Pinned: []string{"both", "x", "event"}}, []string{"ancient", "used"}},
		"budget beside pinned ids":    {longterm.Policy{Budget: new(2), Pinned: []string{"both", "new", "pinned"}}, []string{"unused", "ancient"}},
		"filter":                      {longterm.Policy{Budget: new(0), Filter: longterm.RecordFilter{ID: &longterm.TextCondition{StartsWith: new("u")}}, Pinned: []string{"used", "new"}}, []string{"unused"}},
		"filter and types": {longterm.Policy{Budget: new(0), Filter: longterm.RecordFilter{Type: &longterm.TextCondition{Ne: new("semantic")}},
			Types: []session.RecordType{session.RecordSemantic, session.RecordEpisodic}}, []string{"event"}},
		"filter of pinned": {longterm.Policy{Budget: new(0), Filter: longterm.RecordFilter{Pinned: new(true)}}, nil},
	}
	for name, test := range tests {
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
			again, err := w.Forget(t.Context(), anna, test.policy, &longterm.ForgetOptions{Delete: true})
			require.NoError(t, err)
			require.Empty(t, again.Keys)
		})
	}
}

func TestForgetLooksAtSoMany(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 350 {
		r := aged(fmt.Sprintf("%03d", i), 500, 500-i)
		r.Pinned = i < 150
		records = append(records, r)
	}
	w.put(t, records...)
	f, err := w.Forget(t.Context(), anna, longterm.Policy{MaxAge: day}, nil)
	require.NoError(t, err)
	require.Equal(t, 350, f.Scanned)
	require.Len(t, f.Keys, 200)
	// Pinned records take no room in the limit.
	f, err = w.Forget(t.Context(), anna, longterm.Policy{MaxAge: day}, &longterm.ForgetOptions{Limit: 120, Delete: true})
	require.NoError(t, err)
	require.Equal(t, 120, f.Scanned)
	require.Len(t, f.Keys, 120)
	require.Equal(t, "150", f.Keys[0].ID)
	require.Equal(t, "269", f.Keys[119].ID)
	// A budget is of all, not of those that are looked at.
	f, err = w.Forget(t.Context(), anna, longterm.Policy{Budget: new(70)}, &longterm.ForgetOptions{Limit: 50})
	require.NoError(t, err)
	require.Len(t, f.Keys, 10)
}

func TestForgetKeepsWhatIsUsedMeanwhile(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, aged("1", 100, 100), aged("2", 100, 100), aged("3", 100, 100))
	w.index.before = func(n int) error {
		switch n {
		case 2:
			return w.index.Touch(t.Context(), []driver.RecordKey{{Namespace: "shop", UserID: "anna", ID: "1"}}, noon)
		case 3:
			other, err := longterm.New(w.index.Index, nil)
			require.NoError(t, err)
			_, err = other.Delete(t.Context(), anna, "2")
			return err
		}
		return nil
	}
	f, err := w.Forget(t.Context(), anna, longterm.Policy{MaxAge: day}, &longterm.ForgetOptions{Delete: true})
	require.NoError(t, err)
	require.Equal(t, []driver.RecordKey{{Namespace: "shop", UserID: "anna", ID: "3"}}, f.Keys)
	require.Equal(t, []string{"1"}, w.ids(t))
}

func TestForgetRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	tests := map[string]longterm.Policy{
		"age":         {MaxAge: -1},
		"inactivity":  {MaxInactive: -1},
		"budget":      {Budget: new(-1)},
		"multiplier":  {HardAgeMultiplier: 0.5},
		"no number":   {HardAgeMultiplier: math.NaN()},
		"endless":     {HardAgeMultiplier: math.Inf(1)},
		"type":        {Types: []session.RecordType{"rumour"}},
		"many pinned": {Pinned: make([]string, driver.MaxConditions+1)},
		"filter":      {Filter: longterm.RecordFilter{ID: &longterm.TextCondition{Any: []string{}}}},
	}
	for name, policy := range tests {
		_, err := w.Forget(t.Context(), anna, policy, nil)
		require.ErrorIs(t, err, longterm.ErrFilter, name)
	}
	_, err := w.Forget(t.Context(), anna, longterm.Policy{}, &longterm.ForgetOptions{Limit: -1})
	require.ErrorIs(t, err, longterm.ErrFilter)
	_, err = w.Forget(t.Context(), longterm.Scope{}, longterm.Policy{}, nil)
	require.ErrorIs(t, err, longterm.ErrScope)
}

func TestForgetSaysWhatItDidBeforeItFailed(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 1500 {
		records = append(records, aged(fmt.Sprint(i), 100, 100))
	}
	w.put(t, records...)
	w.index.before = func(n int) error { return only(n == 8, longterm.ErrUnavailable) }
	f, err := w.Forget(t.Context(), anna, longterm.Policy{MaxAge: day}, &longterm.ForgetOptions{Limit: 2000, Delete: true})
	require.ErrorIs(t, err, longterm.ErrUnavailable)
	require.Len(t, f.Keys, 1000)
	f, err = w.Forget(t.Context(), anna, longterm.Policy{MaxAge: day}, &longterm.ForgetOptions{Limit: 2000, Delete: true})
	require.NoError(t, err)
	require.Len(t, f.Keys, 500)
	require.Equal(t, 500, f.Scanned)
}

// A record that is used while others are read comes again, behind them.
func TestForgetWhileRecordsAreUsed(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 150 {
		records = append(records, aged(fmt.Sprintf("%03d", i), 500-i, 500-i))
	}
	w.put(t, records...)
	w.index.search = func(s driver.Search) error {
		if s.Offset > 0 {
			w.index.search = nil
			return w.index.Index.Touch(t.Context(), []driver.RecordKey{{Namespace: "shop", UserID: "anna", ID: "000"}}, noon)
		}
		return nil
	}
	forgotten, err := w.Forget(t.Context(), anna, longterm.Policy{MaxAge: 300 * day}, &longterm.ForgetOptions{Delete: true})
	require.NoError(t, err)
	require.Equal(t, []string{"000"}, w.ids(t)[:1], "what is used meanwhile stays")
	require.Len(t, forgotten.Keys, 148, "and so does the one that moved into its page")
}
