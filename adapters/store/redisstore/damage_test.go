package redisstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// damages are ways to damage a session of three messages.
var damages = []struct {
	name, part string
	// loads and appends are set if Load or Append does not read the damaged part.
	loads, appends bool
	do             func(ctx context.Context, c *redis.Client, base string) error
}{
	{"head of another type", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		c.Del(ctx, base+"head")
		return c.Set(ctx, base+"head", "secret", 0).Err()
	}},
	{"a field missing", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HDel(ctx, base+"head", "next").Err()
	}},
	{"foreign fields only", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		c.Del(ctx, base+"head")
		return c.HSet(ctx, base+"head", "secret", 1).Err()
	}},
	{"text for a number", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HSet(ctx, base+"head", "tokens", "secret").Err()
	}},
	{"a number for Lua only", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HSet(ctx, base+"head", "tokens", "nan").Err()
	}},
	{"a negative window", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HSet(ctx, base+"head", "window", "-1").Err()
	}},
	{"a fraction for a number", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HSet(ctx, base+"head", "revision", "1.5").Err()
	}},
	{"a malformed due time", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HSet(ctx, base+"head", "due", "secret").Err()
	}},
	{"a malformed format", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HSet(ctx, base+"head", "format", "secret").Err()
	}},
	{"numbers in the wrong order", "head", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.HSet(ctx, base+"head", "first", 9).Err()
	}},
	{"messages of another type", "messages", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		c.Del(ctx, base+"messages")
		return c.Set(ctx, base+"messages", "secret", 0).Err()
	}},
	{"messages missing", "messages", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.Del(ctx, base+"messages").Err()
	}},
	{"a message too many", "messages", false, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.RPush(ctx, base+"messages", "secret").Err()
	}},
	{"a malformed message", "message 2", false, true, func(ctx context.Context, c *redis.Client, base string) error {
		return c.LSet(ctx, base+"messages", 1, "secret").Err()
	}},
	{"a message that ends too early", "message 1", false, true, func(ctx context.Context, c *redis.Client, base string) error {
		return c.LSet(ctx, base+"messages", 0, "7 100 secret").Err()
	}},
	{"ids of another type", "ids", true, false, func(ctx context.Context, c *redis.Client, base string) error {
		c.Del(ctx, base+"ids")
		return c.Set(ctx, base+"ids", "secret", 0).Err()
	}},
	{"ids missing", "ids", true, false, func(ctx context.Context, c *redis.Client, base string) error {
		return c.Del(ctx, base+"ids").Err()
	}},
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			store, client, prefix := newStore(t)
			ctx, key := t.Context(), session.Key{Namespace: "n", SessionID: "s"}
			at1, _, err := store.Append(ctx, key, appendDue(at, "a", "b", "c"))
			require.NoError(t, err)
			base := prefix + ":{" + key.String() + "}:"
			require.NoError(t, d.do(ctx, client, base))
			before := dump(t, client, base)

			requireDamaged := func(err error) {
				t.Helper()
				var damaged *session.DamagedError
				require.ErrorAs(t, err, &damaged)
				assert.Equal(t, key, damaged.Key)
				assert.Equal(t, d.part, damaged.Part)
				assert.NotContains(t, err.Error(), "secret")
				assert.Equal(t, before, dump(t, client, base))
			}
			if _, err := store.Load(ctx, key, -1); d.loads {
				require.NoError(t, err)
			} else {
				requireDamaged(err)
			}
			drop := driver.Write{If: driver.Condition{Revision: at1.Revision}, DropBefore: 3, Head: []byte("{}"), Format: 1, Now: at}
			_, err = store.Write(ctx, key, drop)
			if d.part != "message 1" { // its tokens are readable
				requireDamaged(err)
			}
			page, err := store.List(ctx, session.ListOptions{Limit: -1})
			require.NoError(t, err)
			assert.Equal(t, []session.Key{key}, page.Keys)
			due, err := store.Due(ctx, at, 10)
			require.NoError(t, err)
			assert.Equal(t, []session.Key{key}, due)
			if !d.appends {
				_, _, err = store.Append(ctx, key, appendOf("d"))
				requireDamaged(err)
			}

			require.NoError(t, store.Delete(ctx, key, nil))
			page, err = store.List(ctx, session.ListOptions{Limit: -1})
			require.NoError(t, err)
			assert.Empty(t, page.Keys)
			_, added, err := store.Append(ctx, key, appendOf("a"))
			require.NoError(t, err)
			assert.Equal(t, 1, added)
		})
	}
}

