package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/engine"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/metrics"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/web"
)

// newHandler returns the handler of all routes:
//
//	Guard ──┬── /mcp      ── log ── token ──► mcpserver
//	        ├── /inspect  ── log ── token, or cookie with one ──► inspector
//	        ├── /metrics  ── log ── operator's token ──► metrics
//	        └── the rest  ──► rest
func newHandler(ctx context.Context, s *config.Settings, e *engine.Engine, counts *metrics.Metrics, logger *slog.Logger) (http.Handler, error) {
	verifier, err := newVerifier(ctx, s, e, logger)
	if err != nil {
		return nil, err
	}
	api, err := rest.New(e.Sessions, &rest.Options{
		Memory: e.Memory, Promoter: e.Promoter, Views: e.Views, Recording: e.Recording, Verifier: verifier,
		Rate: s.Rate, Burst: s.Burst, TrustedProxies: s.TrustedProxies, MaxBodyBytes: s.MaxBody, MaxBodiesBytes: s.RequestMemory,
		Observe: counts.Observe, Logger: logger,
	})
	if err != nil {
		return nil, err
	}
	beside := map[string]http.Handler{"/metrics": api.Observed("/metrics", api.AuthenticateOperator(counts.Handler()))}
	local := verifier == nil && !s.InsecurePublic
	if s.MCP {
		tools, err := newMCPServer(e, logger, &mcpserver.Options{
			Tenant: requestTenant, Count: api.CountMore, AnyHost: !local, Observe: counts.ObserveMCP, Tools: s.Tools,
		})
		if err != nil {
			return nil, err
		}
		beside["/mcp"] = api.Observed("/mcp", api.Authenticate(tools.HTTPHandler()))
	}
	pages, err := newInspector(e, api, verifier != nil, logger)
	if err != nil {
		return nil, err
	}
	// Not a ServeMux, which would redirect unclean paths before the API sees them.
	all := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if other, ok := beside[strings.TrimSuffix(r.URL.Path, "/")]; ok {
			other.ServeHTTP(w, r)
			return
		}
		if r.URL.Path == inspector.Path || strings.HasPrefix(r.URL.Path, inspector.Path+"/") {
			pages.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
	return web.Recover(counts.Track(web.Guard(all, local, counts.Refused)), logger), nil
}

// newInspector returns the handler of the pages that show sessions.
func newInspector(e *engine.Engine, api *rest.Handler, tokens bool, logger *slog.Logger) (http.Handler, error) {
	opts := &inspector.Options{Memory: e.Memory, Views: e.Views, Recording: e.Recording, Extractor: e.Extractor, Logger: logger}
	if tokens {
		opts.Authenticate, opts.Tenant = api.AuthenticateOr, requestTenant
	}
	pages, err := inspector.New(e.Sessions, opts)
	if err != nil || tokens {
		return api.Observed(inspector.Path, pages), err
	}
	return api.Observed(inspector.Path, api.Authenticate(pages)), nil // counted by address
}

// requestTenant returns the tenant of a request's token, whose memory an MCP call may use.
func requestTenant(ctx context.Context) (auth.Tenant, error) {
	tenant, ok := rest.TenantFrom(ctx)
	if !ok {
		return tenant, errors.New("the request is not authenticated")
	}
	return tenant, nil
}

// newVerifier returns the verifier of tokens, or nil if no token is required.
func newVerifier(ctx context.Context, s *config.Settings, e *engine.Engine, logger *slog.Logger) (*auth.Verifier, error) {
	if s.Auth != "token" {
		return nil, nil
	}
	if e.Backend.Store.Volatile() {
		return nil, usagef("--auth token needs a persistent --store, in which wmem token can create tokens, not %s", e.Backend.Store)
	}
	tokens, err := e.Backend.Tokens.List(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(tokens) == 0:
		logger.Warn("there are no tokens, so all requests are refused: create one with wmem token create")
	}
	if s.TLSCert == "" && !web.IsLoopback(s.Listen) {
		logger.Warn("tokens are sent over plain HTTP: put a TLS proxy in front, or use --tls-cert and --tls-key")
	}
	return auth.NewVerifier(e.Backend.Tokens, nil), nil
}
