package postgresstore_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestClose(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: newSchema(t)})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, _, err = s.Append(t.Context(), key, appendOf("a"))
	require.ErrorIs(t, err, session.ErrClosed)
	_, err = s.Write(t.Context(), key, driver.Write{})
	require.ErrorIs(t, err, session.ErrClosed)
	_, err = s.Load(t.Context(), key, -1)
	require.ErrorIs(t, err, session.ErrClosed)
	require.ErrorIs(t, s.Delete(t.Context(), key, nil), session.ErrClosed)
	_, err = s.List(t.Context(), session.ListOptions{})
	require.ErrorIs(t, err, session.ErrClosed)
	_, err = s.Sweep(t.Context())
	require.ErrorIs(t, err, session.ErrClosed)
	_, err = s.Due(t.Context(), time.Now(), 1)
	require.ErrorIs(t, err, session.ErrClosed)
	require.NoError(t, pool.Ping(t.Context()), "the pool is the caller's")
}

// TestCloseWhileInUse: calls that run when the store is closed end well or with
// ErrClosed.
func TestCloseWhileInUse(t *testing.T) {
	t.Parallel()
	s, err := postgresstore.Open(t.Context(), address(t), &postgresstore.Options{Schema: newSchema(t)})
	require.NoError(t, err)
	var all sync.WaitGroup
	started := make(chan struct{}, 8)
	for i := range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				_, _, err := s.Append(t.Context(), key, appendOf(fmt.Sprintf("%d-%d", i, n)))
				if err != nil {
					assert.ErrorIs(t, err, session.ErrClosed)
					return
				}
				if n == 0 {
					started <- struct{}{}
				}
			}
		})
	}
	for range 8 {
		<-started
	}
	require.NoError(t, s.Close())
	all.Wait()
}

// TestErrorsHaveNoContents: what the server says of bad values is not passed on.
func TestErrorsHaveNoContents(t *testing.T) {
	t.Parallel()
	s := open(t, newSchema(t))
	for _, body := range []string{"secret\x00secret", "secret\xffsecret"} {
		a := appendOf("a")
		a.Messages[0].Body = []byte(body)
		_, _, err := s.Append(t.Context(), key, a)
		require.Error(t, err)
		require.NotContains(t, fmt.Sprintf("%v %+v", err, err), "secret")
		require.NotErrorIs(t, err, session.ErrUnavailable)
	}
	a := appendOf("a", "b", "c")
	big := make([]byte, 200<<20)
	for i := range a.Messages {
		a.Messages[i].Body = big
	}
	_, _, err := s.Append(t.Context(), key, a)
	require.ErrorIs(t, err, postgresstore.ErrTooLarge)
}
