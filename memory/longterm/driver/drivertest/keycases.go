package drivertest

import (
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func keyCases() []testCase {
	return []testCase{{
		Name:  "odd keys",
		About: "Two keys are the same only if all three parts are, whatever they contain.",
		Run:   func(e *env) { e.keepApart(e, oddKeys()) },
	}, {
		Name:  "keys at random",
		About: "Keys made of separators and escapes, split into three parts in many ways, do not collide.",
		Run:   func(e *env) { rapid.Check(e, func(t *rapid.T) { e.keepApart(t, similarKeys(t)) }) },
	}, {
		Name:  "long keys",
		About: "Namespaces, users and ids of the greatest length are distinguished by their last byte.",
		Run:   longKeys,
	}, {
		Name:  "invalid keys",
		About: "Keys, scopes and filters that no record can match, such as invalid UTF-8, find nothing and cause no error.",
		Run:   keysOfNobody,
	}}
}

func oddKeys() []longtermdriver.RecordKey {
	keys := []longtermdriver.RecordKey{
		{ID: "a"}, {UserID: "a", ID: "a"}, {Namespace: "a", ID: "a"}, {Namespace: "a", UserID: "a", ID: "a"}, {Namespace: "a/b", ID: "c"},
		{Namespace: "a", UserID: "b", ID: "c"}, {Namespace: "a", UserID: "b/c", ID: "c"}, {ID: "a/b/c"}, {Namespace: "\x00", ID: "\x00"}, {ID: "\x00\x00"},
		{UserID: "\x00", ID: "\x00"}, {Namespace: "a\x00", ID: "b"}, {Namespace: "a", ID: "\x00b"}, {Namespace: "a", UserID: "\x00", ID: "b"},
	}
	for _, text := range oddTexts() {
		keys = append(keys, longtermdriver.RecordKey{Namespace: "odd", UserID: "user", ID: text},
			longtermdriver.RecordKey{Namespace: "odd", UserID: text, ID: "id"}, longtermdriver.RecordKey{Namespace: text, UserID: "odd", ID: "id"})
	}
	return keys
}

// keepApart requires that records with these distinct keys do not affect each other, and removes
// them.
func (e *env) keepApart(t require.TestingT, keys []longtermdriver.RecordKey) {
	get := func(key longtermdriver.RecordKey) []longtermdriver.Entry {
		found, err := e.index.Lookup(e.ctx, longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{key}})
		require.NoError(t, err, "%q", key)
		return found
	}
	text := func(key longtermdriver.RecordKey) string {
		return "of " + strings.Join([]string{key.Namespace, key.UserID, key.ID}, "|")
	}
	var entries []longtermdriver.Entry
	for _, key := range keys {
		entries = append(entries, longtermdriver.Entry{Record: recordOf(key, text(key)), Terms: []string{"term"}})
		entries[len(entries)-1].Record.Hash = hash(text(key) + key.Namespace)
	}
	require.NoError(t, e.index.Write(e.ctx, adding(entries...)))
	for i, key := range keys {
		found := get(key)
		require.Len(t, found, 1, "%q", key)
		require.Equal(t, text(key), found[0].Record.Text)
		page, err := e.index.Search(e.ctx, longtermdriver.Search{
			Scope: longterm.Of(key.Namespace, key.UserID), Filter: longtermdriver.RecordFilter{ID: &longtermdriver.TextCondition{Eq: &key.ID}}, Limit: 2,
		})
		require.NoError(t, err)
		require.Equal(t, 1, page.Total, "%q", key)
		require.Equal(t, text(key), page.Hits[0].Record.Text)
		if i%2 == 0 {
			require.NoError(t, e.index.Write(e.ctx, []longtermdriver.RecordChange{{Key: key, If: found[0].Version}}))
		}
	}
	for i, key := range keys {
		found := get(key)
		if i%2 == 0 {
			require.Empty(t, found, "%q", key)
			continue
		}
		require.Len(t, found, 1, "%q", key)
		require.NoError(t, e.index.Write(e.ctx, []longtermdriver.RecordChange{{Key: key, If: found[0].Version}}))
	}
}

