package redisstore_test

import (
	"context"
	"errors"
	"flag"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	longtermdrivertest "github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	documentdrivertest "github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	sessiondrivertest "github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

// TestMain makes the test binary a child process of RunWriters, RunCrashes and RunPromotions.
func TestMain(m *testing.M) {
	// Random cases draw less by default. The command line overrides this.
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 100))); err != nil {
		panic(err)
	}
	longtermdrivertest.PromotionsChild(openWithIndex)
	sessiondrivertest.Main(m, openAddress)
}

// openAddress opens a store for a prefix and a URL, separated by a space.
func openAddress(address string) (sessiondriver.Store, func() error, error) {
	prefix, url, _ := strings.Cut(address, " ")
	store, err := redisstore.Open(context.Background(), url, &redisstore.Options{Prefix: prefix})
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// openWithIndex opens a store for an address of openAddress, and an index in the file whose path
// follows it.
func openWithIndex(address string) (sessiondriver.Store, longtermdriver.Index, func() error, error) {
	end := strings.LastIndexByte(address, ' ')
	store, closeStore, err := openAddress(address[:end])
	if err != nil {
		return nil, nil, nil, err
	}
	file, err := sqlitestore.Open(context.Background(), address[end+1:], nil)
	if err != nil {
		return nil, nil, nil, errors.Join(err, closeStore())
	}
	return store, file.Index(), func() error { return errors.Join(closeStore(), file.Close()) }, nil
}

func TestPromotionsOfKilledProcesses(t *testing.T) {
	t.Parallel()
	address := newPrefix(t, newClient(t)) + " " + server(t) + " " + filepath.Join(t.TempDir(), "index.db")
	longtermdrivertest.RunPromotions(t, address, openWithIndex, soak.Times(8, 100))
}

func TestWriters(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunWriters(t, newPrefix(t, newClient(t))+" "+server(t), openAddress)
}

func TestCrashes(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunCrashes(t, newPrefix(t, newClient(t))+" "+server(t), openAddress, soak.Times(12, 200))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	s := servers.StartRedis(t)
	sessiondrivertest.RunFaults(t, s.Address(), func(tb testing.TB, address string) sessiondriver.Store {
		return open(tb, "redis://"+address+"/0", "faults")
	})
}

func TestOutage(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunOutage(t, servers.StartRedis(t), func(tb testing.TB, address string) sessiondriver.Store {
		return open(tb, "redis://"+address+"/0", "outage")
	})
}

func TestCluster(t *testing.T) {
	t.Parallel()
	nodes := servers.StartRedisCluster(t)
	addresses := make([]string, len(nodes))
	for i, node := range nodes {
		addresses[i] = node.Address()
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addresses, ContextTimeoutEnabled: true})
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	t.Run("store", func(t *testing.T) {
		sessiondrivertest.Run(t, func(tb testing.TB) sessiondrivertest.Harness {
			prefix := newPrefix(tb, client)
			return sessiondrivertest.Harness{
				Shared: true,
				Open:   func(tb testing.TB) sessiondriver.Store { return storeOn(tb, client, prefix) },
			}
		})
	})
	t.Run("results", func(t *testing.T) {
		sessiondrivertest.RunResults(t, func(tb testing.TB) sessiondrivertest.Harness {
			prefix := newPrefix(tb, client)
			return sessiondrivertest.Harness{
				Shared: true,
				Open:   func(tb testing.TB) sessiondriver.Store { return storeOn(tb, client, prefix) },
			}
		})
	})
	t.Run("tokens", func(t *testing.T) {
		authtest.Run(t, func(tb testing.TB) authtest.Harness {
			return tokensHarness(tb, newPrefix(tb, client), func(tb testing.TB, prefix string) *redisstore.Store { return storeOn(tb, client, prefix) })
		})
	})
	t.Run("documents", func(t *testing.T) {
		documentdrivertest.Run(t, func(tb testing.TB) documentdrivertest.Harness {
			return documentsHarness(tb, newPrefix(tb, client), func(tb testing.TB, prefix string) *redisstore.Store { return storeOn(tb, client, prefix) })
		})
	})
	t.Run("slots", func(t *testing.T) { clusterSlots(t, client) })
	t.Run("open", func(t *testing.T) {
		// The URL of one node is enough.
		for _, url := range []string{nodes[1].URL(), nodes[1].URL() + "?addr=" + nodes[2].Address()} {
			store := open(t, url, "opened")
			for i := range 20 {
				_, _, err := store.Append(t.Context(), session.Key{SessionID: strconv.Itoa(i)}, appendOf("m"))
				require.NoError(t, err)
			}
			page, err := store.List(t.Context(), session.ListOptions{})
			require.NoError(t, err)
			assert.Equal(t, 20, page.Total)
		}
	})
	t.Run("reindex", func(t *testing.T) {
		store := storeOn(t, client, "reindexed")
		for i := range 20 {
			_, _, err := store.Append(t.Context(), session.Key{SessionID: strconv.Itoa(i)}, appendDue(at, "m"))
			require.NoError(t, err)
		}
		for _, lost := range []string{"by-namespace", "due"} {
			require.NoError(t, client.Del(t.Context(), "reindexed:{reindexed}:"+lost).Err())
			repaired, err := store.Reindex(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 20, repaired)
			due, err := store.Due(t.Context(), at, 100)
			require.NoError(t, err)
			assert.Len(t, due, 20)
		}
	})
}

