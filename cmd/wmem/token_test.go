package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
)

// tokenCLI runs wmem token on a new file.
type tokenCLI struct {
	t    *testing.T
	file string
}

func newTokenCLI(t *testing.T) *tokenCLI {
	return &tokenCLI{t: t, file: filepath.Join(t.TempDir(), "wmem.db")}
}

func (c *tokenCLI) run(args ...string) (code int, stdout, stderr string) {
	return wmem(c.t, "", append([]string{"token", "--store", "sqlite:" + c.file}, args...)...)
}

// create creates a token. It returns the token and standard error.
func (c *tokenCLI) create(args ...string) (text, told string) {
	c.t.Helper()
	code, stdout, stderr := c.run(append([]string{"create"}, args...)...)
	require.Equal(c.t, exitOK, code, stderr)
	require.Regexp(c.t, `^wmem_[0-9a-f]{20}_[0-9a-f]{64}\n$`, stdout)
	return strings.TrimSpace(stdout), stderr
}

// verify checks a token as a server does.
func (c *tokenCLI) verify(text string) (auth.Token, error) {
	c.t.Helper()
	store, err := sqlitestore.Open(c.t.Context(), c.file, nil)
	require.NoError(c.t, err)
	defer func() { require.NoError(c.t, store.Close()) }()
	return auth.NewVerifier(store.Tokens(), nil).Verify(c.t.Context(), text)
}

func (c *tokenCLI) list() (all []listedToken) {
	c.t.Helper()
	code, stdout, stderr := c.run("list", "--json")
	require.Equal(c.t, exitOK, code, stderr)
	require.NoError(c.t, json.Unmarshal([]byte(stdout), &all))
	return all
}

// idOf returns the id of a token.
func idOf(text string) string { return strings.Split(text, "_")[1] }

func TestTokenCreate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		want auth.Token
		ttl  time.Duration
		told string
	}{
		{[]string{"--namespace", "shop"}, auth.Token{Tenant: auth.Tenant{Namespace: "shop"}}, 90 * day, ` for namespace "shop", valid until 20`},
		{[]string{"--user", "ann", "--expires", "720h"}, auth.Token{Tenant: auth.Tenant{UserID: "ann"}}, 720 * time.Hour, ` for user "ann", valid`},
		{[]string{"--namespace", "shop", "--user", "a\nb", "--expires", "1d", "--description", "till 7"},
			auth.Token{Tenant: auth.Tenant{Namespace: "shop", UserID: "a\nb"}, Description: "till 7"}, day, ` for namespace "shop", user "a\u{a}b", valid`},
		{[]string{"--all", "--expires", "never"}, auth.Token{}, 0, " for all namespaces and users, valid until it is revoked, for servers of sqlite:"},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			t.Parallel()
			c := newTokenCLI(t)
			text, told := c.create(tc.args...)
			assert.Contains(t, told, "Token "+idOf(text)+tc.told)
			assert.Contains(t, told, ", for servers of sqlite:"+c.file+". It is not shown again.\n")
			assert.NotContains(t, told, text[26:34], "the secret is only on standard output")
			got, err := c.verify(text)
			require.NoError(t, err)
			assert.Equal(t, tc.want.Tenant, got.Tenant)
			assert.Equal(t, tc.want.Description, got.Description)
			if tc.ttl == 0 {
				assert.Zero(t, got.ExpiresAt)
			} else {
				assert.Equal(t, got.CreatedAt.Add(tc.ttl), got.ExpiresAt)
			}
			assert.WithinDuration(t, time.Now(), got.CreatedAt, time.Hour)
		})
	}
}

func TestTokenList(t *testing.T) {
	t.Parallel()
	c := newTokenCLI(t)
	shop, _ := c.create("--namespace", "shop", "--description", "<the> till\x1b[31m", "--expires", "never")
	ann, _ := c.create("--user", "ann", "--expires", "1ms")
	require.Eventually(t, func() bool { return c.list()[1].Expired }, time.Minute, time.Millisecond)

	all := c.list()
	require.Len(t, all, 2)
	assert.Equal(t, listedToken{ID: idOf(shop), Namespace: "shop", Description: "<the> till\x1b[31m", CreatedAt: all[0].CreatedAt}, all[0])
	assert.Equal(t, listedToken{ID: idOf(ann), UserID: "ann", CreatedAt: all[1].CreatedAt, ExpiresAt: all[1].CreatedAt.Add(time.Millisecond), Expired: true}, all[1])

	code, table, stderr := c.run("list")
	require.Equal(t, exitOK, code)
	assert.Empty(t, stderr)
	lines := strings.Split(strings.TrimSpace(table), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, []string{"ID", "NAMESPACE", "USER", "CREATED", "EXPIRES", "DESCRIPTION"}, strings.Fields(lines[0]))
	assert.Regexp(t, `^`+idOf(shop)+` +shop +\(any\) +20\S+Z +never +<the> till\\u\{1b\}\[31m$`, lines[1])
	assert.Regexp(t, `^`+idOf(ann)+` +\(any\) +ann +20\S+Z +20\S+Z \(expired\)`, lines[2])

	_, asJSON, _ := c.run("list", "--json")
	got, err := c.verify(shop)
	require.NoError(t, err)
	for _, out := range []string{table, asJSON} {
		assert.NotContains(t, out, shop[26:34], "a secret")
		assert.NotContains(t, out, hex.EncodeToString(got.Hash[:4]), "a hash")
	}
	_, err = c.verify(ann)
	require.ErrorIs(t, err, auth.ErrExpired)
}

