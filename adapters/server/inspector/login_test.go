package inspector_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// guarded is an inspector that requires tokens, with sessions of two tenants.
type guarded struct {
	testing.TB
	pages http.Handler
	token map[string]string // by namespace; "" for all
}

func newGuarded(t testing.TB) *guarded {
	g := &guarded{TB: t, token: map[string]string{}}
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	recording := &middleware.SessionsOptions{Journal: middleware.NewJournal(nil)}
	sessions, err := middleware.NewSessions(manager, recording)
	require.NoError(t, err)
	tokens := auth.NewMemoryTokenStore()
	for _, ns := range []string{"shop", "bank", ""} {
		g.token[ns], _, err = auth.Create(t.Context(), tokens, auth.CreateOptions{Tenant: auth.Tenant{Namespace: ns}, Unbound: ns == ""})
		require.NoError(t, err)
		key := session.Key{Namespace: ns, UserID: "ann", SessionID: "s-" + ns}
		_, err = sessions.Record(t.Context(), key, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-40001","title":"Home of ` + ns + `"}}`})
		require.NoError(t, err)
	}
	api, err := rest.New(manager, &rest.Options{Verifier: auth.NewVerifier(tokens, nil)})
	require.NoError(t, err)
	pages, err := inspector.New(manager, &inspector.Options{
		Recording: recording, Authenticate: api.AuthenticateOr,
		Tenant: func(ctx context.Context) (auth.Tenant, error) {
			tenant, ok := rest.TenantFrom(ctx)
			if !ok {
				return tenant, errors.New("no tenant")
			}
			return tenant, nil
		},
	})
	require.NoError(t, err)
	g.pages = api.Observed(inspector.Path, pages)
	return g
}

// do sends a request with a cookie and further headers, as pairs of names and values.
func (g *guarded) do(method, target, form, cookie string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(form))
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: inspector.CookieName, Value: cookie})
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer := httptest.NewRecorder()
	g.pages.ServeHTTP(answer, r)
	return answer
}

func (g *guarded) logIn(target, token, to string) *httptest.ResponseRecorder {
	return g.do(http.MethodPost, target, url.Values{"token": {token}, "to": {to}}.Encode(), "")
}

// TestLogin: a person gives a token once, and comes back to the page that was asked for.
func TestLogin(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	asked := "/inspect/run?id=s-shop&step=1"
	answer := g.do(http.MethodGet, asked, "", "")
	require.Equal(t, http.StatusUnauthorized, answer.Code)
	form := parse(t, answer.Body.String())
	assert.Equal(t, "Log in", form.text("h1"))
	assert.Empty(t, form.texts("p.error"))
	to := attr(form.all("form.login input")[0], "value")
	assert.Equal(t, asked, to)

	answer = g.logIn("http://localhost/inspect/login", "wmem_wrong", to)
	assert.Equal(t, http.StatusUnauthorized, answer.Code)
	form = parse(t, answer.Body.String())
	assert.Equal(t, []string{"Invalid token"}, form.texts("p.error"))
	assert.Equal(t, asked, attr(form.all("form.login input")[0], "value"))
	assert.Empty(t, answer.Result().Cookies())

	answer = g.logIn("http://localhost/inspect/login", g.token["shop"], to)
	require.Equal(t, http.StatusSeeOther, answer.Code)
	assert.Equal(t, asked, answer.Header().Get("Location"))
	cookie := answer.Result().Cookies()[0]
	assert.Equal(t, []any{"/inspect", true, http.SameSiteStrictMode, false, 0}, []any{cookie.Path, cookie.HttpOnly, cookie.SameSite, cookie.Secure, cookie.MaxAge})
	answer = g.do(http.MethodGet, asked, "", cookie.Value)
	require.Equal(t, http.StatusOK, answer.Code)
	assert.Contains(t, answer.Body.String(), "Home of shop")
	assert.NotContains(t, answer.Body.String(), cookie.Value, "the token is on no page")

	answer = g.do(http.MethodPost, "/inspect/logout", "", cookie.Value)
	assert.Equal(t, "/inspect/login", answer.Header().Get("Location"))
	assert.Negative(t, answer.Result().Cookies()[0].MaxAge)
	assert.True(t, g.logIn("https://example.com/inspect/login", g.token["shop"], "").Result().Cookies()[0].Secure, "beyond this machine")
	assert.True(t, g.logIn("http://example.com/inspect/login", g.token["shop"], "").Result().Cookies()[0].Secure)
}

// TestLoginStaysHere: only pages of the inspector follow a login, and only its own form logs in.
func TestLoginStaysHere(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, to := range []string{"", "https://evil.example/", "//evil.example/inspect/", "/v1/health", "/inspectx", "javascript:alert(1)", "/inspect/login", "\\\\evil", "/inspect/%0d%0aX: y/login"} {
		answer := g.logIn("/inspect/login", g.token["shop"], to)
		assert.Equal(t, "/inspect/", answer.Header().Get("Location"), to)
	}
	form := url.Values{"token": {g.token["shop"]}}.Encode()
	for _, header := range [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
		answer := g.do(http.MethodPost, "/inspect/login", form, "", header...)
		assert.Equal(t, http.StatusForbidden, answer.Code)
		assert.Empty(t, answer.Result().Cookies())
	}
	assert.Equal(t, http.StatusUnauthorized, g.do(http.MethodPost, "/inspect/login", strings.Repeat("x", 1<<20), "").Code)
	assert.Equal(t, http.StatusUnauthorized, g.do(http.MethodGet, "/inspect/?token="+g.token["shop"], "", "").Code, "no token in an address")
}

// TestTenants: a token shows its tenant's sessions only.
func TestTenants(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for ns, want := range map[string][]string{"shop": {"s-shop"}, "bank": {"s-bank"}, "": {"s-", "s-bank", "s-shop"}} {
		page := parse(t, g.do(http.MethodGet, "/inspect/", "", g.token[ns]).Body.String())
		assert.ElementsMatch(t, want, page.texts("tbody th"))
		page = parse(t, g.do(http.MethodGet, "/inspect/?q=shop", "", g.token[ns]).Body.String())
		assert.Equal(t, ns != "bank", len(page.texts("tbody th")) == 1)
	}
	for _, path := range []string{"/inspect/run?id=s-shop", "/inspect/run?id=s-shop&namespace=shop&user=ann", "/inspect/text?id=s-shop&step=0", "/inspect/result?id=s-shop&handle=1"} {
		answer := g.do(http.MethodGet, path, "", g.token["bank"])
		assert.Equal(t, http.StatusNotFound, answer.Code, path)
		assert.NotContains(t, answer.Body.String(), "Home of")
	}
	answer := g.do(http.MethodGet, "/inspect/run?id=s-bank", "", "", "Authorization", "Bearer "+g.token["bank"])
	assert.Equal(t, http.StatusOK, answer.Code, "a program sends a header")
}
