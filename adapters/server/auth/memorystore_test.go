package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
)

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	authtest.Run(t, func(testing.TB) authtest.Harness {
		store := auth.NewMemoryTokenStore()
		return authtest.Harness{Open: func(testing.TB) auth.TokenStore { return store }, Shared: true}
	})
}

func TestZeroMemoryStore(t *testing.T) {
	t.Parallel()
	var store auth.MemoryTokenStore
	all, err := store.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, all)
	text, want, err := auth.Create(t.Context(), &store, auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	got, err := auth.NewVerifier(&store, nil).Verify(t.Context(), text)
	require.NoError(t, err)
	require.Equal(t, want, got)
}
