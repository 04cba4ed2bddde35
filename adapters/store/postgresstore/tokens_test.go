package postgresstore_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session"
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

// useTokens calls each method.
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

// TestTokensOfAnySettings: whatever a connection's time zone and isolation are, tokens are
// the same.
func TestTokensOfAnySettings(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	for name, value := range map[string]string{"timezone": "Asia/Kathmandu", "default_transaction_isolation": "serializable", "datestyle": "German"} {
		s, err := postgresstore.Open(t.Context(), withParameter(t, name, value), &postgresstore.Options{Schema: schema, SweepInterval: -1})
		require.NoError(t, err, name)
		useTokens(t, s.Tokens())
		require.NoError(t, s.Close())
	}
}

// TestTokensOfSchemaVersion3: a schema that has no tokens yet is brought up to date with
// what is in it, by many at once.
func TestTokensOfSchemaVersion3(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	steps, err := postgresstore.Migrations(schema)
	require.NoError(t, err)
	for _, step := range steps[:3] {
		exec(t, pool, schema, step)
	}
	exec(t, pool, schema, `INSERT INTO {schema}.sessions
		(namespace, user_id, session_id, format, head, revision, first, next, tokens, context_window, updated_at)
		VALUES ('acme', 'ann', 's1', 1, '{}', 7, 1, 1, 0, 0, now())`)
	_, err = postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, NoMigrate: true})
	var old *postgresstore.SchemaError
	require.ErrorAs(t, err, &old)
	require.Equal(t, 3, old.Version)

	var all sync.WaitGroup
	var failed atomic.Value
	for range 6 {
		all.Go(func() {
			s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1})
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				failed.Store(err)
			}
		})
	}
	all.Wait()
	require.Nil(t, failed.Load())
	require.Equal(t, 1, number(t, pool, schema, `SELECT count(*) FROM {schema}.migrations WHERE version = 4`))
	s := open(t, schema)
	r, err := s.Load(t.Context(), key, -1)
	require.NoError(t, err)
	require.EqualValues(t, 7, r.Revision)
	useTokens(t, s.Tokens())
}

// TestTokensOfAReadOnlyServer: on a standby tokens are verified, and neither made nor
// revoked.
func TestTokensOfAReadOnlyServer(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	text, token, err := auth.Create(t.Context(), open(t, schema).Tokens(), auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	s, err := postgresstore.Open(t.Context(), withParameter(t, "default_transaction_read_only", "on"), &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	defer s.Close()
	_, err = auth.NewVerifier(s.Tokens(), nil).Verify(t.Context(), text)
	require.NoError(t, err)
	for _, err := range []error{s.Tokens().Add(t.Context(), token), s.Tokens().Remove(t.Context(), token.ID)} {
		require.ErrorIs(t, err, auth.ErrUnavailable)
		require.NotErrorIs(t, err, session.ErrUnavailable)
	}
}

// TestTokenAnswersThatAreLost: what the server did while its answer got lost is said to be
// unknown, and was done once.
func TestTokenAnswersThatAreLost(t *testing.T) {
	t.Parallel()
	s, lose := losing(t)
	tokens := s.Tokens()
	useTokens(t, tokens) // each statement is known to the connection
	lose.Store(true)
	_, _, err := auth.Create(t.Context(), tokens, auth.CreateOptions{Unbound: true})
	require.ErrorIs(t, err, auth.ErrUnavailable)
	all, err := tokens.List(t.Context())
	require.NoError(t, err)
	for _, token := range all {
		require.NoError(t, tokens.Remove(t.Context(), token.ID))
	}
	useTokens(t, tokens)
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
		require.ErrorContains(t, err, "hash has not 32 bytes")
		require.NotContains(t, err.Error(), "secret")
		require.NotErrorIs(t, err, auth.ErrNotFound)
		require.NotErrorIs(t, err, auth.ErrUnavailable)
	}
	exec(t, pool, schema, `UPDATE {schema}.tokens SET created_at = 'infinity', hash = sha256('')`)
	_, err = tokens.Get(t.Context(), token.ID)
	require.Error(t, err)
	require.NoError(t, tokens.Remove(t.Context(), token.ID), "what is damaged can be removed")
}