// dump returns the stored data of a session.
func dump(t *testing.T, client *redis.Client, base string) []string {
	t.Helper()
	var parts []string
	for _, part := range []string{"head", "messages", "ids"} {
		dumped, err := client.Dump(t.Context(), base+part).Result()
		if err != redis.Nil {
			require.NoError(t, err)
		}
		parts = append(parts, dumped)
	}
	return parts
}

// TestLeftovers: the remains of a session without a head are not part of a new one.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	for _, leave := range []func(){
		func() { client.Del(ctx, prefix+":{//s}:head") },
		func() {
			client.Del(ctx, prefix+":{//s}:head", prefix+":{//s}:ids", prefix+":{//s}:messages")
			client.Set(ctx, prefix+":{//s}:ids", "x", 0)
			client.Set(ctx, prefix+":{//s}:messages", "x", 0)
			client.Del(ctx, prefix+":{//s}:appends")
			client.Set(ctx, prefix+":{//s}:appends", "x", 0)
		},
	} {
		_, _, err := store.Append(ctx, key, appendOf("a", "b"))
		require.NoError(t, err)
		leave()
		_, err = store.Load(ctx, key, -1)
		require.ErrorIs(t, err, session.ErrNotFound)
		_, added, err := store.Append(ctx, key, appendOf("b", "c"))
		require.NoError(t, err)
		assert.Equal(t, 2, added)
		r, err := store.Load(ctx, key, -1)
		require.NoError(t, err)
		assert.Len(t, r.Messages, 2)
		assert.EqualValues(t, 1, r.First)
		require.NoError(t, store.Delete(ctx, key, nil))
	}
}

// answering starts a server that answers INFO only.
func answering(t *testing.T, info string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					// A command is an array of strings, each after its length.
					switch line := strings.ToLower(lines.Text()); {
					case line == "info":
						_, _ = fmt.Fprint(conn, info)
					case line == "hello" || line == "client":
						_, _ = fmt.Fprint(conn, "-ERR unknown command\r\n")
					}
				}
			}()
		}
	}()
	return listener.Addr().String()
}

func bulk(text string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(text), text) }

func TestServerVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, info, want string }{
		{"5.0", bulk("# Server\r\nredis_version:5.0.14\r\nredis_mode:standalone\r\n"), "5.0.14"},
		{"6.0", bulk("redis_version:6.0.20\r\n"), "6.0.20"},
		{"6.2", bulk("redis_version:6.2.0\r\n"), ""},
		{"10.0", bulk("redis_version:10.0.1\r\n"), ""},
		{"Valkey", bulk("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\n"), ""},
		{"unknown", bulk("redis_version:next\r\n"), ""},
		{"unsaid", bulk(""), ""},
		{"not permitted", "-NOPERM this user has no permissions to run the 'info' command\r\n", ""},
		{"loading", "-LOADING Redis is loading the dataset in memory\r\n", "LOADING"},
		{"garbled", "?secret\r\n", "malformed reply"},
		{"garbled length", "$secret\r\n", "malformed reply"},
		{"not logged in", "-NOAUTH Authentication required.\r\n", "Authentication required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store, err := redisstore.Open(t.Context(), "redis://"+answering(t, c.info)+"/0", nil)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				assert.Equal(t, c.name != "not logged in" && !strings.Contains(c.name, "."), errors.Is(err, session.ErrUnavailable))
				assert.NotContains(t, err.Error(), "secret")
				return
			}
			require.NoError(t, err)
			require.NoError(t, store.Close())
		})
	}
}

// TestHugeWindow: a window beyond the precision of float64 is stored exactly.
func TestHugeWindow(t *testing.T) {
	t.Parallel()
	store, _, _ := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	a := appendOf("a")
	a.Window = math.MaxInt64 - 1
	made, _, err := store.Append(ctx, key, a)
	require.NoError(t, err)
	assert.EqualValues(t, math.MaxInt64-1, made.Window)
	_, err = store.Write(ctx, key, driver.Write{If: driver.Condition{Revision: made.Revision}, Head: []byte("{}"), Format: 1, Now: at})
	require.NoError(t, err)
	r, err := store.Load(ctx, key, -1)
	require.NoError(t, err)
	assert.Equal(t, a.Window, r.Window)
}