// clusterSlots requires that the keys of each session are in one slot, and the sessions in many.
func clusterSlots(t *testing.T, client *redis.ClusterClient) {
	prefix := newPrefix(t, client)
	store := storeOn(t, client, prefix)
	slots := map[int64]bool{}
	for _, id := range []string{"a", "{", "}", "{}", "}{", "{a}b", "/", ":", "ä", "\x00", "{b}:head"} {
		key := session.Key{Namespace: id, UserID: id, SessionID: id}
		_, _, err := store.Append(t.Context(), key, appendOf("m"))
		require.NoError(t, err)
		slot, err := client.ClusterKeySlot(t.Context(), key.String()).Result()
		require.NoError(t, err)
		for _, part := range []string{"head", "messages", "ids", "appends"} {
			name := prefix + ":{" + key.String() + "}:" + part
			got, err := client.ClusterKeySlot(t.Context(), name).Result()
			require.NoError(t, err)
			assert.Equal(t, slot, got, name)
			assert.EqualValues(t, 1, client.Exists(t.Context(), name).Val(), name)
		}
		slots[slot] = true
	}
	assert.Greater(t, len(slots), 5)
}

// TestScriptFlush: scripts are loaded again, as after a restart of the server.
func TestScriptFlush(t *testing.T) {
	t.Parallel()
	s := servers.StartRedis(t)
	store := open(t, s.URL(), "wm")
	client := redis.NewClient(&redis.Options{Addr: s.Address()})
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	ctx := t.Context()
	short := appendOf("m")
	short.TTL = time.Millisecond
	for i := range 3 {
		key := session.Key{SessionID: strconv.Itoa(i)}
		for _, call := range []func() error{
			func() error { _, _, err := store.Append(ctx, key, appendOf("m")); return err },
			func() error { _, _, err := store.Append(ctx, session.Key{SessionID: "short"}, short); return err },
			func() error { _, err := store.Load(ctx, key, -1); return err },
			func() error { _, err := store.List(ctx, session.ListOptions{Limit: 10}); return err },
			func() error { _, _, err := store.Append(ctx, key, appendDue(at, "due")); return err },
			func() error { return setDue(ctx, store, key, time.Time{}) },
			func() error { _, err := store.Due(ctx, at, 10); return err }, // removes it from the index
			func() error { return store.Delete(ctx, key, nil) },
		} {
			require.NoError(t, client.ScriptFlush(ctx).Err())
			require.NoError(t, call())
		}
	}
}

