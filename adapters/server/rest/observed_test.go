package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// Handlers mounted beside the API are logged and observed like its routes, without contents.
func TestOtherHandlersAreObserved(t *testing.T) {
	t.Parallel()
	left, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	for name, c := range map[string]struct {
		serve  func(w http.ResponseWriter, r *http.Request)
		ctx    context.Context
		token  string // in place of a valid one
		status int    // that is observed
		in     int64
	}{
		"answers":          {func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }, t.Context(), "", 200, 12},
		"says nothing":     {func(http.ResponseWriter, *http.Request) {}, t.Context(), "", 200, 0},
		"has a status":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }, t.Context(), "", 202, 0},
		"reads some of it": {func(_ http.ResponseWriter, r *http.Request) { _, _ = r.Body.Read(make([]byte, 5)) }, t.Context(), "", 200, 5},
		"client left":      {func(http.ResponseWriter, *http.Request) { leave() }, left, "", 499, 0},
		"panics":           {func(http.ResponseWriter, *http.Request) { panic("private") }, t.Context(), "", 500, 0},
		"refused":          {nil, t.Context(), "private", 401, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, seen := new(syncbuffer.Buffer), []rest.Observation{}
			s := start(t, withTokens, logged(log), with(func(o *rest.Options) { o.Observe = func(o rest.Observation) { seen = append(seen, o) } }))
			token, id := s.token(auth.Tenant{Namespace: "private-namespace"}, 0)
			if c.token != "" {
				token, id = c.token, ""
			}
			inside := ""
			h := s.handler.Observed("/mcp", s.handler.Authenticate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inside = rest.RequestID(r.Context())
				c.serve(w, r)
			})))
			r, w := httptest.NewRequestWithContext(c.ctx, "POST", "/mcp?private=private", strings.NewReader("private body")), httptest.NewRecorder()
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("X-Request-Id", "r-1")
			h.ServeHTTP(w, r)

			require.Len(t, seen, 1)
			o := seen[0]
			assert.Equal(t, rest.Observation{Method: "POST", Route: "/mcp", Status: c.status, Duration: o.Duration, BytesIn: c.in, BytesOut: int64(w.Body.Len())}, o)
			assert.Positive(t, o.Duration)
			assert.Equal(t, "r-1", w.Header().Get("X-Request-Id"))
			if c.serve != nil {
				assert.Equal(t, "r-1", inside)
			}
			all := requests(t, log)
			require.Len(t, all, 1)
			assert.Equal(t, "/mcp", all[0]["route"])
			assert.EqualValues(t, c.status, all[0]["status"])
			assert.Equal(t, "r-1", all[0]["request_id"])
			if id != "" {
				assert.Equal(t, id, all[0]["token"])
			}
			assert.NotContains(t, log.String(), "private")
		})
	}
}

// A body with several requests counts as that many, for its token or address.
func TestCountMore(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]option{"tokens": withTokens, "addresses": func(*setup) {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, option, with(func(o *rest.Options) { o.Rate, o.Burst = 0.5, 10 }))
			a, b := "", ""
			if name == "tokens" {
				a, _ = s.token(auth.Tenant{Namespace: "a"}, 0)
				b, _ = s.token(auth.Tenant{Namespace: "b"}, 0)
			}
			ask := func(token, address string, n int) (wait time.Duration, ok bool) {
				r := httptest.NewRequest("POST", "/mcp", nil)
				r.RemoteAddr = address
				if token != "" {
					r.Header.Set("Authorization", "Bearer "+token)
				}
				s.handler.Authenticate(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					wait, ok = s.handler.CountMore(r.Context(), n)
				})).ServeHTTP(httptest.NewRecorder(), r)
				return wait, ok
			}
			for _, c := range []struct {
				token, address string
				n              int
				wait           time.Duration
				ok             bool
			}{
				{a, "192.0.2.1:1", 5, 0, true},                // 4 are left
				{a, "192.0.2.1:2", 5, 4 * time.Second, false}, // 3 are left: of these none was counted
				{b, "192.0.2.2:1", 9, 0, true},                // another's
				{a, "192.0.2.1:3", 11, 0, false},              // more than ever come at once; 2 are left
				{a, "192.0.2.1:3", 1, 0, true},                // 0 are left
			} {
				wait, ok := ask(c.token, c.address, c.n)
				assert.Equal(t, c.ok, ok, "%+v", c)
				assert.Equal(t, c.wait, wait, "%+v", c)
			}
			_, ok := s.handler.CountMore(t.Context(), 1000)
			assert.True(t, ok, "nobody was let through")
			_, ok = start(t).handler.CountMore(t.Context(), 1000)
			assert.True(t, ok, "there is no limit")
		})
	}
}
