package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Why the router is not http.ServeMux: it takes the id that is an escaped slash for the list of
// all ids, redirects paths that are not clean, which clients do not follow for a PUT, and answers
// errors as text. Both serve ids with slashes and dots, HEAD by GET, and the Allow header.
func TestWhatServeMuxWouldAnswer(t *testing.T) {
	t.Parallel()
	s := start(t)
	mux := http.NewServeMux()
	for _, route := range s.handler.Routes() {
		for _, end := range []string{"", "/{$}"} { // each pattern is served with a slash at its end, too
			mux.HandleFunc(route.Method+" "+route.Pattern+end, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, route.Pattern+" "+r.PathValue("sid"))
			})
		}
	}
	const session, list = "/v1/working-memory/{sid} ", "/v1/working-memory "
	for _, c := range []struct {
		method, target string
		ours, theirs   int
		says, media    string // by ServeMux
	}{
		{"GET", "/v1/working-memory/%2F", 404, 200, list, "application/json"}, // ours looks for a session /
		{"PUT", "/v1/working-memory/%2F", 422, 405, "Method Not Allowed\n", "text/plain; charset=utf-8"},
		{"PUT", "/v1/working-memory//s", 404, 307, "", ""},
		{"DELETE", "/v1/working-memory/a/..", 404, 307, "", ""},
		{"PATCH", "/v1/working-memory/s", 405, 405, "Method Not Allowed\n", "text/plain; charset=utf-8"},
		{"GET", "/nothing", 404, 404, "404 page not found\n", "text/plain; charset=utf-8"},

		{"GET", "/v1/working-memory/a%2Fb/", 404, 200, session + "a/b", "application/json"},
		{"GET", "/v1/working-memory/%2E%2E", 404, 200, session + "..", "application/json"},
		{"HEAD", "/v1/health/", 200, 200, "/v1/health ", "application/json"},
	} {
		got := httptest.NewRecorder()
		mux.ServeHTTP(got, httptest.NewRequest(c.method, c.target, nil))
		name := c.method + " " + c.target
		assert.Equal(t, []any{c.theirs, c.media, c.says}, []any{got.Code, got.Header().Get("Content-Type"), got.Body.String()}, name)
		ours := s.do(c.method, c.target, "")
		assert.Equal(t, c.ours, ours.Code, name)
		assert.Equal(t, "application/json", ours.Header().Get("Content-Type"), name)
	}
}
