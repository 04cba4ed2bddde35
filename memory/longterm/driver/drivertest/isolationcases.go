package drivertest

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func isolationCases() []testCase {
	return []testCase{{
		Name:  "scopes",
		About: "Each kind of scope finds what Scope.Holds reports, in every mode; an empty namespace or user is a value like any other.",
		Run:   scopes,
	}, {
		Name:  "a filter does not widen a scope",
		About: "Conditions on namespace and user apply in addition to the scope.",
		Run:   filterInScope,
	}, {
		Name:  "owners are isolated",
		About: "With any owners, keys and filters, reads only find records in the scope, and writes only change their keys.",
		Run: func(e *env) {
			run := 0
			rapid.Check(e, func(t *rapid.T) {
				run++
				e.nothingCrosses(t, strconv.Itoa(run))
			})
		},
	}, {
		Name:  "ranking does not depend on others",
		About: "The hits, order and scores of a search of one owner do not depend on the records of others.",
		Run:   rankedAlone,
	}}
}

// tenants returns owners with similar names.
func tenants() []driver.RecordKey {
	var owners []driver.RecordKey
	parts := []string{"", "shop", "Shop", "shop ", "sho", "anna", "%", "*", "a\x00b", "a"}
	for _, namespace := range parts {
		for _, user := range parts {
			owners = append(owners, driver.RecordKey{Namespace: namespace, UserID: user})
		}
	}
	return owners
}

func scopes(e *env) {
	var records []driver.Record
	for i, owner := range tenants() {
		owner.ID = "same"
		r := recordOf(owner, "of "+strconv.Itoa(i))
		records = append(records, r)
	}
	m := e.addModel(records...)
	all := []driver.Scope{longterm.Everyone(), longterm.OfNamespace("none"), longterm.OfUser("none"), longterm.Of("shop", "none")}
	for i, owner := range tenants() {
		if i%3 == 0 {
			all = append(all, longterm.Of(owner.Namespace, owner.UserID))
		}
		if i < 10 {
			all = append(all, longterm.OfNamespace(owner.UserID), longterm.OfUser(owner.UserID))
		}
	}
	for _, scope := range all {
		e.filters(e, m, scope, driver.RecordFilter{})
	}
	require.Equal(e, len(m), e.search(driver.Search{Scope: longterm.Everyone()}).Total)
	require.Equal(e, 1, e.search(driver.Search{Scope: longterm.Of("", "")}).Total)
	require.Equal(e, 10, e.search(driver.Search{Scope: longterm.OfUser("")}).Total)
}

func filterInScope(e *env) {
	bob := recordOf(driver.RecordKey{Namespace: "shop", UserID: "bob", ID: "b"}, "text")
	m := e.addModel(record("a", "text"), bob)
	for _, f := range []driver.RecordFilter{
		{UserID: &driver.TextCondition{Eq: new("bob")}}, {UserID: &driver.TextCondition{Any: []string{"bob", "carla"}}}, {Namespace: &driver.TextCondition{Ne: new("shop")}}, {ID: &driver.TextCondition{Eq: new("b")}},
	} {
		require.Zero(e, e.filters(e, m, anna, f))
	}
	require.Equal(e, 1, e.filters(e, m, longterm.OfNamespace("shop"), driver.RecordFilter{UserID: &driver.TextCondition{Eq: new("bob")}}))
}

// nothingCrosses is one run, with owners of its own.
func (e *env) nothingCrosses(t *rapid.T, run string) {
	name := rapid.SampledFrom([]string{"a", "b", "ab", "A", "%", "_", "*", "a\x00", "\x00a", "a'", "a/", "a|b", "a:b", ""})
	owner := rapid.Custom(func(t *rapid.T) driver.RecordKey {
		return driver.RecordKey{Namespace: run + name.Draw(t, "namespace"), UserID: run + name.Draw(t, "user")}
	})
	owners := rapid.SliceOfNDistinct(owner, 2, 5, func(k driver.RecordKey) driver.RecordKey { return k }).Draw(t, "owners")
	m := model{}
	for _, owner := range owners {
		for _, id := range rapid.SliceOfNDistinct(name, 1, 3, func(id string) string { return id }).Draw(t, "ids") {
			r := drawRecord(t, owner.Namespace, "of "+owner.UserID)
			r.UserID, r.ID, r.Hash = owner.UserID, "id"+id, hash(id)
			m[driver.KeyOf(&r)] = findable(r)
		}
	}
	require.NoError(t, e.index.Write(e.ctx, adding(slices.Collect(maps.Values(m))...)))
	e.apart(t, m, owners, rapid.SampledFrom(owners).Draw(t, "one"))
	e.changeOne(t, m, owners[0])
	e.apart(t, m, owners, owners...)
}

