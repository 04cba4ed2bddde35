package drivertest

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func keyCases() []testCase {
	return []testCase{{
		Name:  "keys of all sorts",
		About: "Two keys are the same only if all three parts are, whatever bytes are in them.",
		Run:   keysOfAllSorts,
	}, {
		Name:  "keys at random",
		About: "Sets of keys made of separators, escapes and bytes that mean something to a store do not collide.",
		Run:   keysAtRandom,
	}, {
		Name:  "long keys",
		About: "Keys of up to MaxKeyBytes bytes are kept apart by their last byte.",
		Run:   longKeys,
	}, {
		Name:  "bad keys",
		About: "A key without session id or of more than MaxKeyBytes bytes is ErrKey in every method.",
		Run:   badKeys,
	}}
}

func oddKeys() []driver.Key {
	keys := []driver.Key{
		{SessionID: "a"}, {UserID: "a", SessionID: "a"}, {Namespace: "a", SessionID: "a"}, {Namespace: "a", UserID: "a", SessionID: "a"},
		{Namespace: "a/b", SessionID: "c"}, {Namespace: "a", UserID: "b", SessionID: "c"}, {Namespace: "a", UserID: "b/c", SessionID: "c"},
		{SessionID: "a/b/c"}, {SessionID: "//a"}, {Namespace: "/", UserID: "/", SessionID: "/"}, {Namespace: "//", SessionID: "/"},
		{Namespace: "\xff", SessionID: "\xfe"}, {Namespace: "\xfe", SessionID: "\xff"}, {SessionID: "\xff\xfe"}, {SessionID: "\xed\xa0\x80"}, {SessionID: "\uFFFD"},
		{Namespace: "\x00", SessionID: "\x00"}, {SessionID: "\x00\x00"}, {UserID: "\x00", SessionID: "\x00"},
	}
	for _, text := range oddTexts() {
		keys = append(keys, driver.Key{Namespace: "odd", UserID: "user", SessionID: text},
			driver.Key{Namespace: "odd", UserID: text, SessionID: "session"}, driver.Key{Namespace: text, UserID: "odd", SessionID: "session"})
	}
	return keys
}

func keysOfAllSorts(e *env) {
	e.keepApart(e, oddKeys())
}

// keepApart requires that sessions of different keys do not affect each other, and removes
// them.
func (e *env) keepApart(t require.TestingT, keys []driver.Key) {
	id := func(i int) string { return fmt.Sprint("of key ", i) }
	has := func(i int, ids ...string) {
		r, err := e.store.Load(e.ctx, keys[i], -1)
		require.NoError(t, err, "%q", keys[i])
		require.Equal(t, ids, idsOf(r.Messages), "%q", keys[i])
	}
	for i, key := range keys {
		p, added, err := e.store.Append(e.ctx, key, appendOf(id(i), "of all"))
		require.NoError(t, err, "%q", key)
		require.Equal(t, []int{2, 2}, []int{added, p.Len()}, "%q", key)
	}
	page, err := e.store.List(e.ctx, driver.ListOptions{Limit: -1})
	require.NoError(t, err)
	require.Equal(t, sorted(keys), page.Keys)
	for i, key := range keys {
		has(i, id(i), "of all")
		if i%2 == 0 {
			require.NoError(t, e.store.Delete(e.ctx, key, nil))
		}
	}
	for i, key := range keys {
		if i%2 == 0 {
			_, err := e.store.Load(e.ctx, key, 0)
			require.ErrorIs(t, err, driver.ErrNotFound, "%q", key)
			continue
		}
		has(i, id(i), "of all")
		require.NoError(t, e.store.Delete(e.ctx, key, nil))
	}
}

// alike draws similar keys: rows of texts that are cut into three parts in many ways.
func alike(t *rapid.T) []driver.Key {
	text := rapid.SampledFrom([]string{
		"a", "b", "A", "/", "%", "%2F", "%25", ":", "{", "}", "*", "?", "[a-z]", "[", "]", `\`, "|", ".", "-", "_", "'", `"`, "\x00", "\xff", "é", "e\u0301", " ", "\n",
	})
	row := rapid.SliceOfN(text, 3, 5).Draw(t, "texts")
	between := rapid.SampledFrom([]string{"", "/", "/", ":", "|", "%2F", "\x00", "}", "."}).Draw(t, "between")
	cut := rapid.Custom(func(t *rapid.T) driver.Key {
		i := rapid.IntRange(0, len(row)-1).Draw(t, "first cut")
		j := rapid.IntRange(i, len(row)-1).Draw(t, "second cut")
		return driver.Key{
			Namespace: strings.Join(row[:i], between), UserID: strings.Join(row[i:j], between), SessionID: strings.Join(row[j:], between),
		}
	})
	return rapid.SliceOfNDistinct(cut, 2, 5, func(k driver.Key) driver.Key { return k }).Draw(t, "keys")
}

func keysAtRandom(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		keys := alike(t)
		defer func() {
			for _, key := range keys {
				_ = e.store.Delete(e.ctx, key, nil)
			}
		}()
		e.keepApart(t, keys)
	})
}

func longKeys(e *env) {
	const some = 10 << 10
	fill := func(n int) string { return strings.Repeat("k", n) }
	e.keepApart(e, []driver.Key{
		{SessionID: fill(some)}, {SessionID: fill(some) + "a"}, {SessionID: fill(some) + "b"}, {SessionID: fill(some) + "\xff"},
		{Namespace: fill(some), UserID: fill(some), SessionID: "a"}, {Namespace: fill(some), UserID: fill(some) + "k", SessionID: "a"},
		{SessionID: fill(driver.MaxKeyBytes-1) + "a"}, {SessionID: fill(driver.MaxKeyBytes-1) + "b"},
		{Namespace: fill(driver.MaxKeyBytes - 2), UserID: "a", SessionID: "a"}, {Namespace: fill(driver.MaxKeyBytes - 2), UserID: "a", SessionID: "b"},
		{SessionID: strings.Repeat("\xff", driver.MaxKeyBytes)},
	})
}

func badKeys(e *env) {
	for _, bad := range []driver.Key{
		{}, {Namespace: "a", UserID: "b"}, {SessionID: strings.Repeat("k", driver.MaxKeyBytes+1)},
		{Namespace: strings.Repeat("k", driver.MaxKeyBytes), SessionID: "s"},
	} {
		_, err := e.store.Load(e.ctx, bad, -1)
		require.ErrorIs(e, err, driver.ErrKey)
		_, _, err = e.store.Append(e.ctx, bad, appendOf("a"))
		require.ErrorIs(e, err, driver.ErrKey)
		_, err = e.store.Write(e.ctx, bad, writeIf(driver.Condition{}, `1`))
		require.ErrorIs(e, err, driver.ErrKey)
		require.ErrorIs(e, e.store.Delete(e.ctx, bad, nil), driver.ErrKey)
	}
	require.Zero(e, e.list(driver.ListOptions{Limit: -1}).Total)
}
