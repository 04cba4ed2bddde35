package postgresstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	authtest.Run(t, func(tb testing.TB) authtest.Harness {
		schema := newSchema(tb)
		openTokens, closeTokens := conformance.Part(
			func(tb testing.TB) *postgresstore.Store { return open(tb, schema) },
			func(store *postgresstore.Store) auth.TokenStore { return store.Tokens() },
		)
		return authtest.Harness{Open: openTokens, Close: closeTokens, Shared: true}
	})
}

// useTokens calls each method of the store of tokens.
func useTokens(t *testing.T, tokens auth.TokenStore) {
	t.Helper()
	for _, ttl := range []time.Duration{0, time.Hour} {
		text, token, err := auth.Create(t.Context(), tokens, auth.CreateOptions{
			Tenant: auth.Tenant{Namespace: `a'b\x00{}`, UserID: "$1 é 😀"}, Description: `''; --`, TTL: ttl,
		})
		require.NoError(t, err)
		got, err := auth.NewVerifier(tokens, nil).Verify(t.Context(), text)
		require.NoError(t, err)
		require.Equal(t, token, got)
		all, err := tokens.List(t.Context())
		require.NoError(t, err)
		require.Equal(t, []auth.Token{token}, all)
		require.NoError(t, tokens.Remove(t.Context(), token.ID))
	}
}

func TestDamagedTokens(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	tokens := open(t, schema).Tokens()
	_, token, err := auth.Create(t.Context(), tokens, auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	exec(t, pool, schema, `ALTER TABLE {schema}.tokens DROP CONSTRAINT tokens_hash_check`)
	exec(t, pool, schema, `UPDATE {schema}.tokens SET hash = 'secret'`)
	_, err = tokens.Get(t.Context(), token.ID)
	_, listErr := tokens.List(t.Context())
	for _, err := range []error{err, listErr} {
		require.ErrorContains(t, err, "does not have 32 bytes")
		require.NotContains(t, err.Error(), "secret")
		require.NotErrorIs(t, err, auth.ErrNotFound)
		require.NotErrorIs(t, err, auth.ErrUnavailable)
	}
	exec(t, pool, schema, `UPDATE {schema}.tokens SET created_at = 'infinity', hash = sha256('')`)
	_, err = tokens.Get(t.Context(), token.ID)
	require.Error(t, err)
	require.NoError(t, tokens.Remove(t.Context(), token.ID), "a damaged token can be removed")
}
