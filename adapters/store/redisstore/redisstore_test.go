package redisstore_test

import (
	"context"
	"crypto/rand"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

// server returns the URL of a Redis for tests.
func server(tb testing.TB) string {
	tb.Helper()
	url := os.Getenv("WORKINGMEMORY_TEST_REDIS")
	if url == "" {
		tb.Skip("WORKINGMEMORY_TEST_REDIS is not set: it is the URL of a Redis, as redis://127.0.0.1:6379/0")
	}
	return url
}

// newPrefix returns a unique prefix. Its keys are removed at the end of the test.
func newPrefix(tb testing.TB, client redis.UniversalClient) string {
	prefix := "wmtest-" + rand.Text()
	tb.Cleanup(func() {
		remove := func(ctx context.Context, client *redis.Client) error {
			keys := client.Scan(ctx, 0, prefix+"*", 1000).Iterator()
			for keys.Next(ctx) {
				if err := client.Unlink(ctx, keys.Val()).Err(); err != nil {
					return err
				}
			}
			return keys.Err()
		}
		var err error
		switch client := client.(type) {
		case *redis.ClusterClient:
			err = client.ForEachMaster(context.Background(), remove)
		case *redis.Client:
			err = remove(context.Background(), client)
		}
		assert.NoError(tb, err)
	})
	return prefix
}

// newClient returns a client of the server for tests.
func newClient(tb testing.TB) *redis.Client {
	tb.Helper()
	return clientOf(tb, func(*redis.Options) {})
}

// clientOf is like newClient, with changed options.
func clientOf(tb testing.TB, change func(*redis.Options)) *redis.Client {
	tb.Helper()
	options, err := redis.ParseURL(server(tb))
	require.NoError(tb, err)
	options.ContextTimeoutEnabled = true
	change(options)
	client := redis.NewClient(options)
	tb.Cleanup(func() { assert.NoError(tb, client.Close()) })
	return client
}

// open returns a store that is closed at the end of the test.
func open(tb testing.TB, url, prefix string) *redisstore.Store {
	tb.Helper()
	store, err := redisstore.Open(context.Background(), url, &redisstore.Options{Prefix: prefix})
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, store.Close()) })
	return store
}

func TestStore(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness(t))
}

func TestStoreKeepsResults(t *testing.T) {
	t.Parallel()
	drivertest.RunResults(t, harness(t))
}

func harness(t *testing.T) func(testing.TB) drivertest.Harness {
	url, client := server(t), newClient(t)
	return func(tb testing.TB) drivertest.Harness {
		prefix := newPrefix(tb, client)
		return drivertest.Harness{
			Shared: true,
			Open:   func(tb testing.TB) driver.Store { return open(tb, url, prefix) },
		}
	}
}
