package drivertest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func listCases() []testCase {
	return []testCase{{
		Name:  "list in order",
		About: "List returns keys in the bytewise order of Key.String, not in that of their parts or of a language.",
		Run:   listOrder,
	}, {
		Name:  "list by filter",
		About: "Each part that a filter has must be equal; an empty one is a value like any other; none is a pattern or a prefix.",
		Run:   listFilter,
	}, {
		Name:  "list in pages",
		About: "Limit and Offset cut a page out of the list; Total is that of the whole.",
		Run:   listPages,
	}, {
		Name:  "list by default",
		About: "A Manager lists the first sessions with the zero options, and the next ones from an Offset.",
		Run:   listByDefault,
	}, {
		Name:  "list of nothing",
		About: "A store without sessions has an empty list.",
		Run:   listNothing,
	}}
}

func (e *env) list(f driver.ListOptions) driver.Listing {
	e.Helper()
	page, err := e.store.List(e.ctx, f)
	require.NoError(e, err)
	return page
}

func sorted(keys []driver.Key) []driver.Key {
	return slices.SortedFunc(slices.Values(keys), func(a, b driver.Key) int { return strings.Compare(a.String(), b.String()) })
}

// some makes sessions: all keys of three parts out of few texts.
func (e *env) some() []driver.Key {
	e.Helper()
	parts := []string{"", "a", "ab", "a/", "*"}
	var keys []driver.Key
	for _, namespace := range parts {
		for _, user := range parts {
			for _, id := range []string{"a", "ab", "%"} {
				keys = append(keys, driver.Key{Namespace: namespace, UserID: user, SessionID: id})
			}
		}
	}
	for _, key := range keys {
		e.appendTo(key, appendOf(), 0)
	}
	return sorted(keys)
}

func listOrder(e *env) {
	keys := []driver.Key{
		{SessionID: "b"}, {SessionID: "a"}, {SessionID: "B"}, {SessionID: "é"}, {SessionID: "~"}, {SessionID: "-"}, {SessionID: "a b"}, {SessionID: "a-b"},
		{SessionID: "10"}, {SessionID: "9"}, {SessionID: "\xff"}, {SessionID: "\x00"}, {Namespace: "a", SessionID: "z"}, {Namespace: "a b", SessionID: "a"},
		{Namespace: "a", UserID: "z", SessionID: "a"}, {Namespace: "a-", SessionID: "a"}, {Namespace: "a0", SessionID: "a"}, {Namespace: "Z", SessionID: "a"},
		{UserID: "a", SessionID: "a"}, {UserID: "a.", SessionID: "a"}, {UserID: "a~", SessionID: "a"}, {Namespace: "é", SessionID: "a"}, {Namespace: "日", SessionID: "a"},
	}
	for _, key := range keys {
		e.appendTo(key, appendOf("a"), 1)
	}
	require.Equal(e, driver.Listing{Keys: sorted(keys), Total: len(keys)}, e.list(driver.ListOptions{Limit: -1}))
	e.write(writeIf(driver.Condition{}, `1`))
	require.Equal(e, sorted(append(keys, key)), e.list(driver.ListOptions{Limit: -1}).Keys)
}

func listFilter(e *env) {
	all := e.some()
	parts := []*string{nil, new(""), new("a"), new("ab"), new("a/"), new("*"), new("%"), new("A"), new("none")}
	for i, namespace := range parts {
		for j, user := range parts {
			for k, id := range parts {
				if min(i, 1)+min(j, 1)+min(k, 1) > 2 && (i+j+k)%4 != 0 && !soak.Enabled() {
					continue
				}
				var want []driver.Key
				for _, key := range all {
					if pass(namespace, key.Namespace) && pass(user, key.UserID) && pass(id, key.SessionID) {
						want = append(want, key)
					}
				}
				page := e.list(driver.ListOptions{Namespace: namespace, UserID: user, SessionID: id, Limit: -1})
				text := fmt.Sprintf("namespace %s, user %s, session %s", named(namespace), named(user), named(id))
				require.Equal(e, len(want), page.Total, text)
				require.True(e, slices.Equal(want, page.Keys), "%s: %v", text, page.Keys)
			}
		}
	}
}

func pass(want *string, part string) bool { return want == nil || *want == part }

func named(part *string) string {
	if part == nil {
		return "any"
	}
	return fmt.Sprintf("%q", *part)
}

func listPages(e *env) {
	all := e.some()
	ofA := slices.DeleteFunc(slices.Clone(all), func(k driver.Key) bool { return k.Namespace != "a" })
	for _, limit := range []int{math.MinInt, -1, 1, 7, 1000, math.MaxInt} {
		for _, offset := range []int{math.MinInt, -1, 0, 1, 14, 15, 16, 75, math.MaxInt32 - 1, math.MaxInt} {
			for namespace, keys := range map[*string][]driver.Key{nil: all, new("a"): ofA} {
				page := e.list(driver.ListOptions{Namespace: namespace, Limit: limit, Offset: offset})
				from := min(max(offset, 0), len(keys))
				to := len(keys)
				if limit >= 0 {
					to = from + min(limit, len(keys)-from)
				}
				require.Equal(e, len(keys), page.Total, "limit %d, offset %d", limit, offset)
				require.True(e, slices.Equal(keys[from:to], page.Keys), "limit %d, offset %d: %v", limit, offset, page.Keys)
			}
		}
	}
}

func listByDefault(e *env) {
	all := e.some()
	for i := len(all); i < driver.DefaultListLimit+5; i++ {
		key := driver.Key{Namespace: "more", SessionID: fmt.Sprint(i)}
		e.appendTo(key, appendOf(), 0)
		all = append(all, key)
	}
	all = sorted(all)
	manager, err := session.NewManager(e.store, nil)
	require.NoError(e, err)
	for _, o := range []driver.ListOptions{{}, {Offset: driver.DefaultListLimit}} {
		page, err := manager.List(e.ctx, o)
		require.NoError(e, err)
		require.Equal(e, len(all), page.Total)
		require.Equal(e, all[o.Offset:min(len(all), o.Offset+driver.DefaultListLimit)], page.Keys)
	}
}

func listNothing(e *env) {
	for _, f := range []driver.ListOptions{{Limit: -1}, {Limit: 10, Offset: 10}, {SessionID: new(""), Limit: -1}} {
		page := e.list(f)
		require.Zero(e, page.Total)
		require.Empty(e, page.Keys)
	}
}
