package redisstore_test

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func durabilityOf(t *testing.T, store *redisstore.Store) driver.Durability {
	t.Helper()
	d, err := store.Durability(t.Context())
	require.NoError(t, err)
	return d
}

func TestDurability(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings []string
		want     driver.Durability
		aclLevel driver.DurabilityLevel // for a user who may read INFO only
	}{
		"nothing":           {[]string{"--appendonly", "no"}, driver.Durability{Level: driver.DurabilityNone, Settings: `appendonly=no appendfsync=everysec save=""`}, driver.DurabilityDelayed},
		"snapshots":         {[]string{"--save", "3600 1"}, driver.Durability{Level: driver.DurabilityDelayed, Settings: `appendonly=no appendfsync=everysec save="3600 1"`}, driver.DurabilityDelayed},
		"every second":      {[]string{"--appendonly", "yes"}, driver.Durability{Level: driver.DurabilityDelayed, Settings: `appendonly=yes appendfsync=everysec save=""`}, driver.DurabilityUnknown},
		"by the system":     {[]string{"--appendonly", "yes", "--appendfsync", "no"}, driver.Durability{Level: driver.DurabilityDelayed, Settings: `appendonly=yes appendfsync=no save=""`}, driver.DurabilityUnknown},
		"always":            {[]string{"--appendonly", "yes", "--appendfsync", "always"}, driver.Durability{Level: driver.DurabilitySynced, Settings: `appendonly=yes appendfsync=always save=""`}, driver.DurabilityUnknown},
		"always, unused":    {[]string{"--appendonly", "no", "--appendfsync", "always"}, driver.Durability{Level: driver.DurabilityNone, Settings: `appendonly=no appendfsync=always save=""`}, driver.DurabilityDelayed},
		"CONFIG is renamed": {[]string{"--appendonly", "yes", "--rename-command", "CONFIG", ""}, driver.Durability{Level: driver.DurabilityUnknown, Settings: "appendfsync is not readable"}, driver.DurabilityUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servers.StartRedis(t, c.settings...)
			assert.Equal(t, c.want, durabilityOf(t, open(t, s.URL(), "wm")))

			admin := redis.NewClient(&redis.Options{Addr: s.Address()})
			t.Cleanup(func() { assert.NoError(t, admin.Close()) })
			rights := []any{"~wm:*", "+@read", "+@write", "+@scripting", "+@connection", "+time"}
			require.NoError(t, admin.Do(t.Context(), append([]any{"ACL", "SETUSER", "limited", "on", ">hush"}, rights...)...).Err())
			limited := open(t, "redis://limited:hush@"+s.Address()+"/0", "wm")
			assert.Equal(t, driver.DurabilityUnknown, durabilityOf(t, limited).Level)
			require.NoError(t, admin.Do(t.Context(), "ACL", "SETUSER", "limited", "+info").Err())
			assert.Equal(t, c.aclLevel, durabilityOf(t, limited).Level)
		})
	}
}

// Settings may change while the server runs.
func TestDurabilityFollowsTheServer(t *testing.T) {
	t.Parallel()
	s := servers.StartRedis(t)
	store := open(t, s.URL(), "wm")
	assert.Equal(t, driver.DurabilitySynced, durabilityOf(t, store).Level)
	admin := redis.NewClient(&redis.Options{Addr: s.Address()})
	t.Cleanup(func() { assert.NoError(t, admin.Close()) })
	require.NoError(t, admin.ConfigSet(t.Context(), "appendonly", "no").Err())
	assert.Equal(t, driver.DurabilityNone, durabilityOf(t, store).Level)
	s.Kill()
	_, err := store.Durability(t.Context())
	require.ErrorIs(t, err, session.ErrUnavailable)
	require.NoError(t, store.Close())
	_, err = store.Durability(t.Context())
	require.ErrorIs(t, err, session.ErrClosed)
}

// A cluster is as durable as the least durable of its servers.
func TestDurabilityOfACluster(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t)
	store := open(t, cluster[0].URL(), "wm")
	assert.Equal(t, driver.DurabilityNone, durabilityOf(t, store).Level)
	for i, node := range cluster {
		admin := redis.NewClient(&redis.Options{Addr: node.Address()})
		t.Cleanup(func() { assert.NoError(t, admin.Close()) })
		require.NoError(t, admin.ConfigSet(t.Context(), "appendonly", "yes").Err())
		if i > 0 {
			require.NoError(t, admin.ConfigSet(t.Context(), "appendfsync", "always").Err())
		}
	}
	assert.Equal(t, driver.Durability{Level: driver.DurabilityDelayed, Settings: `appendonly=yes appendfsync=everysec save=""`}, durabilityOf(t, store))
}