// Tokens are revoked by id or text, and unknown ones do not keep the others from being revoked.
func TestTokenRevoke(t *testing.T) {
	t.Parallel()
	c := newTokenCLI(t)
	first, _ := c.create("--namespace", "shop")
	second, _ := c.create("--namespace", "shop")
	third, _ := c.create("--namespace", "shop")
	code, stdout, stderr := c.run("revoke", "none\x1b", idOf(first), second, idOf(first))
	assert.Equal(t, exitFailure, code)
	assert.Equal(t, "revoked "+idOf(first)+"\nrevoked "+idOf(second)+"\n", stdout)
	assert.Equal(t, `wmem: no such token: none\u{1b}, `+idOf(first)+"\n", stderr)
	for _, text := range []string{first, second} {
		_, err := c.verify(text)
		require.ErrorIs(t, err, auth.ErrInvalid)
	}
	_, err := c.verify(third)
	require.NoError(t, err)
	_, _, stderr = c.run("revoke", second)
	assert.Equal(t, "wmem: no such token: "+idOf(second)+"\n", stderr, "without the secret")
	_, _, _ = c.run("revoke", idOf(third))
	_, stdout, _ = c.run("list", "--json")
	assert.Equal(t, "[]\n", stdout)
	_, stdout, _ = c.run("list")
	assert.Equal(t, 1, strings.Count(stdout, "\n"))
}

func TestTokenErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "none.db")
	t.Cleanup(func() { // when all cases have run
		assert.NoFileExists(t, file)
		assert.NoFileExists(t, "wmem.db")
	})
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"fly"}, exitUsage, `unknown command "fly"`},
		{[]string{"create"}, exitUsage, "--namespace, --user or both are required"},
		{[]string{"create", "--all", "now"}, exitUsage, "create takes no arguments"},
		{[]string{"create", "--all", "--user", "ann"}, exitUsage, "--all excludes"},
		{[]string{"create", "--all", "--namespace", ""}, exitUsage, "--namespace must not be empty"},
		{[]string{"create", "--user", "a\xff"}, exitUsage, "UTF-8"},
		{[]string{"create", "--all", "--description", strings.Repeat("a", 201)}, exitUsage, "limit is 200"},
		{[]string{"create", "--all", "--expires", "soon"}, exitUsage, `--expires "soon" is not a time`},
		{[]string{"create", "--all", "--expires", "0"}, exitUsage, "more than 0"},
		{[]string{"create", "--all", "--expires", "36501d"}, exitUsage, "at most 36500 days"},
		{[]string{"list", "--store", "memory:"}, exitUsage, "memory: cannot be shared"},
		{[]string{"list", "x"}, exitUsage, "list takes no arguments"},
		{[]string{"list", "--store", "sqlite:" + file}, exitFailure, "there is no file " + file},
		{[]string{"revoke"}, exitUsage, "an ID is required"},
		{[]string{"create", "--all", "--store", "sqlite:" + file + "/no.db"}, exitFailure, "no.db"},
		{[]string{"list", "--config", file}, exitUsage, "none.db"},
		{[]string{"list", "--store", "postgres://ann:hush@127.0.0.1:1/x"}, exitFailure, "127.0.0.1:1"},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := wmem(t, "", append([]string{"token"}, tc.args...)...)
			assert.Equal(t, tc.code, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
			assert.Equal(t, 1, strings.Count(stderr, "wmem: "), "one line: %s", stderr)
			assert.NotContains(t, stderr, "hush")
		})
	}
}

// unwritable is a closed standard output.
type unwritable struct{}

func (unwritable) Write([]byte) (int, error) { return 0, errors.New("gone") }

// A token that could not be printed is removed.
func TestTokenNotPrinted(t *testing.T) {
	t.Parallel()
	c := newTokenCLI(t)
	args := []string{"token", "create", "--all", "--store", "sqlite:" + c.file}
	var told strings.Builder
	assert.Equal(t, exitFailure, run(t.Context(), args, strings.NewReader(""), unwritable{}, &told))
	assert.Equal(t, "wmem: gone\n", told.String())
	assert.Empty(t, c.list())
}

// --index has no effect and is hidden, but accepted.
func TestPlacesHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"token"}, {"token", "create"}, {"token", "list"}, {"token", "revoke"}, {"inspect"}} {
		code, stdout, _ := wmem(t, "", append(args, "--help")...)
		assert.Equal(t, exitOK, code)
		assert.Contains(t, stdout, "--store STORE")
		assert.NotContains(t, stdout, "--index")
	}
	c := newTokenCLI(t)
	code, _, stderr := c.run("create", "--all", "--index", "memory:")
	assert.Equal(t, exitOK, code, stderr)
}