// TestFullMemory: a full server rejects new data. Existing data can be read, reduced and deleted.
func TestFullMemory(t *testing.T) {
	t.Parallel()
	s := servers.StartRedis(t)
	store := open(t, s.URL(), "wm")
	client := redis.NewClient(&redis.Options{Addr: s.Address()})
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	ctx, key, wasDue, renewed := t.Context(), session.Key{SessionID: "s"}, session.Key{SessionID: "was due"}, session.Key{SessionID: "renewed"}
	at1, _, err := store.Append(ctx, key, appendDue(at.Add(time.Second), "a", "b"))
	require.NoError(t, err)
	// The index has a stale due time, which Due corrects, and an early expiry, which List corrects.
	_, _, err = store.Append(ctx, wasDue, appendDue(at, "m"))
	require.NoError(t, err)
	require.NoError(t, setDue(ctx, store, wasDue, time.Time{}))
	a := appendOf("m")
	a.TTL = time.Second / 4
	early, _, err := store.Append(ctx, renewed, a)
	require.NoError(t, err)
	a.TTL = time.Hour
	_, _, err = store.Append(ctx, renewed, a)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return time.Now().After(early.ExpiresAt) }, time.Minute, time.Millisecond)
	_, token, err := auth.Create(ctx, store.Tokens(), auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	require.NoError(t, client.ConfigSet(ctx, "maxmemory-policy", "noeviction").Err())
	require.NoError(t, client.ConfigSet(ctx, "maxmemory", "1").Err())

	for _, k := range []session.Key{key, {SessionID: "new"}} {
		_, _, err = store.Append(ctx, k, appendOf("secret"))
		require.ErrorIs(t, err, session.ErrUnavailable)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, err = store.Write(ctx, session.Key{SessionID: "new"}, sessiondriver.Write{Head: []byte("secret"), Format: 1, Now: at})
	require.ErrorIs(t, err, session.ErrUnavailable)
	_, _, err = auth.Create(ctx, store.Tokens(), auth.CreateOptions{Unbound: true})
	require.ErrorIs(t, err, auth.ErrUnavailable)
	require.NotErrorIs(t, err, session.ErrUnavailable)

	require.NoError(t, store.Tokens().Remove(ctx, token.ID))
	_, err = store.Tokens().Get(ctx, token.ID)
	require.ErrorIs(t, err, auth.ErrNotFound)
	r, err := store.Load(ctx, key, -1)
	require.NoError(t, err)
	assert.Equal(t, at1, r.Position)
	due, err := store.Due(ctx, longAfter, 1)
	require.NoError(t, err)
	assert.Equal(t, []session.Key{key}, due)
	require.NoError(t, store.Delete(ctx, wasDue, nil))
	page, err := store.List(ctx, session.ListOptions{Limit: -1})
	require.NoError(t, err)
	assert.Equal(t, []session.Key{renewed, key}, page.Keys)
	_, err = store.Write(ctx, key, sessiondriver.Write{If: sessiondriver.Condition{Revision: at1.Revision}, DropBefore: 2, Head: []byte("{}"), Format: 1, Now: at})
	require.NoError(t, err)
}

// TestClose: a store reports that it or its client is closed. A client passed to New stays open.
func TestClose(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	closed := storeOn(t, client, "wmtest")
	require.NoError(t, closed.Close())
	require.NoError(t, client.Ping(t.Context()).Err())
	closedClient := redis.NewClient(&redis.Options{ContextTimeoutEnabled: true})
	require.NoError(t, closedClient.Close())
	for _, store := range []*redisstore.Store{closed, storeOn(t, closedClient, "wmtest")} {
		_, err := store.Reindex(t.Context())
		require.ErrorIs(t, err, session.ErrClosed)
		_, err = store.Tokens().List(t.Context())
		require.ErrorIs(t, err, auth.ErrClosed)
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err := redisstore.Open(ctx, "redis://:secret@127.0.0.1:1/0", nil)
	require.ErrorIs(t, err, session.ErrUnavailable)
	assert.NotContains(t, err.Error(), "secret")
	for _, url := range []string{"", "http://x", "redis://:secret@h:p:q/0", "redis://:secret@%zz", "redis://:secret@h/0?addr=:::&x"} {
		_, err := redisstore.Open(ctx, url, nil)
		require.Error(t, err, url)
		assert.NotContains(t, err.Error(), "secret")
		assert.False(t, errors.Is(err, session.ErrUnavailable), url)
	}
}
