package redisstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
)

// tokensHarness returns a harness of stores with one prefix.
func tokensHarness(tb testing.TB, prefix string, open func(tb testing.TB, prefix string) *redisstore.Store) authtest.Harness {
	openTokens, closeTokens := conformance.Part(
		func(tb testing.TB) *redisstore.Store { return open(tb, prefix) },
		func(store *redisstore.Store) auth.TokenStore { return store.Tokens() },
	)
	return authtest.Harness{Open: openTokens, Close: closeTokens, Shared: true}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	url, client := server(t), newClient(t)
	authtest.Run(t, func(tb testing.TB) authtest.Harness {
		return tokensHarness(tb, newPrefix(tb, client), func(tb testing.TB, prefix string) *redisstore.Store { return open(tb, url, prefix) })
	})
}

// TestTokenLayout: names and formats of stored data never change.
func TestTokenLayout(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx := t.Context()
	token := auth.Token{
		ID: "0123456789abcdef0123", Description: "für <x>", Tenant: auth.Tenant{Namespace: "shop", UserID: "ann"},
		CreatedAt: at, ExpiresAt: at.Add(time.Hour), Hash: [32]byte{1, 2, 3},
	}
	bare := auth.Token{ID: "0123456789abcdef0124", CreatedAt: at, Hash: [32]byte{1}}
	require.NoError(t, store.Tokens().Add(ctx, token))
	require.NoError(t, store.Tokens().Add(ctx, bare))
	key := prefix + ":{" + prefix + "}:tokens"
	assert.JSONEq(t, `{"description":"für <x>","namespace":"shop","user_id":"ann","created_at":1772366400000,"expires_at":1772370000000,"hash":"AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}`,
		client.HGet(ctx, key, token.ID).Val())
	assert.JSONEq(t, `{"description":"","namespace":"","user_id":"","created_at":1772366400000,"expires_at":null,"hash":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}`,
		client.HGet(ctx, key, bare.ID).Val())
	assert.EqualValues(t, -1, client.PTTL(ctx, key).Val(), "tokens do not expire from it")
	names, err := client.Keys(ctx, prefix+"*").Result()
	require.NoError(t, err)
	assert.Len(t, names, 3)
	for _, name := range names {
		assert.True(t, strings.HasPrefix(name, key))
		if name != key {
			assert.InDelta(t, time.Minute, client.PTTL(ctx, name).Val(), float64(time.Minute/2))
		}
	}
	// An unknown field of a later version is ignored.
	require.NoError(t, client.HSet(ctx, key, bare.ID, `{"created_at":1772366400000,"hash":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","later":[1]}`).Err())
	got, err := store.Tokens().Get(ctx, bare.ID)
	require.NoError(t, err)
	assert.Equal(t, bare, got)
}

// TestResendTokens: a command that the client resends takes effect once, whatever other clients do in
// between.
func TestResendTokens(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := newClient(t)
	prefix := newPrefix(t, newClient(t))
	others := storeOn(t, newClient(t), prefix).Tokens()
	store := storeOn(t, client, prefix)
	// Load the scripts, so that a call is one command.
	_, token, err := auth.Create(ctx, store.Tokens(), auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	require.NoError(t, store.Tokens().Remove(ctx, token.ID))

	var between func()
	client.AddHook(twice(func() {
		if between != nil {
			between()
		}
	}))
	require.NoError(t, store.Tokens().Add(ctx, token))
	_, err = others.Get(ctx, token.ID)
	require.NoError(t, err)
	require.NoError(t, store.Tokens().Remove(ctx, token.ID))
	require.ErrorIs(t, store.Tokens().Remove(ctx, token.ID), auth.ErrNotFound)

	between = func() { require.NoError(t, others.Remove(ctx, token.ID)) }
	require.NoError(t, store.Tokens().Add(ctx, token))
	_, err = others.Get(ctx, token.ID)
	require.ErrorIs(t, err, auth.ErrNotFound, "a token that was removed comes back")

	require.NoError(t, others.Add(ctx, token))
	between = func() { require.NoError(t, others.Add(ctx, token)) }
	require.NoError(t, store.Tokens().Remove(ctx, token.ID))
	_, err = others.Get(ctx, token.ID)
	require.NoError(t, err, "another's token is removed")
}

func TestDamagedTokens(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key, tokens := t.Context(), prefix+":{"+prefix+"}:tokens", store.Tokens()
	const id = "0123456789abcdef0123"
	for _, value := range []string{"", "secret", `{"hash":"secret"}`, `{"hash":"c2VjcmV0"}`, "{}", `{"created_at":"secret"}`, "[]", "null"} {
		require.NoError(t, client.HSet(ctx, key, id, value).Err())
		_, err := tokens.Get(ctx, id)
		_, listErr := tokens.List(ctx)
		for _, err := range []error{err, listErr} {
			require.ErrorContains(t, err, "cannot be read", "%q", value)
			require.NotContains(t, err.Error(), "secret")
			require.NotErrorIs(t, err, auth.ErrNotFound)
		}
		require.ErrorIs(t, tokens.Add(ctx, auth.Token{ID: id, CreatedAt: at, Hash: [32]byte{1}}), auth.ErrExists)
		require.NoError(t, tokens.Remove(ctx, id), "a damaged token can be removed")
	}
	require.NoError(t, client.Set(ctx, key, "secret", 0).Err())
	for name, err := range map[string]error{
		"Add": tokens.Add(ctx, auth.Token{ID: id, CreatedAt: at, Hash: [32]byte{1}}), "Remove": tokens.Remove(ctx, id),
		"Get": second(tokens.Get(ctx, id)), "List": second(tokens.List(ctx)),
	} {
		require.ErrorContains(t, err, "another type", name)
		require.NotErrorIs(t, err, auth.ErrUnavailable)
	}
}

func second[T any](_ T, err error) error { return err }
