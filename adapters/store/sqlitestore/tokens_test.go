package sqlitestore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
)

func TestTokensConform(t *testing.T) {
	t.Parallel()
	authtest.Run(t, func(tb testing.TB) authtest.Harness {
		path := newPath(tb)
		openTokens, closeTokens := conformance.Part(
			func(tb testing.TB) *sqlitestore.Store {
				return open(tb, path, &sqlitestore.Options{BusyTimeout: time.Minute})
			},
			func(store *sqlitestore.Store) auth.TokenStore { return store.Tokens() },
		)
		return authtest.Harness{Open: openTokens, Close: closeTokens, Shared: true}
	})
}

func TestDamagedTokens(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"short hash":      `UPDATE tokens SET hash = x'736563726574'`,
		"text for a time": `UPDATE tokens SET created_at = 'secret'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			store := open(t, path, nil)
			_, token, err := auth.Create(t.Context(), store.Tokens(), auth.CreateOptions{Unbound: true})
			require.NoError(t, err)
			require.NoError(t, store.Close())
			edit(t, path, append(loose, statement)...)
			tokens := open(t, path, nil).Tokens()
			_, err = tokens.Get(t.Context(), token.ID)
			_, listErr := tokens.List(t.Context())
			for _, err := range []error{err, listErr} {
				require.ErrorIs(t, err, sqlitestore.ErrDamaged)
				assert.NotContains(t, err.Error(), "secret")
			}
			require.NoError(t, tokens.Remove(t.Context(), token.ID), "a damaged token can be removed")
		})
	}
}
