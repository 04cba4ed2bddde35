package sqlitestore_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
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

// Nothing by which a token could be used is in the file or in its log.
func TestFilesHaveNoTokens(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	text, token, err := auth.Create(t.Context(), store.Tokens(), auth.CreateOptions{Tenant: auth.Tenant{Namespace: "shop"}})
	require.NoError(t, err)
	digits := text[strings.LastIndexByte(text, '_')+1:]
	raw, err := hex.DecodeString(digits)
	require.NoError(t, err)
	log, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, data := range []string{string(log), string(file)} {
		assert.NotContains(t, data, digits[:16])
		assert.NotContains(t, data, string(raw[:8]))
	}
	assert.Contains(t, string(file), token.ID)
}

// Tokens, sessions and memories of one file do not touch each other, and tokens do not go
// when sessions are swept.
func TestTokensBesideSessions(t *testing.T) {
	t.Parallel()
	clock := newClock()
	store := open(t, newPath(t), &sqlitestore.Options{Now: clock.Now, SweepInterval: -1})
	_, token, err := auth.Create(t.Context(), store.Tokens(), auth.CreateOptions{Unbound: true, TTL: time.Second, Now: clock.Now})
	require.NoError(t, err)
	_, _, err = store.Append(t.Context(), key, driver.Append{Messages: chat(0, 1), TTL: time.Second, Now: clock.Now()})
	require.NoError(t, err)
	clock.Sleep(time.Hour)
	swept, err := store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, swept)
	_, err = store.Tokens().Get(t.Context(), token.ID)
	require.NoError(t, err)
}

// A call that fails by its own verdict does not undo those that share its transaction.
func TestRefusedTokensBesideWrites(t *testing.T) {
	t.Parallel()
	store := open(t, newPath(t), nil)
	tokens := store.Tokens()
	_, token, err := auth.Create(t.Context(), tokens, auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	var all sync.WaitGroup
	const writers, each = 4, 25
	for w := range writers {
		all.Go(func() {
			for i := range each {
				_, _, err := store.Append(t.Context(), key, driver.Append{Messages: chat(w*each+i, 1)})
				assert.NoError(t, err)
			}
		})
		all.Go(func() {
			for range each {
				assert.ErrorIs(t, tokens.Add(t.Context(), token), auth.ErrExists)
				assert.ErrorIs(t, tokens.Remove(t.Context(), strings.Repeat("0", 20)), auth.ErrNotFound)
			}
		})
	}
	all.Wait()
	record, err := store.Load(t.Context(), key, -1)
	require.NoError(t, err)
	assert.Len(t, record.Messages, writers*each)
}

func TestDamagedTokens(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"short hash":         `UPDATE tokens SET hash = x'736563726574'`,
		"long hash":          `UPDATE tokens SET hash = hash || x'00'`,
		"no hash":            `UPDATE tokens SET hash = NULL`,
		"text for a time":    `UPDATE tokens SET created_at = 'secret'`,
		"text for an expiry": `UPDATE tokens SET expires_at = 'secret'`,
		"no time":            `UPDATE tokens SET created_at = NULL`,
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
			require.NoError(t, tokens.Remove(t.Context(), token.ID), "what is damaged can be removed")
		})
	}
}

// A file that others hold locked is unavailable, for tokens too.
func TestTokensOfALockedFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	tokens := open(t, path, &sqlitestore.Options{BusyTimeout: time.Millisecond}).Tokens()
	conn, err := rawDB(t, path).Conn(t.Context())
	require.NoError(t, err)
	defer func() { assert.NoError(t, unlock(conn)) }()
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	_, _, err = auth.Create(t.Context(), tokens, auth.CreateOptions{Unbound: true})
	require.ErrorIs(t, err, auth.ErrUnavailable)
	require.NotErrorIs(t, err, session.ErrUnavailable)
	_, err = tokens.List(t.Context())
	require.NoError(t, err, "who reads waits for nobody")
}

// unlock gives up what a connection has locked.
func unlock(conn *sql.Conn) error {
	_, err := conn.ExecContext(context.Background(), "ROLLBACK")
	if err != nil {
		return err
	}
	return conn.Close()
}
