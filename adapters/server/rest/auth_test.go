package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// bodyOf returns a body for a route about a session or memory of Anna in shop.
func bodyOf(method, pattern string) string {
	switch method + " " + pattern {
	case "PUT /v1/working-memory/{sid}", "POST /v1/working-memory/{sid}/messages":
		return `{"messages":[{"id":"intruder","role":"user","content":"overwritten","created_at":"2026-01-02T15:04:05Z"}],"namespace":"shop","user_id":"anna"}`
	case "POST /v1/working-memory/{sid}/tool-calls":
		return `{"name":"create_ad","result":{"id":"ad-99","name":"overwritten"}}`
	case "POST /v1/working-memory/{sid}/tool-calls/arguments":
		return `{"arguments":{"id":"account#1"}}`
	case "POST /v1/long-term-memory":
		return `{"memories":[{"id":"m-1","text":"overwritten","namespace":"shop","user_id":"anna"}]}`
	case "PATCH /v1/long-term-memory/{id}":
		return `{"text":"overwritten"}`
	case "POST /v1/long-term-memory/search":
		return `{"text":"confidential","namespace":{"eq":"shop"},"user_id":{"eq":"anna"}}`
	case "POST /v1/long-term-memory/forget":
		return `{"policy":{"budget":0}}`
	case "POST /v1/summary-views":
		return `{"source":"long_term","filters":{"namespace":"shop","user_id":"anna"}}`
	case "POST /v1/summary-views/{view_id}/partitions/run":
		return `{"group":{}}`
	case "POST /v1/summary-views/{view_id}/run":
		return `{"task_id":"t-1"}`
	case "POST /v1/memory/prompt":
		return `{"query":"confidential?","session":{"session_id":"s-1","namespace":"shop","user_id":"anna"},"long_term_search":true}`
	}
	return ""
}

// attempts returns targets of a route that ask for the data of Anna in shop.
func attempts(route rest.Route) []string {
	path := fill(route.Pattern)
	if route.Pattern == "/v1/long-term-memory" && route.Method == "DELETE" {
		path += "?memory_ids=m-1&"
	} else {
		path += "?"
	}
	return []string{
		path, path + "namespace=shop&user_id=anna", path + "namespace=shop", path + "user_id=anna",
		path + "namespace=shop&user_id=anna&dry_run=false&context_window_max=10", path + "namespace=&user_id=",
		path + "namespace=rival&namespace=shop&user_id=anna",
	}
}

// accountID is an id that gets a handle.
const accountID = "0b7c4f0e-6d0b-4c39-9f0a-5b0f6c1d2e3f"

// fillShop writes data that only Anna in shop may read.
func fillShop(s *server, admin string) {
	s.do("PUT", "/v1/working-memory/s-1?namespace=shop&user_id=anna", `{"messages":[{"id":"a","role":"user","content":"confidential words","created_at":"2026-01-02T15:04:05Z"}],"context":"confidential summary","data":{"k":"confidential data"}}`, admin).is(200)
	s.do("POST", "/v1/working-memory/s-1/tool-calls?namespace=shop&user_id=anna", `{"name":"create_ad","result":{"id":"ad-1","name":"confidential ad"}}`, admin).is(200)
	s.do("POST", "/v1/working-memory/s-1/tool-calls?namespace=shop&user_id=anna", `{"name":"get_account","result":{"account":{"id":"`+accountID+`"}},"handles":true}`, admin).is(200)
	s.do("POST", "/v1/working-memory/s-1/tool-calls?namespace=shop&user_id=anna", `{"name":"read_file","result":"`+strings.Repeat("confidential lines ", 4000)+`","store_results":true}`, admin).is(200)
	s.do("POST", "/v1/long-term-memory", `{"memories":[{"id":"m-1","text":"a confidential fact","namespace":"shop","user_id":"anna"}]}`, admin).is(200)
}

// shop returns all data of Anna in shop.
func shop(s *server, admin string) string {
	var all strings.Builder
	for _, path := range []string{"", "/entities", "/block", "/results"} {
		all.WriteString(s.do("GET", "/v1/working-memory/s-1"+path+"?namespace=shop&user_id=anna", "", admin).Body.String())
	}
	all.WriteString(s.do("GET", "/v1/working-memory/", "", admin).Body.String())
	all.WriteString(s.do("GET", "/v1/long-term-memory/m-1?namespace=shop&user_id=anna", "", admin).Body.String())
	return all.String()
}