// apart requires that some of the owners find exactly their own records, in few calls, because a
// server may be slow.
func (e *env) apart(t *rapid.T, m model, owners []driver.RecordKey, some ...driver.RecordKey) {
	finds := func(scope driver.Scope, f driver.RecordFilter) {
		s := rapid.SampledFrom(everyMode(scope, f)).Draw(t, "search")
		page, err := e.index.Search(e.ctx, s)
		require.NoError(t, err)
		requireLikeModel(t, m, s, page)
	}
	for _, owner := range some {
		scope, other := longterm.Of(owner.Namespace, owner.UserID), rapid.SampledFrom(owners).Draw(t, "other")
		finds(scope, driver.RecordFilter{})
		finds(scope, drawFilter(t, owners[0].Namespace))
		finds(scope, driver.RecordFilter{UserID: &driver.TextCondition{Any: []string{other.UserID, owner.UserID}}})
		finds(scope, driver.RecordFilter{Namespace: &driver.TextCondition{Eq: &other.Namespace}})
		finds(longterm.OfNamespace(owner.Namespace), driver.RecordFilter{})
		finds(longterm.OfUser(owner.UserID), driver.RecordFilter{})
		l := driver.Lookup{Namespace: owner.Namespace, UserID: owner.UserID}
		for _, of := range m {
			l.Hashes = append(l.Hashes, of.Record.Hash)
		}
		found, err := e.index.Lookup(e.ctx, l)
		require.NoError(t, err)
		for _, of := range found {
			require.True(t, scope.Holds(of.Record.Namespace, of.Record.UserID))
		}
		require.Len(t, found, m.count(scope))
	}
	found, err := e.index.Lookup(e.ctx, driver.Lookup{Keys: slices.Collect(maps.Keys(m))})
	require.NoError(t, err)
	require.Len(t, found, len(m))
	for i := range found {
		of, exists := m[driver.KeyOf(&found[i].Record)]
		require.True(t, exists)
		requireSameRecord(t, &of.Record, &found[i].Record)
	}
}

// count returns the number of records in a scope.
func (m model) count(scope driver.Scope) int {
	return len(m.search(driver.Search{Scope: scope}))
}

// changeOne changes, removes and touches the records of one owner.
func (e *env) changeOne(t *rapid.T, m model, owner driver.RecordKey) {
	of := longterm.Of(owner.Namespace, owner.UserID)
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(m)), func(k driver.RecordKey) bool { return !of.Holds(k.Namespace, k.UserID) })
	found, err := e.index.Lookup(e.ctx, driver.Lookup{Keys: keys})
	require.NoError(t, err)
	require.Len(t, found, len(keys))
	at := made.Add(time.Millisecond)
	var changes []driver.RecordChange
	for i := range found {
		key := driver.KeyOf(&found[i].Record)
		change, entry := driver.RecordChange{Key: key, If: found[i].Version}, m[key]
		delete(m, key)
		if rapid.Bool().Draw(t, "replace") {
			entry.Record.Text, entry.Record.Hash = "changed", hash("changed"+key.ID)
			stored := entry
			change.Entry = &stored
			entry.Record.AccessCount++
			if entry.Record.LastAccessed.Before(at) {
				entry.Record.LastAccessed = at
			}
			m[key] = entry
		}
		changes = append(changes, change)
	}
	require.NoError(t, e.index.Write(e.ctx, changes))
	require.NoError(t, e.index.Touch(e.ctx, keys, at))
}

func rankedAlone(e *env) {
	e.add(pageEntries(60)...)
	var alone []driver.HitPage
	for _, s := range everyRank() {
		alone = append(alone, e.search(s))
	}
	// The others have the terms far more often and are nearer to all questions.
	for _, owner := range []driver.RecordKey{{Namespace: "shop", UserID: "bob"}, {Namespace: "other", UserID: "anna"}, {}, {Namespace: "shop"}} {
		var others []driver.Entry
		for i, of := range pageEntries(400) {
			of.Record.Namespace, of.Record.UserID = owner.Namespace, owner.UserID
			of.Vector = unit(1, float64(i%9)/4)
			of.Terms = append(of.Terms, "window", "window", "other")
			others = append(others, of)
		}
		e.add(others...)
	}
	for i, s := range everyRank() {
		page := e.search(s)
		require.Equal(e, alone[i].Total, page.Total)
		require.Equal(e, ids(alone[i]), ids(page))
		for j, hit := range page.Hits {
			require.InDelta(e, alone[i].Hits[j].Score, hit.Score, 1e-12)
			require.InDelta(e, alone[i].Hits[j].Keyword, hit.Keyword, 1e-12)
			require.InDelta(e, alone[i].Hits[j].Similarity, hit.Similarity, 1e-12)
		}
	}
}
