package servertest

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var tokenText = regexp.MustCompile(`wmem_[0-9a-z]+_[0-9A-Za-z_-]+`)

// wmem runs a command to its end.
func (s *store) wmem(c *caller, args ...string) (stdout, stderr string, err error) {
	c.t.Helper()
	cmd := command(c.t.TempDir(), nil, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// token makes a token with more flags, and forbids the logs to tell it.
func (s *store) token(c *caller, flags ...string) string {
	c.t.Helper()
	stdout, stderr, err := s.wmem(c, append([]string{"token", "create", "--store", s.store}, flags...)...)
	require.NoError(c.t, err, "%s%s", stdout, stderr)
	token := tokenText.FindString(stdout)
	require.NotEmpty(c.t, token, "%s%s", stdout, stderr)
	s.auth.logs.forbid(secretOf(token))
	return token
}

// secretOf is the part of a token that is a secret.
func secretOf(token string) string { return strings.SplitN(token, "_", 3)[2] }

// idOf is the part of a token that names it.
func idOf(token string) string { return strings.SplitN(token, "_", 3)[1] }

// openRoutes need no token.
var openRoutes = []string{"/v1/health", "/v1/ready", "/openapi.json", "/docs"}

// route is a method and a pattern.
type route struct{ method, pattern string }

// routes are those that the server says it has, so that a new one cannot be forgotten.
func routes(c *caller) []route {
	c.t.Helper()
	var all []route
	for pattern, methods := range c.get("/openapi.json").ok().at("paths").(map[string]any) {
		for method := range methods.(map[string]any) {
			if m := strings.ToUpper(method); slices.Contains([]string{"GET", "PUT", "POST", "PATCH", "DELETE"}, m) {
				all = append(all, route{m, pattern})
			}
		}
	}
	require.Greater(c.t, len(all), 18)
	return all
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// authChecks are of who may do what.
func authChecks() []check {
	withTokens := func(run func(c *caller, s *store)) func(*caller, *store) {
		return func(c *caller, s *store) {
			if s.tokens {
				run(call(c.t, s.auth), s)
			}
		}
	}
	return []check{
		{"every route but those that tell nothing needs a token", func(c *caller, s *store) {
			locked := call(c.t, s.auth)
			for _, r := range append(routes(locked), route{"GET", "/metrics"}, route{"POST", "/mcp"}) {
				a := locked.send(r.method, parameter.ReplaceAllString(r.pattern, "x"), "")
				if slices.Contains(openRoutes, r.pattern) {
					a.ok()
					continue
				}
				assert.Equal(c.t, http.StatusUnauthorized, a.status, "%v", r)
				assert.Equal(c.t, "Bearer", a.header.Get("WWW-Authenticate"), "%v", r)
			}
		}},
		{"a token of one tenant gets nothing of another on any route", withTokens(checkTenantWall)},
		{"a token bound to a namespace and a user", withTokens(func(c *caller, s *store) {
			mine := c.as(s.token(c, "--namespace", c.ns, "--user", "u1"))
			all := c.as(s.token(c, "--all"))
			a := mine.put("/v1/working-memory/s", `{"messages":`+talk(1)+`}`).ok()
			require.Equal(c.t, []any{c.ns, "u1"}, []any{a.at("namespace"), a.at("user_id")}, "what is left open is the tenant's")
			all.put(c.wm("s", "user_id=u2"), `{}`).ok()
			require.Equal(c.t, 1, mine.get("/v1/working-memory/").ok().int("total"))
			require.Equal(c.t, 2, all.get("/v1/working-memory/?namespace="+c.ns).ok().int("total"))
			mine.get("/v1/working-memory/s").ok()
			mine.get(c.wm("s", "user_id=u2")).is(http.StatusNotFound)
			mine.put("/v1/working-memory/s?user_id=u2", `{}`).fails(http.StatusForbidden, "Token is not valid for this user")
			mine.put("/v1/working-memory/s", `{"namespace":"other"}`).fails(http.StatusForbidden, "Token is not valid for this namespace")
		})},
		{"a revoked token is no token", withTokens(func(c *caller, s *store) {
			token := s.token(c, "--namespace", c.ns)
			c.as(token).get("/v1/working-memory/").ok()
			stdout, stderr, err := s.wmem(c, "token", "list", "--store", s.store)
			require.NoError(c.t, err, stderr)
			require.Contains(c.t, stdout, idOf(token))
			require.NotContains(c.t, stdout, secretOf(token))
			_, stderr, err = s.wmem(c, "token", "revoke", "--store", s.store, idOf(token))
			require.NoError(c.t, err, stderr)
			c.as(token).get("/v1/working-memory/").fails(http.StatusUnauthorized, "Invalid token")
		})},
		{"an expired token", withTokens(func(c *caller, s *store) {
			token := s.token(c, "--namespace", c.ns, "--expires", "1s")
			c.eventually(func() bool { return c.as(token).get("/v1/working-memory/").status == http.StatusUnauthorized })
			c.as(token).get("/v1/working-memory/").fails(http.StatusUnauthorized, "Token has expired")
		})},
		{"malformed tokens", withTokens(func(c *caller, s *store) {
			token := s.token(c, "--namespace", c.ns)
			for _, wrong := range []string{
				token + "x", token[:len(token)-1], strings.ToUpper(token), "wmem__", "wmem_" + idOf(token) + "_", secretOf(token), idOf(token),
				"wmem_" + idOf(token) + "_" + strings.Repeat("A", len(secretOf(token))), strings.Repeat("A", 5000), "' OR 1=1", "%00", "*",
			} {
				a := c.as(wrong).get("/v1/working-memory/")
				assert.Equal(c.t, []any{401, "Invalid token"}, []any{a.status, a.at("detail")}, wrong)
			}
			c.as(token).get("/v1/working-memory/").ok()
		})},
		{"a token is hashed at rest", withTokens(func(c *caller, s *store) {
			file, ok := strings.CutPrefix(s.store, "sqlite:")
			if !ok {
				return // only here can a test read what is at rest
			}
			token := s.token(c, "--namespace", c.ns)
			found := 0
			for _, suffix := range []string{"", "-wal"} {
				data, err := os.ReadFile(filepath.Clean(file + suffix))
				if err == nil {
					require.NotContains(c.t, string(data), secretOf(token))
					found += bytes.Count(data, []byte(idOf(token)))
				}
			}
			require.Positive(c.t, found)
		})},
		{"a token is bound, unless told plainly", withTokens(func(c *caller, s *store) {
			_, _, err := s.wmem(c, "token", "create", "--store", s.store)
			require.Error(c.t, err)
		})},
		{"tokens need a store that outlives a process", func(c *caller, s *store) {
			_, stderr, err := s.wmem(c, "serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--auth", "token")
			require.Error(c.t, err)
			require.Contains(c.t, stderr, "--auth token needs a --store")
		}},
		{"without tokens only on loopback", func(c *caller, s *store) {
			stdout, stderr, err := s.wmem(c, "serve", "--store", "memory:", "--listen", "0.0.0.0:0", "--auth", "none")
			require.Error(c.t, err)
			require.Empty(c.t, stdout)
			require.Contains(c.t, stderr, "auth")
		}},
	}
}

// bodiesOf are the bodies that a route can read.
func bodiesOf(r route, bodies []string) []string {
	if r.method == http.MethodGet || r.method == http.MethodDelete {
		return []string{""}
	}
	return bodies
}

// checkTenantWall walks all routes with the token of another tenant.
func checkTenantWall(c *caller, s *store) {
	const treasure = "treasure"
	id := c.ns + "-s"
	owner := c.as(s.token(c, "--namespace", c.ns))
	owner.put("/v1/working-memory/"+id, `{"messages":`+talk(1)+`,"data":{"k":"treasure"},"context":"treasure","user_id":"u"}`).ok()
	owner.post("/v1/working-memory/"+id+"/tool-calls?user_id=u", `{"name":"get_page","arguments":{},"result":{"id":"treasure-1","title":"treasure"}}`).ok()
	owner.post("/v1/long-term-memory/", `{"memories":[{"id":"`+id+`","text":"the treasure is a zebrafinch","user_id":"u"}]}`).ok()
	owner.eventually(func() bool { // the page is promoted
		a := owner.get("/v1/working-memory/" + id).ok()
		return len(a.list("memories")) > 0 && a.at("memories", 0, "persisted_at") != nil
	})
	session, memory := owner.get("/v1/working-memory/"+id).ok(), owner.get("/v1/long-term-memory/"+id+"?user_id=u").ok()
	strangers := []*caller{
		c.as(s.token(c, "--namespace", c.ns+"-other")), c.as(s.token(c, "--user", "stranger")),
		c.as(s.token(c, "--namespace", c.ns, "--user", "stranger")), c.as(s.token(c, "--namespace", c.ns+"-other", "--user", "u")),
	}
	bodies := []string{
		`{"messages":[],"memories":[{"id":"` + id + `","text":"zebrafinch"}],"query":"zebrafinch","session":{"session_id":"` + id + `"},"long_term_search":true,"text":"zebrafinch","policy":{"budget":0},"name":"get_page"}`,
		`{"messages":[],"namespace":"` + c.ns + `","user_id":"u","text":"zebrafinch","policy":{"budget":0},"query":"zebrafinch","session":{"session_id":"` + id + `","namespace":"` + c.ns + `","user_id":"u"},"long_term_search":{"namespace":{"eq":"` + c.ns + `"}},"memories":[{"id":"` + id + `","text":"zebrafinch","namespace":"` + c.ns + `"}],"name":"x"}`,
		`{"text":"zebrafinch","namespace":{"eq":"` + c.ns + `"},"user_id":{"any":["u"]},"query":"zebrafinch","long_term_search":true}`,
	}
	for _, r := range append(routes(c.as(owner.token)), route{"GET", "/metrics"}) {
		path := parameter.ReplaceAllString(r.pattern, id)
		for _, query := range []string{"", "?namespace=" + c.ns, "?namespace=" + c.ns + "&user_id=u&dry_run=false&memory_ids=" + id} {
			for i, stranger := range strangers {
				for _, body := range bodiesOf(r, bodies) {
					a := stranger.send(r.method, path+query, body)
					assert.NotContains(c.t, string(a.raw), treasure, "stranger %d: %s %s", i, r.method, path+query)
					assert.Less(c.t, a.status, 500, "%s %s: %s", r.method, path, a.raw)
				}
			}
		}
	}
	still := owner.get("/v1/working-memory/" + id + "?user_id=u").ok()
	for _, part := range []string{"messages", "context", "data", "entities", "memories", "updated_at"} {
		assert.Equal(c.t, session.at(part), still.at(part), part)
	}
	after := owner.get("/v1/long-term-memory/" + id + "?user_id=u").ok()
	assert.Equal(c.t, memory.at("text"), after.at("text"))
	a := owner.get(fmt.Sprintf("/v1/working-memory/?namespace=%s", c.ns)).ok()
	assert.Contains(c.t, a.list("sessions"), any(id))
}
