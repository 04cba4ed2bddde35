package rest_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fill returns a path for the pattern of a route.
func fill(pattern string) string {
	return strings.NewReplacer("{sid}", "s-1", "{id}", "m-1", "{handle}", "result%231", "{view_id}", "01JGKZ4V5T8Q2M3N4P5R6S7T8V", "{task_id}", "t-1").Replace(pattern)
}

func TestEveryRouteHasBothSpellings(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	for _, route := range s.handler.Routes() {
		t.Run(route.Method+" "+route.Pattern, func(t *testing.T) {
			t.Parallel()
			plain := s.do(route.Method, fill(route.Pattern), "")
			slash := s.do(route.Method, fill(route.Pattern)+"/", "")
			assert.Equal(t, plain.Code, slash.Code)
			assert.Less(t, plain.Code, 500)
			assert.NotContains(t, []int{301, 302, 307, 308, 405}, plain.Code)
			assert.NotContains(t, plain.Body.String(), `"detail":"Not Found"`)
		})
	}
}

func TestNothingIsRedirected(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{
		"//", "//v1/health", "/v1//health", "/v1/./health", "/v1/../v1/health", "/v1/working-memory/..", "/v1/working-memory/../health",
		"/v1/working-memory//", "/v1/health//", "/v1", "/v1/working-memory/a/b", "/v1/working-memory/a/b/c", "/v1/summary-views/v/x", "/v1/tasks",
		"/V1/health", "/v1/health/x", "/docs/x", "/openapi.json/x",
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS", "CONNECT", "BREW"} {
			s.do(method, path, "").fails(404, "Not Found")
		}
	}
}

// The redirect is for browsers, so other methods are not found.
func TestRootRedirectsToDocs(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	for _, method := range []string{"GET", "HEAD"} {
		r := s.do(method, "/", "")
		assert.Equal(t, 302, r.Code, method)
		assert.Equal(t, "docs", r.Header().Get("Location"), "below any prefix")
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "get"} {
		s.do(method, "/", "").fails(404, "Not Found")
	}
}

func TestMethodsThatARouteDoesNotHave(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range []struct{ method, path, allow string }{
		{"POST", "/v1/health", "GET, HEAD"},
		{"OPTIONS", "/v1/health", "GET, HEAD"},
		{"PUT", "/v1/working-memory/", "GET, HEAD"},
		{"PATCH", "/v1/working-memory/s", "GET, HEAD, PUT, DELETE"},
		{"OPTIONS", "/v1/working-memory/s/", "GET, HEAD, PUT, DELETE"},
		{"TRACE", "/v1/working-memory/a%2Fb", "GET, HEAD, PUT, DELETE"},
		{"BREW", "/v1/working-memory/s", "GET, HEAD, PUT, DELETE"},
		{"GET", "/v1/working-memory/s/messages", "POST"},
		{"HEAD", "/v1/working-memory/s/messages", "POST"},
		{"GET", "/v1/long-term-memory", "POST, DELETE"},
		{"POST", "/v1/long-term-memory/m-1", "GET, HEAD, PATCH"},
		{"DELETE", "/v1/long-term-memory/search", "POST, GET, HEAD, PATCH"},
		{"GET", "/v1/memory/prompt", "POST"},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			t.Parallel()
			got := s.do(c.method, c.path, "")
			assert.Equal(t, http.StatusMethodNotAllowed, got.Code)
			assert.Equal(t, c.allow, got.Header().Get("Allow"))
			if c.method != "HEAD" {
				got.fails(405, "Method Not Allowed")
			}
		})
	}
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do("PUT", "/v1/working-memory/s", oneMessage).is(200)
	for _, path := range []string{"/v1/health", "/v1/working-memory/", "/v1/working-memory/s", "/v1/working-memory/s/block"} {
		get, head := s.do("GET", path, ""), s.do("HEAD", path, "")
		assert.Equal(t, 200, head.Code, path)
		assert.Empty(t, head.Body.String(), path)
		for _, name := range []string{"Content-Type", "Content-Length", "ETag"} {
			assert.Equal(t, get.Header().Get(name), head.Header().Get(name), path)
		}
	}
	head := s.do("HEAD", "/v1/working-memory/none", "")
	assert.Equal(t, 404, head.Code)
	assert.Empty(t, head.Body.String())
}

func TestTargetsThatAreNotPaths(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, u := range []*url.URL{{}, {Path: "*"}, {Opaque: "mailto:x"}, {Path: "v1/health"}, {Path: "/v1/health", RawPath: "/%zz"}} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL = u
		got := s.send(r)
		assert.Contains(t, []int{200, 404}, got.Code, "%+v", u)
	}
}

func TestMalformedQueries(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, query := range []string{"namespace=%zz", "namespace=a;user_id=b", "namespace=%ff", "%ff=x"} {
		loc, _ := s.do("GET", "/v1/working-memory/?"+query, "").invalid()
		require.Equal(t, []any{"query"}, loc, query)
	}
	loc, _ := s.do("PUT", "/v1/working-memory/%ff", oneMessage).invalid()
	require.Equal(t, "path", loc[0])
}

func TestAnswersAreNotCached(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/v1/health", "/v1/ready", "/nothing", "/v1/working-memory/s"} {
		header := s.do("GET", path, "").Header()
		assert.Equal(t, "no-store", header.Get("Cache-Control"), path)
		assert.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		assert.NotEmpty(t, header.Get("X-Request-Id"), path)
		assert.Empty(t, header.Get("Access-Control-Allow-Origin"), path)
	}
	assert.Equal(t, "my-id_1.2", s.do("GET", "/v1/health", "", "X-Request-Id: my-id_1.2").Header().Get("X-Request-Id"))
	for _, odd := range []string{"a b", "a\tb", "ä", strings.Repeat("x", 129), `"`} {
		assert.NotEqual(t, odd, s.do("GET", "/v1/health", "", "X-Request-Id: "+odd).Header().Get("X-Request-Id"))
	}
}
