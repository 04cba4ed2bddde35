package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// modelOf returns the session that an escaped path names, by a straightforward reading.
func modelOf(escaped string) (id string, ok bool) {
	escaped = strings.TrimSuffix(escaped, "/")
	parts := strings.Split(escaped, "/")
	if len(parts) != 4 || parts[0] != "" || parts[1] != "v1" || parts[2] != "working-memory" {
		return "", false
	}
	if part := parts[3]; part == "" || part == "." || part == ".." {
		return "", false
	}
	id, err := url.PathUnescape(parts[3])
	return id, err == nil
}

// A path names a session if and only if modelOf returns it.
func FuzzPath(f *testing.F) {
	s := start(f)
	for _, seed := range []string{
		"s", "a%2Fb", "%2f", "%2F%2F", ".", "..", "%2e", "%2E%2e", "a/b", "a/", "a//", "//", "", "%00", "%25", "%252F", "a;b", "a b", "ä", "%C3%A4",
		"%FF", "%", "%z", "a%2", "a/messages", "a%2Fmessages", "messages", "a/../b", "./a", "a?b", "a#b", "{sid}", "+", "%2B", "~", "a:b", "@", "!$&'()*,=", strings.Repeat("q", session.MaxIDBytes+1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		target := "/v1/working-memory/" + rest
		u, err := url.ParseRequestURI(target) // as net/http reads it
		if err != nil {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = u
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		got := reply{w, t}
		id, ok := modelOf(u.EscapedPath())
		switch {
		case ok && got.Code == http.StatusUnprocessableEntity: // too long, or no UTF-8
		case ok && len(id) > session.MaxIDBytes: // errors name it cut
			require.Equal(t, http.StatusNotFound, got.Code, target)
			require.Contains(t, got.Body.String(), "… not found")
		case ok:
			got.fails(http.StatusNotFound, "Session "+id+" not found")
		case got.Code == http.StatusOK:
			require.Equal(t, "", strings.Trim(strings.TrimPrefix(u.Path, "/v1/working-memory"), "/"), target)
		case strings.HasSuffix(got.Body.String(), `not found"}`): // entities, block, and decisions of a session
			require.Len(t, strings.Split(strings.TrimSuffix(u.EscapedPath(), "/"), "/"), 5)
		default:
			require.Contains(t, []int{404, 405, 422}, got.Code, target)
		}
	})
}

// mounted returns a handler that serves h under /memory.
func mounted(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/memory/", http.StripPrefix("/memory", h))
	return mux
}

// Links in the documentation work wherever the handler is mounted, with and without a trailing
// slash.
func TestLinksOfDocumentsUnderAPrefix(t *testing.T) {
	t.Parallel()
	h := mounted(start(t).handler)
	get := func(target string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		require.Equal(t, 200, w.Code, target)
		return w
	}
	href := regexp.MustCompile(`href="([^"#]+)"`)
	for _, page := range []string{"/memory/docs", "/memory/docs/"} {
		at, err := url.Parse("http://x" + page)
		require.NoError(t, err)
		links := href.FindAllStringSubmatch(get(page).Body.String(), -1)
		require.NotEmpty(t, links)
		for _, link := range links {
			to, err := at.Parse(link[1])
			require.NoError(t, err)
			get(to.Path)
		}
	}
	var doc struct {
		Servers []struct{ URL string }
	}
	require.NoError(t, json.Unmarshal(get("/memory/openapi.json").Body.Bytes(), &doc))
	at, err := url.Parse("http://x/memory/openapi.json")
	require.NoError(t, err)
	require.Len(t, doc.Servers, 1)
	base, err := at.Parse(doc.Servers[0].URL)
	require.NoError(t, err)
	get(strings.TrimSuffix(base.Path, "/") + "/v1/health")
}
