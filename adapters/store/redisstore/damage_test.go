package redisstore_test

import (
	"bufio"
	"errors"
	"fmt"
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

// damages are commands that damage a session of three messages, on the keys of its parts.
var damages = []struct{ name, command, part string }{
	{"head of another type", "SET head secret", "head"},
	{"a field missing", "HDEL head next", "head"},
	{"text for a number", "HSET head tokens secret", "head"},
	{"a number for Lua only", "HSET head tokens nan", "head"},
	{"a negative window", "HSET head window -1", "head"},
	{"a fraction for a number", "HSET head revision 1.5", "head"},
	{"a malformed due time", "HSET head due secret", "head"},
	{"numbers in the wrong order", "HSET head first 9", "head"},
	{"messages of another type", "SET messages secret", "messages"},
	{"messages missing", "DEL messages", "messages"},
	{"a message too many", "RPUSH messages secret", "messages"},
	{"a malformed message", "LSET messages 1 secret", "message 2"},
	{"a message that ends too early", "LSET messages 0 7~100~secret", "message 1"},
	{"ids of another type", "SET ids secret", "ids"},
	{"ids missing", "DEL ids", "ids"},
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
			var command []any
			for i, word := range strings.Fields(d.command) {
				if i == 1 {
					word = base + word
				}
				command = append(command, strings.ReplaceAll(word, "~", " "))
			}
			require.NoError(t, client.Do(ctx, command...).Err())
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
			if _, err := store.Load(ctx, key, -1); d.part == "ids" { // Load does not read them
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
			if !strings.HasPrefix(d.part, "message ") { // Append reads no message
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
		{"Valkey", bulk("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\n"), ""},
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
