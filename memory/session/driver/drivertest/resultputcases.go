package drivertest

import (
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func resultsOfNothing(e *resultEnv) {
	require.ErrorIs(e, e.store.PutResult(e.ctx, key, result("a", 100), unlimited), driver.ErrNotFound)
	e.absent(key)
	e.keeps(key)
	e.lacks(key, "a")
	e.append("a")
	e.keeps(key)
	e.lacks(key, "a")
	e.put(result("a", 100))
	e.lacks(key, "b")
	none := driver.Key{}
	require.ErrorIs(e, e.store.PutResult(e.ctx, none, result("a", 1), unlimited), driver.ErrKey)
	_, err := e.store.Results(e.ctx, none, driver.ToolResult)
	require.ErrorIs(e, err, driver.ErrKey)
	_, err = e.store.ReadResult(e.ctx, none, driver.ToolResult, "a", make([]byte, 1), 0)
	require.ErrorIs(e, err, driver.ErrKey)
}

func resultsBad(e *resultEnv) {
	e.append("a")
	e.put(result("a", 100))
	large := result("b", 100)
	large.Meta = []byte(`"` + strings.Repeat("m", driver.MaxResultMetaBytes-2) + `"`)
	e.put(large)
	large.ID, large.Meta = "c", append(large.Meta, ' ')
	require.ErrorIs(e, e.store.PutResult(e.ctx, key, large, unlimited), driver.ErrTooLarge)
	require.ErrorIs(e, e.store.PutResult(e.ctx, key, result("c", 101), 100), driver.ErrTooLarge)
	large.Meta, large.Content = nil, make([]byte, driver.MaxResultBytes+1)
	require.ErrorIs(e, e.store.PutResult(e.ctx, key, large, unlimited), driver.ErrTooLarge)
	for _, id := range []string{"", strings.Repeat("x", driver.MaxIDBytes+1)} {
		require.Error(e, e.store.PutResult(e.ctx, key, result(id, 5), unlimited))
	}
	large = result("b", 100)
	large.Meta = []byte(`"` + strings.Repeat("m", driver.MaxResultMetaBytes-2) + `"`)
	e.keeps(key, result("a", 100), large)
}

func resultsOfKinds(e *resultEnv) {
	e.append("a")
	tool, entry := result("a", 100), result("a", 60)
	entry.Kind = driver.JournalEntry
	for _, r := range []driver.StoredResult{tool, entry} {
		require.NoError(e, e.store.PutResult(e.ctx, key, r, 100))
	}
	entry.ID = "b"
	require.NoError(e, e.store.PutResult(e.ctx, key, entry, 100), "removes the older entry only")
	e.keepsOf(driver.ToolResult, key, tool)
	e.keepsOf(driver.JournalEntry, key, entry)
	e.lacks(key, "b")
	for _, id := range numbered(1, driver.MaxResults) {
		entry.ID, entry.Content = id, nil
		require.NoError(e, e.store.PutResult(e.ctx, key, entry, unlimited))
	}
	e.keepsOf(driver.ToolResult, key, tool)
	entry.Kind = driver.ResultKinds
	require.Error(e, e.store.PutResult(e.ctx, key, entry, unlimited), "unknown")
	e.keepsOf(driver.ResultKinds, key)
}

func resultsAgain(e *resultEnv) {
	e.append("a")
	e.put(result("a", 1<<18+1), result("b", 100))
	e.put(result("a", 1<<18+1), result("a", 50), result("b", 0))
	require.NoError(e, e.store.PutResult(e.ctx, key, result("a", 10), 10), "nothing is put, so nothing is removed")
	e.keeps(key, result("a", 1<<18+1), result("b", 100))
}

func resultsInput(e *resultEnv) {
	e.append("a")
	r := result("a", 1000)
	e.put(r)
	clear(r.Content)
	clear(r.Meta)
	e.keeps(key, result("a", 1000))
}

func resultsLimit(e *resultEnv) {
	e.append("a")
	put := func(id string, size int, limit int64) {
		e.Helper()
		require.NoError(e, e.store.PutResult(e.ctx, key, result(id, size), limit))
	}
	put("a", 300_000, 1_000_000)
	put("b", 400_000, 1_000_000)
	put("c", 300_000, 1_000_000)
	e.keeps(key, result("a", 300_000), result("b", 400_000), result("c", 300_000))
	put("d", 1, 1_000_000)
	e.keeps(key, result("b", 400_000), result("c", 300_000), result("d", 1))
	e.lacks(key, "a")
	put("e", 299_999, 1_000_000)
	e.keeps(key, result("b", 400_000), result("c", 300_000), result("d", 1), result("e", 299_999))
	put("f", 5, 300_010)
	e.keeps(key, result("d", 1), result("e", 299_999), result("f", 5))
	put("a", 7, 300_011)
	e.keeps(key, result("e", 299_999), result("f", 5), result("a", 7))
	put("g", 100, 100)
	e.keeps(key, result("g", 100))
	put("h", 0, 0)
	e.keeps(key, result("h", 0))
	e.lacks(key, "g")
}

func resultsMany(e *resultEnv) {
	e.append("a")
	const more = 3
	ids := numbered(1, driver.MaxResults+more)
	for _, id := range ids {
		e.put(result(id, 1))
	}
	infos, err := e.store.Results(e.ctx, key, driver.ToolResult)
	require.NoError(e, err)
	require.Len(e, infos, driver.MaxResults)
	for i, info := range infos {
		require.Equal(e, ids[i+more], info.ID)
	}
	e.lacks(key, ids[more-1])
	e.reads(key, result(ids[more], 1))
}

func resultsChangeNothing(e *resultEnv) {
	p := e.append("a", "b")
	e.unchanged(func() {
		e.put(result("a", 1<<18+1), result("b", 5))
		e.keeps(key, result("a", 1<<18+1), result("b", 5))
		require.NoError(e, e.store.PutResult(e.ctx, key, result("c", 10), 10))
	})
	e.write(writeIf(at(p), `"new"`, "c"))
	e.has("a", "b", "c")
	e.keeps(key, result("c", 10))
}
