package drivertest

import (
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func formatCases() []testCase {
	return []testCase{{
		Name:  "later formats",
		About: "A session of a later format is not changed by Append and Write: a *FormatError says which it is. It is loaded, listed and deleted like any other.",
		Run:   laterFormats,
	}, {
		Name:  "earlier formats",
		About: "A session of an earlier format is changed; a Write gives it the new one, an Append does not.",
		Run:   earlierFormats,
	}}
}

func laterFormats(e *env) {
	a := appendOf("a")
	a.Format = format + 5
	p := e.appendTo(key, a, 1)
	refused := func(err error) {
		e.Helper()
		found, ok := errors.AsType[*driver.FormatError](err)
		require.True(e, ok, "%v", err)
		require.Equal(e, driver.FormatError{Key: key, Format: format + 5, Known: format}, *found)
	}
	e.unchanged(func() {
		a := appendOf("b")
		a.Head, a.TTL, a.Window, a.Now = []byte(`1`), time.Hour, 99, writeTime.Add(time.Hour)
		_, added, err := e.store.Append(e.ctx, key, a)
		require.Zero(e, added)
		refused(err)
		_, _, err = e.store.Append(e.ctx, key, appendOf("a"))
		refused(err)
		w := writeIf(at(p), `1`, "b")
		w.DropBefore, w.TTL, w.Window, w.Now = 2, time.Hour, 99, writeTime.Add(time.Hour)
		_, err = e.store.Write(e.ctx, key, w)
		refused(err)
	})
	require.Equal(e, format+5, e.has("a").Format)
	require.Equal(e, []driver.Key{key}, e.list(driver.ListOptions{Limit: -1}).Keys)
	deleted := at(p)
	require.NoError(e, e.store.Delete(e.ctx, key, &deleted))
	e.appendTo(key, a, 1)
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.append("b")
	require.Equal(e, format, e.has("b").Format)
}

func earlierFormats(e *env) {
	a := appendOf("a")
	a.Format = 0
	e.appendTo(key, a, 1)
	require.Zero(e, e.has("a").Format)
	a = appendOf("b")
	e.appendTo(key, a, 1)
	r := e.has("a", "b")
	require.Zero(e, r.Format, "Append does not change the format")
	w := writeIf(at(r.Position), `1`, "c")
	e.write(w)
	require.Equal(e, format, e.has("a", "b", "c").Format)
}
