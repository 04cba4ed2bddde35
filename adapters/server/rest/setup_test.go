package rest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func newClock() *conformance.Clock {
	return conformance.NewClock(time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC))
}

// server is a handler with its own stores.
type server struct {
	t       testing.TB
	handler *rest.Handler
	clock   *conformance.Clock
	tokens  *auth.MemoryTokenStore
}

// option configures a server.
type option func(*setup)

type setup struct {
	rest     rest.Options
	store    driver.Store
	longTerm bool
	embedder longterm.Embedder
	tokens   bool
}

func withLongTerm(s *setup) { s.longTerm = true }
func withTokens(s *setup)   { s.tokens = true }

func with(change func(*rest.Options)) option { return func(s *setup) { change(&s.rest) } }

func start(t testing.TB, opts ...option) *server {
	t.Helper()
	s := &server{t: t, clock: newClock(), tokens: auth.NewMemoryTokenStore()}
	made := setup{store: memstore.New(&memstore.Options{Now: s.clock.Now})}
	made.rest.Now = s.clock.Now
	for _, o := range opts {
		o(&made)
	}
	if made.longTerm {
		memory, err := longterm.New(memindex.New(nil), &longterm.Options{Now: s.clock.Now, Embedder: made.embedder})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, memory.Close(context.Background())) })
		made.rest.Memory = memory
		made.rest.Views, err = summaryview.New(memory, new(summaryview.MemoryDocuments), &summaryview.Options{Now: s.clock.Now})
		require.NoError(t, err)
	}
	if made.tokens {
		made.rest.Verifier = auth.NewVerifier(s.tokens, &auth.VerifierOptions{Now: s.clock.Now})
	}
	manager, err := session.NewManager(made.store, &session.Options{Now: s.clock.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, manager.Close(context.Background())) })
	s.handler, err = rest.New(manager, &made.rest)
	require.NoError(t, err)
	return s
}

// token creates a token for a tenant, which may be the zero one.
func (s *server) token(tenant auth.Tenant, ttl time.Duration) (text, id string) {
	s.t.Helper()
	text, token, err := auth.Create(context.Background(), s.tokens, auth.CreateOptions{
		Tenant: tenant, Unbound: tenant == auth.Tenant{}, TTL: ttl, Now: s.clock.Now,
	})
	require.NoError(s.t, err)
	return text, token.ID
}

// reply is an answer with checks.
type reply struct {
	*httptest.ResponseRecorder
	t testing.TB
}

// do sends a request; headers are "Name: value".
func (s *server) do(method, target, body string, headers ...string) reply {
	s.t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	return s.send(httptest.NewRequest(method, target, content), headers...)
}

func (s *server) send(r *http.Request, headers ...string) reply {
	s.t.Helper()
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return reply{w, s.t}
}

// is checks the status and returns the JSON body.
func (r reply) is(status int) map[string]any {
	r.t.Helper()
	require.Equal(r.t, status, r.Code, "%s", r.Body)
	require.Equal(r.t, "application/json", r.Header().Get("Content-Type"))
	var body map[string]any
	require.NoError(r.t, json.Unmarshal(r.Body.Bytes(), &body), "%s", r.Body)
	return body
}

// fails checks an error whose detail is a text.
func (r reply) fails(status int, detail string) {
	r.t.Helper()
	require.Equal(r.t, map[string]any{"detail": detail}, r.is(status))
}

// invalid checks a 422 and returns the place and kind of the first mistake.
func (r reply) invalid() (loc []any, kind string) {
	r.t.Helper()
	list, ok := r.is(http.StatusUnprocessableEntity)["detail"].([]any)
	require.True(r.t, ok, "%s", r.Body)
	require.NotEmpty(r.t, list)
	first, ok := list[0].(map[string]any)
	require.True(r.t, ok)
	loc, _ = first["loc"].([]any)
	kind, _ = first["type"].(string)
	return loc, kind
}

const oneMessage = `{"messages":[{"role":"user","content":"hello","created_at":"2026-01-02T15:04:05Z"}]}`
