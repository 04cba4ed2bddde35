package servertest

import (
	"bytes"
	"net/http"
	"os"
	"strings"

	"github.com/stretchr/testify/require"
)

// wmem runs a command to its end.
func wmem(c *caller, args ...string) (stdout string, err error) {
	c.t.Helper()
	cmd := command(c.t.TempDir(), nil, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	err = cmd.Run()
	return out.String(), err
}

// createToken creates a token in a store. The logs of the servers must not contain it.
func createToken(c *caller, store string, servers []*process, flags ...string) string {
	c.t.Helper()
	stdout, err := wmem(c, append([]string{"token", "create", "--store", store}, flags...)...)
	require.NoError(c.t, err)
	token := strings.TrimSpace(stdout)
	for _, p := range servers {
		p.logs.forbid(secretOf(token))
	}
	return token
}

// secretOf returns the secret part of a token.
func secretOf(token string) string { return strings.SplitN(token, "_", 3)[2] }

// idOf returns the id of a token.
func idOf(token string) string { return strings.SplitN(token, "_", 3)[1] }

// authChecks are about tokens that the command creates and revokes while a server runs.
func authChecks() []check {
	return []check{{"tokens are valid once created, and refused once revoked or expired", func(c *caller, s *store) {
		c = call(c.t, s.auth)
		create := func(flags ...string) string { return createToken(c, s.store, []*process{s.auth}, flags...) }
		mine, other, short := create("--namespace", c.ns), create("--namespace", c.ns+"-other"), create("--namespace", c.ns, "--expires", "1s")
		c.get("/v1/working-memory/s").fails(http.StatusUnauthorized, "Missing authorization header")
		c.as(mine).put("/v1/working-memory/s", `{}`).ok()
		c.as(other).get("/v1/working-memory/s").is(http.StatusNotFound)
		c.eventually(func() bool { return c.as(short).get("/v1/working-memory/s").status == http.StatusUnauthorized })
		c.as(short).get("/v1/working-memory/s").fails(http.StatusUnauthorized, "Token has expired")
		listed, err := wmem(c, "token", "list", "--store", s.store)
		require.NoError(c.t, err)
		require.Contains(c.t, listed, idOf(mine))
		require.NotContains(c.t, listed, secretOf(mine))
		_, err = wmem(c, "token", "revoke", "--store", s.store, idOf(mine))
		require.NoError(c.t, err)
		c.as(mine).get("/v1/working-memory/s").fails(http.StatusUnauthorized, "Invalid token")
		if file, ok := strings.CutPrefix(s.store, "sqlite:"); ok {
			requireHashed(c, file, other)
		}
	}}}
}

// requireHashed requires that the files of a database contain the id of a token, but not its secret.
func requireHashed(c *caller, file, token string) {
	c.t.Helper()
	var stored []byte
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(file + suffix)
		if err == nil {
			stored = append(stored, data...)
		}
	}
	require.Contains(c.t, string(stored), idOf(token))
	require.NotContains(c.t, string(stored), secretOf(token))
}