// similarKeys draws keys from one sequence of texts, split into three parts in different ways.
func similarKeys(t *rapid.T) []longtermdriver.RecordKey {
	text := rapid.SampledFrom([]string{"a", "b", "A", "/", "%", "%2F", ":", "{", "}", "*", "[", `\`, "|", ".", "-", "_", "'", `"`, "\x00", "\x01", "é", "e\u0301", " ", "\n", "\U0010ffff"})
	row := rapid.SliceOfN(text, 3, 5).Draw(t, "texts")
	between := rapid.SampledFrom([]string{"", "/", ":", "|", "%2F", "\x00", "\x00\x01", "}", "."}).Draw(t, "between")
	cut := rapid.Custom(func(t *rapid.T) longtermdriver.RecordKey {
		i := rapid.IntRange(0, len(row)-1).Draw(t, "first cut")
		j := rapid.IntRange(i, len(row)-1).Draw(t, "second cut")
		return longtermdriver.RecordKey{Namespace: strings.Join(row[:i], between), UserID: strings.Join(row[i:j], between), ID: strings.Join(row[j:], between)}
	})
	return rapid.SliceOfNDistinct(cut, 2, 5, func(k longtermdriver.RecordKey) longtermdriver.RecordKey { return k }).Draw(t, "keys")
}

func longKeys(e *env) {
	fill := func(n int, end string) string { return strings.Repeat("k", n-len(end)) + end }
	const long = sessiondriver.MaxKeyBytes
	e.keepApart(e, []longtermdriver.RecordKey{
		{ID: fill(longtermdriver.MaxIDBytes, "")}, {ID: fill(longtermdriver.MaxIDBytes, "a")}, {ID: fill(longtermdriver.MaxIDBytes, "é")},
		{Namespace: fill(long, ""), ID: "a"}, {Namespace: fill(long, "b"), ID: "a"}, {UserID: fill(long, ""), ID: "a"}, {UserID: fill(long, "b"), ID: "a"},
		{Namespace: fill(long/2, ""), UserID: fill(long/2, ""), ID: fill(longtermdriver.MaxIDBytes, "")},
		{Namespace: fill(long/2, ""), UserID: fill(long/2, "c"), ID: fill(longtermdriver.MaxIDBytes, "")},
	})
}

func keysOfNobody(e *env) {
	e.add(embedded(record("a", "window"), 1, 0))
	for _, odd := range []string{"\xff", "a\xff", "\xed\xa0\x80", "\x00", "'", strings.Repeat("k", sessiondriver.MaxKeyBytes+1), strings.Repeat("k", longtermdriver.MaxTextBytes)} {
		e.looksUp(longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{keyOf(odd), {Namespace: odd, UserID: "anna", ID: "a"}, {Namespace: "shop", UserID: odd, ID: "a"}}})
		e.looksUp(longtermdriver.Lookup{Hashes: []string{odd}, Namespace: "shop", UserID: "anna"})
		e.looksUp(longtermdriver.Lookup{Hashes: []string{hash("a")}, Namespace: odd, UserID: "anna"})
		require.NoError(e, e.index.Touch(e.ctx, []longtermdriver.RecordKey{keyOf(odd)}, made))
		for _, scope := range []longtermdriver.Scope{longterm.Of(odd, "anna"), longterm.Of("shop", odd), longterm.OfNamespace(odd), longterm.OfUser(odd)} {
			s := listing()
			s.Scope = scope
			e.finds(s)
		}
		for _, condition := range []longtermdriver.TextCondition{{Eq: &odd}, {Any: []string{odd}}, {All: []string{odd}}, {StartsWith: &odd}} {
			s := listing()
			s.Filter.ID = &condition
			e.finds(s)
			s.Filter = longtermdriver.RecordFilter{Topics: &condition}
			e.finds(s)
		}
		e.finds(asking(odd))
		s := near(1, 0)
		s.Model = odd
		e.finds(s)
	}
}