func TestWhoMayUseARoute(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens, withLongTerm)
	adminText, _ := s.token(auth.Tenant{}, 0)
	admin := "Authorization: Bearer " + adminText
	expired, _ := s.token(auth.Tenant{Namespace: "shop", UserID: "anna"}, time.Minute)
	s.clock.Sleep(time.Hour)
	revoked, id := s.token(auth.Tenant{Namespace: "shop", UserID: "anna"}, 0)
	require.NoError(t, s.tokens.Remove(context.Background(), id))
	fillShop(s, admin)
	before := shop(s, admin)
	require.Equal(t, 7, strings.Count(before, "confidential"), before)
	wrong := adminText[:len(adminText)-1] + "0"
	if wrong == adminText {
		wrong = adminText[:len(adminText)-1] + "1"
	}
	for name, c := range map[string]struct{ header, detail string }{
		"none":             {"", "Missing authorization header"},
		"another scheme":   {"Basic dXNlcjpwYXNz", "Missing authorization header"},
		"empty":            {"Bearer ", "Missing bearer token"},
		"malformed":        {"Bearer nonsense", "Invalid token"},
		"of a wrong end":   {"Bearer " + wrong, "Invalid token"},
		"expired":          {"Bearer " + expired, "Token has expired"},
		"revoked":          {"Bearer " + revoked, "Invalid token"},
		"a list of tokens": {"Bearer nonsense, Bearer " + adminText, "Invalid token"},
	} {
		for _, route := range s.handler.Routes() {
			if route.Auth == rest.ClassOpen {
				assert.Less(t, s.do(route.Method, fill(route.Pattern), "").Code, 300)
				continue
			}
			r := httptest.NewRequest(route.Method, attempts(route)[1], strings.NewReader(bodyOf(route.Method, route.Pattern)))
			r.RemoteAddr = "192.0.2." + string(rune('0'+len(name)%10)) + ":1"
			s.clock.Sleep(time.Second)
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			got := s.send(r)
			got.fails(http.StatusUnauthorized, c.detail)
			assert.Equal(t, "Bearer", got.Header().Get("WWW-Authenticate"))
		}
	}
	assert.Equal(t, before, shop(s, admin))
}

// A token counts only as the bearer token of a single Authorization header.
func TestPlacesOfATokenInARequest(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	text, _ := s.token(auth.Tenant{}, 0)
	for _, header := range []string{"Bearer " + text, "bearer " + text, "BEARER   " + text + "  ", " Bearer " + text} {
		s.do("GET", "/v1/working-memory", "", "Authorization: "+header).is(200)
	}
	for name, c := range map[string]struct {
		query  string
		header []string
		detail string
	}{
		"in the query":     {"?token=" + text + "&access_token=" + text + "&authorization=Bearer%20" + text, nil, "Missing authorization header"},
		"in other headers": {"", []string{"X-API-Key: " + text, "Proxy-Authorization: Bearer " + text, "Cookie: Authorization=" + text, "X-Authorization: Bearer " + text}, "Missing authorization header"},
		"twice":            {"", []string{"Authorization: Bearer " + text, "Authorization: Bearer " + text}, "Invalid token"},
		"beside an empty":  {"", []string{"Authorization: ", "Authorization: Bearer " + text}, "Missing authorization header"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "/v1/working-memory"+c.query, nil)
			r.RemoteAddr = "192.0.2.77:1"
			s.send(r, c.header...).fails(http.StatusUnauthorized, c.detail)
		})
	}
}

// A tenant's requests are answered as if no other tenant existed, by every route, and change
// nothing of another's.
func TestTenantsDoNotReachEachOther(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]auth.Tenant{
		"another user":         {UserID: "bob"},
		"another user in shop": {Namespace: "shop", UserID: "bob"},
		"a longer namespace":   {Namespace: "shopper"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, alone := start(t, withTokens, withLongTerm), start(t, withTokens, withLongTerm)
			adminText, _ := s.token(auth.Tenant{}, 0)
			admin := "Authorization: Bearer " + adminText
			fillShop(s, admin)
			before := shop(s, admin)
			text, _ := s.token(tenant, 0)
			aloneText, _ := alone.token(tenant, 0)
			for _, route := range s.handler.Routes() {
				if route.Auth == rest.ClassOpen {
					continue
				}
				for _, target := range attempts(route) {
					for _, body := range slices.Compact([]string{bodyOf(route.Method, route.Pattern), ""}) {
						got := s.do(route.Method, target, body, "Authorization: bearer "+text)
						want := alone.do(route.Method, target, body, "Authorization: bearer "+aloneText)
						assert.Equal(t, want.Code, got.Code, "%s %s", route.Method, target)
						assert.Equal(t, normalized(want.Body.String()), normalized(got.Body.String()), "%s %s", route.Method, target)
						assert.NotContains(t, got.Body.String(), "confidential ", "%s %s", route.Method, target)
						assert.NotContains(t, got.Body.String(), accountID, "%s %s", route.Method, target)
						assert.Empty(t, got.Header().Get("WWW-Authenticate"))
					}
				}
			}
			after := shop(s, admin)
			// The list of the operator also has the tenant's own sessions.
			assert.Equal(t, before[:strings.Index(before, `{"sessions"`)], after[:strings.Index(after, `{"sessions"`)])
			assert.Equal(t, before[strings.LastIndex(before, `{"id":"m-1"`):], after[strings.LastIndex(after, `{"id":"m-1"`):])
		})
	}
}

func TestWritesForOtherOwnersAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	text, _ := s.token(auth.Tenant{Namespace: "rival", UserID: "bob"}, 0)
	bearer := "Authorization: Bearer " + text
	s.do("PUT", "/v1/working-memory/s-1", `{"namespace":"shop"}`, bearer).fails(403, "Token is not valid for this namespace")
	s.do("PUT", "/v1/working-memory/s-1", `{"user_id":"anna"}`, bearer).fails(403, "Token is not valid for this user")
	own := s.do("PUT", "/v1/working-memory/s-1", oneMessage, bearer).is(200)
	assert.Equal(t, []any{"rival", "bob"}, []any{own["namespace"], own["user_id"]})
}

// failing is a store of tokens that fails.
type failing struct {
	auth.TokenStore
	get func(ctx context.Context) (auth.Token, error)
}

func (f failing) Get(ctx context.Context, _ string) (auth.Token, error) { return f.get(ctx) }

func failingTokens(get func(ctx context.Context) (auth.Token, error)) option {
	return with(func(o *rest.Options) { o.Verifier = auth.NewVerifier(failing{get: get}, nil) })
}

func TestTokensThatCannotBeChecked(t *testing.T) {
	t.Parallel()
	text, _ := start(t).token(auth.Tenant{}, 0)
	for name, c := range map[string]struct {
		get    func(ctx context.Context) (auth.Token, error)
		status int
		detail string
	}{
		"no store":  {func(context.Context) (auth.Token, error) { return auth.Token{}, auth.ErrUnavailable }, 503, "Authentication is not available"},
		"odd error": {func(context.Context) (auth.Token, error) { return auth.Token{}, errors.New("secret") }, 503, "Authentication is not available"},
		"closed":    {func(context.Context) (auth.Token, error) { return auth.Token{}, auth.ErrClosed }, 503, "Authentication is not available"},
		"slow": {func(ctx context.Context) (auth.Token, error) {
			<-ctx.Done()
			return auth.Token{}, ctx.Err()
		}, 503, "Request took too long"},
		"panic": {func(context.Context) (auth.Token, error) { panic("secret") }, 500, "Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, failingTokens(c.get))
				got := s.do("GET", sessionPath, "", "Authorization: Bearer "+text)
				got.fails(c.status, c.detail)
				assert.Equal(t, c.status == 503, got.Header().Get("Retry-After") != "")
				s.do("GET", "/v1/health", "").is(200)
			})
		})
	}
}

func TestOtherHandlersShareTheTokens(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant, ok := rest.TenantFrom(r.Context())
		assert.True(t, ok)
		_, _ = w.Write([]byte(tenant.Namespace + "/" + tenant.UserID))
	})
	bound, _ := s.token(auth.Tenant{Namespace: "shop", UserID: "anna"}, 0)
	free, _ := s.token(auth.Tenant{}, 0)
	ask := func(h http.Handler, token string) reply {
		r, w := httptest.NewRequest("GET", "/mcp", nil), httptest.NewRecorder()
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		h.ServeHTTP(w, r)
		return reply{w, t}
	}
	ask(s.handler.Authenticate(next), "").fails(401, "Missing authorization header")
	ask(s.handler.Authenticate(next), "x").fails(401, "Invalid token")
	assert.Equal(t, "shop/anna", ask(s.handler.Authenticate(next), bound).Body.String())
	assert.Equal(t, "/", ask(s.handler.Authenticate(next), free).Body.String())
	ask(s.handler.AuthenticateOperator(next), bound).fails(403, "Token is bound to a tenant")
	assert.Equal(t, "/", ask(s.handler.AuthenticateOperator(next), free).Body.String())
	assert.Equal(t, "/", ask(start(t).handler.AuthenticateOperator(next), "").Body.String())
	_, ok := rest.TenantFrom(context.Background())
	assert.False(t, ok)

	log := new(syncbuffer.Buffer)
	down := start(t, logged(log), failingTokens(func(context.Context) (auth.Token, error) { return auth.Token{}, auth.ErrUnavailable }))
	ask(down.handler.Authenticate(next), free).fails(503, "Authentication is not available")
	assert.Contains(t, log.String(), "store is unavailable", "nobody else logs it")
	assert.NotContains(t, log.String(), free)
}
