package drivertest

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

func conflictCases() []testCase {
	return []testCase{{
		Name:  "missing document",
		About: "Get returns ErrNotFound for a missing document, and for one that was removed.",
		Run: func(e *env) {
			e.add(document("a", 1), document("b", 2))
			e.write(remove("a", "r1"))
			for _, key := range []string{"a", "c", "B", "b ", "%", "b%"} {
				_, err := e.store.Get(e.ctx, key)
				if strings.Contains(key, " ") {
					require.ErrorIs(e, err, driver.ErrDocument)
					continue
				}
				require.ErrorIs(e, err, driver.ErrNotFound, key)
			}
			e.has(document("b", 2))
		},
	}, {
		Name:  "expected revisions",
		About: "Each action conflicts unless the document has the expected revision, or is missing if none is expected.",
		Run: func(e *env) {
			e.add(document("a", 1))
			e.conflicts(put(document("a", 2), ""))
			for _, expected := range []string{"r0", "R1", "r1x"} {
				e.conflicts(put(document("a", 2), expected))
				e.conflicts(remove("a", expected))
				e.conflicts(requires("a", expected))
			}
			e.conflicts(put(document("b", 2), "r1"))
			e.conflicts(remove("b", "r1"))
			e.conflicts(requires("b", "r1"))
			e.has(document("a", 1))
			e.write(requires("a", "r1"))
			e.has(document("a", 1))
		},
	}, {
		Name:  "all or none",
		About: "If one change conflicts, none is applied, whatever their order.",
		Run: func(e *env) {
			e.add(document("a", 1), document("b", 2))
			for _, wrong := range []driver.DocumentChange{put(document("d", 8), "r9"), remove("d", "r9"), requires("d", "r9")} {
				e.conflicts(wrong, put(document("a", 3), "r1"), remove("b", "r2"), put(document("c", 4), ""))
				e.conflicts(put(document("a", 3), "r1"), remove("b", "r2"), put(document("c", 4), ""), wrong)
			}
			e.has(document("a", 1), document("b", 2))
			e.write(put(document("a", 3), "r1"), remove("b", "r2"), put(document("c", 4), ""))
			e.has(document("a", 3), document("c", 4))
		},
	}, {
		Name:  "a repeated write",
		About: "A Write that was applied conflicts when it is repeated.",
		Run: func(e *env) {
			e.add(document("a", 1))
			e.conflicts(put(document("a", 1), ""))
			e.write(remove("a", "r1"))
			e.conflicts(remove("a", "r1"))
			e.write(put(document("a", 1), ""))
		},
	}, {
		Name:  "refused arguments",
		About: "Invalid keys, revisions, times, limits and lists of changes return ErrDocument and have no effect.",
		Run:   refusedArguments,
	}}
}

func refusedArguments(e *env) {
	for name, change := range map[string]func(d *driver.DocumentChange){
		"no key":            func(c *driver.DocumentChange) { c.Document.Key = "" },
		"long key":          func(c *driver.DocumentChange) { c.Document.Key = strings.Repeat("k", driver.MaxKeyBytes+1) },
		"space in a key":    func(c *driver.DocumentChange) { c.Document.Key = "a b" },
		"NUL in a key":      func(c *driver.DocumentChange) { c.Document.Key = "a\x00" },
		"letter of a key":   func(c *driver.DocumentChange) { c.Document.Key = "é" },
		"no revision":       func(c *driver.DocumentChange) { c.Document.Revision = "" },
		"long revision":     func(c *driver.DocumentChange) { c.Document.Revision = strings.Repeat("r", driver.MaxRevisionBytes+1) },
		"same revision":     func(c *driver.DocumentChange) { c.If = c.Document.Revision },
		"long expectation":  func(c *driver.DocumentChange) { c.If = strings.Repeat("r", driver.MaxRevisionBytes+1) },
		"large value":       func(c *driver.DocumentChange) { c.Document.Value = make([]byte, driver.MaxValueBytes+1) },
		"due in 1969":       func(c *driver.DocumentChange) { c.Document.Due = time.Unix(-1, 0) },
		"due in year 10000": func(c *driver.DocumentChange) { c.Document.Due = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"a missing one":     func(c *driver.DocumentChange) { c.Do = driver.RequireDocument },
		"unknown action":    func(c *driver.DocumentChange) { c.Do = 3 },
	} {
		wrong := put(document("a", 1), "")
		change(&wrong)
		err := e.store.Write(e.ctx, []driver.DocumentChange{put(document("b", 2), ""), wrong})
		require.ErrorIs(e, err, driver.ErrDocument, name)
	}
	require.ErrorIs(e, e.store.Write(e.ctx, []driver.DocumentChange{put(document("a", 1), ""), remove("a", "r")}), driver.ErrDocument)
	require.ErrorIs(e, e.store.Write(e.ctx, make([]driver.DocumentChange, driver.MaxDocumentChanges+1)), driver.ErrDocument)
	for _, key := range []string{"", "a\x00", "\xff", strings.Repeat("k", driver.MaxKeyBytes+1)} {
		_, err := e.store.Get(e.ctx, key)
		require.ErrorIs(e, err, driver.ErrDocument, "%q", key)
	}
	for _, prefix := range []string{"a b", "\xff", strings.Repeat("k", driver.MaxKeyBytes+1)} {
		_, err := e.store.List(e.ctx, prefix, "", 1)
		require.ErrorIs(e, err, driver.ErrDocument)
		_, err = e.store.List(e.ctx, "", prefix, 1)
		require.ErrorIs(e, err, driver.ErrDocument)
		_, err = e.store.Count(e.ctx, prefix)
		require.ErrorIs(e, err, driver.ErrDocument)
	}
	for _, limit := range []int{-1, 0, driver.MaxDocuments + 1} {
		_, err := e.store.List(e.ctx, "", "", limit)
		require.ErrorIs(e, err, driver.ErrDocument)
		_, err = e.store.Due(e.ctx, noon, limit)
		require.ErrorIs(e, err, driver.ErrDocument)
	}
	e.write()
	e.has()
}
