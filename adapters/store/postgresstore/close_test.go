package postgresstore_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// TestCloseWhileInUse: when the store is closed, running calls succeed or return ErrClosed.
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

// TestErrorsHaveNoContents: errors of the server about invalid values are not passed on.
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
