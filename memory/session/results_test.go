package session_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// unable is a store without driver.ResultStore.
type unable struct{ driver.Store }

func managerOf(t *testing.T, store driver.Store) *session.Manager {
	t.Helper()
	m, err := session.NewManager(store, nil)
	require.NoError(t, err)
	return m
}

func large(id, content string) driver.StoredResult {
	info := driver.ResultInfo{ID: id, Size: int64(len(content)), Meta: []byte(`{}`), CreatedAt: time.UnixMilli(5).UTC()}
	return driver.StoredResult{ResultInfo: info, Content: []byte(content)}
}

func read(t *testing.T, m *session.Manager, key session.Key, id string) string {
	t.Helper()
	p := make([]byte, 100)
	n, err := m.ReadResult(t.Context(), key, driver.ToolResult, id, p, 0)
	require.Equal(t, io.EOF, err)
	return string(p[:n])
}

func TestResults(t *testing.T) {
	t.Parallel()
	m := managerOf(t, memstore.New(nil))
	require.True(t, m.StoresResults())
	require.ErrorIs(t, m.PutResult(t.Context(), fixture.Anna, large("1", "one"), 6), session.ErrNotFound)
	infos, err := m.Results(t.Context(), fixture.Anna, driver.ToolResult)
	require.NoError(t, err)
	assert.Empty(t, infos)
	fill(t, m, fixture.Anna, 2)
	before := fixture.Load(t, m, fixture.Anna)
	for _, r := range []driver.StoredResult{large("1", "one"), large("2", "two"), large("3", "three")} {
		require.NoError(t, m.PutResult(t.Context(), fixture.Anna, r, 10))
	}
	require.ErrorIs(t, m.PutResult(t.Context(), fixture.Anna, large("4", "four"), 3), session.ErrTooLarge)
	infos, err = m.Results(t.Context(), fixture.Anna, driver.ToolResult)
	require.NoError(t, err)
	assert.Equal(t, []driver.ResultInfo{large("2", "two").ResultInfo, large("3", "three").ResultInfo}, infos)
	assert.Equal(t, "three", read(t, m, fixture.Anna, "3"))
	_, err = m.ReadResult(t.Context(), fixture.Anna, driver.ToolResult, "1", make([]byte, 1), 0)
	require.ErrorIs(t, err, session.ErrNotFound)
	require.NoError(t, m.Save(t.Context(), before, nil), "the session has not changed")
}

func TestResultsOfAStoreWithoutThem(t *testing.T) {
	t.Parallel()
	m := managerOf(t, unable{memstore.New(nil)})
	fill(t, m, fixture.Anna, 1)
	require.False(t, m.StoresResults())
	require.ErrorIs(t, m.PutResult(t.Context(), fixture.Anna, large("1", "one"), 6), session.ErrNoResultStore)
	_, err := m.Results(t.Context(), fixture.Anna, driver.ToolResult)
	require.ErrorIs(t, err, session.ErrNoResultStore)
	_, err = m.ReadResult(t.Context(), fixture.Anna, driver.ToolResult, "1", nil, 0)
	require.ErrorIs(t, err, session.ErrNoResultStore)
	_, err = m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.NoError(t, err)
}

func TestBranchCopiesResults(t *testing.T) {
	t.Parallel()
	m := managerOf(t, memstore.New(nil))
	fill(t, m, fixture.Anna, 2)
	for _, r := range []driver.StoredResult{large("1", "one"), large("2", ""), large("3", "three")} {
		require.NoError(t, m.PutResult(t.Context(), fixture.Anna, r, 100))
	}
	branch, err := m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	require.NoError(t, err)
	require.NoError(t, m.PutResult(t.Context(), fixture.Anna, large("4", "four"), 100))
	want, err := m.Results(t.Context(), fixture.Anna, driver.ToolResult)
	require.NoError(t, err)
	got, err := m.Results(t.Context(), fixture.Berta, driver.ToolResult)
	require.NoError(t, err)
	assert.Equal(t, want[:3], got)
	require.NoError(t, m.Delete(t.Context(), fixture.Anna))
	for id, content := range map[string]string{"1": "one", "2": "", "3": "three"} {
		assert.Equal(t, content, read(t, m, fixture.Berta, id))
	}
	require.NoError(t, m.Save(t.Context(), branch, nil))
}

// failing is a store whose reads of the result "2" are replaced.
type failing struct {
	*memstore.Store
	read func() error
}

func (s *failing) ReadResult(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (int, error) {
	if id == "2" {
		return 0, s.read()
	}
	return s.Store.ReadResult(ctx, key, kind, id, p, offset)
}

func TestBranchWhoseResultsAreNotCopied(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		remains bool
	}{
		"removed since":  {driver.ErrNotFound, true},
		"outage":         {driver.ErrUnavailable, false},
		"another reason": {errors.New("broken"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			store := &failing{Store: memstore.New(nil)}
			store.read = func() error {
				if !c.remains {
					cancel() // the branch is removed nevertheless
				}
				return c.err
			}
			m := managerOf(t, store)
			fill(t, m, fixture.Anna, 2)
			for _, id := range []string{"1", "2", "3"} {
				require.NoError(t, m.PutResult(t.Context(), fixture.Anna, large(id, id), 100))
			}
			_, err := m.Branch(ctx, fixture.Anna, fixture.Berta, nil)
			if !c.remains {
				require.ErrorIs(t, err, c.err)
				_, err = m.Load(t.Context(), fixture.Berta, nil)
				require.ErrorIs(t, err, session.ErrNotFound)
				return
			}
			require.NoError(t, err)
			infos, err := m.Results(t.Context(), fixture.Berta, driver.ToolResult)
			require.NoError(t, err)
			require.Len(t, infos, 2)
			assert.Equal(t, []string{"1", "3"}, []string{infos[0].ID, infos[1].ID})
			cancel()
		})
	}
}

// TestReadResultAsReaderAt: a result can be read by everything that takes an io.ReaderAt.
func TestReadResultAsReaderAt(t *testing.T) {
	t.Parallel()
	m := managerOf(t, memstore.New(nil))
	fill(t, m, fixture.Anna, 1)
	content := bytes.Repeat([]byte("0123456789"), 1000)
	require.NoError(t, m.PutResult(t.Context(), fixture.Anna, large("1", string(content)), 1<<20))
	r := readerAt(func(p []byte, offset int64) (int, error) {
		return m.ReadResult(t.Context(), fixture.Anna, driver.ToolResult, "1", p, offset)
	})
	got, err := io.ReadAll(io.NewSectionReader(r, 5, 9000))
	require.NoError(t, err)
	assert.Equal(t, content[5:9005], got)
}

type readerAt func(p []byte, offset int64) (int, error)

func (f readerAt) ReadAt(p []byte, offset int64) (int, error) { return f(p, offset) }
