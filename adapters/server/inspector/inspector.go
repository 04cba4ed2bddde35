package inspector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Path is where a Handler serves its pages: at Path and below.
const Path = "/inspect"

// Options configures a Handler. The zero value is useful, but requires no tokens: use it only where
// no other program can reach the server.
type Options struct {
	// Memory is the long-term memory. If nil, there is no page for it.
	Memory *longterm.Memory
	// Views are the summary views of Memory. If nil, there is no page for them.
	Views *summaryview.Views
	// Recording has the Journal whose calls are shown, and configures blocks, as for the handlers
	// that record calls. If nil, or without a Journal, the inspector shows messages and the present
	// block.
	Recording *middleware.SessionsOptions
	// Extractor explains what was found in results. It should have the rules of Recording.Extractor. If nil, it
	// has none.
	Extractor *extractor.EntityExtractor
	// Authenticate returns a handler that passes requests to next if the token in their
	// Authorization header is valid, and others to refused, with the status of the refusal.
	// rest.Handler.AuthenticateOr fits. People log in with a token, which a cookie then holds. If
	// nil, no token is required.
	Authenticate func(next http.Handler, refused func(w http.ResponseWriter, r *http.Request, status int, detail string)) http.Handler
	// Tenant returns the tenant whose sessions and memories the request of a context may see. If
	// nil, all may be seen.
	Tenant func(ctx context.Context) (auth.Tenant, error)
	// Logger receives failures, never contents. If nil, nothing is logged.
	Logger *slog.Logger
}

// Handler serves the pages. It is safe for concurrent use.
type Handler struct {
	opts          Options
	source        source
	service       *service.Service // nil for recordings
	authenticated http.Handler     // nil without tokens
	origins       *http.CrossOriginProtection
}

// New returns a handler that shows the sessions of a manager, which the caller closes. If opts is nil,
// the defaults apply.
func New(sessions *session.Manager, opts *Options) (*Handler, error) {
	h := newHandler(opts)
	var err error
	h.service, err = service.New(sessions, &service.Options{Memory: h.opts.Memory, Views: h.opts.Views, Recording: h.opts.Recording, Logger: h.opts.Logger})
	if err != nil {
		return nil, fmt.Errorf("inspector: %w", err)
	}
	x := h.opts.Extractor
	if x == nil {
		x = extractor.Default(middleware.LimitsFor(h.service.BlockOptions()))
	}
	h.source = &live{service: h.service, extractor: x}
	return h, nil
}

// ForRecordings returns a handler that shows recorded episodes to everyone who reaches it.
func ForRecordings(recordings []Recording, logger *slog.Logger) *Handler {
	h := newHandler(&Options{Logger: logger})
	h.source = newTraces(recordings)
	return h
}

func newHandler(opts *Options) *Handler {
	h := &Handler{origins: http.NewCrossOriginProtection()}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Tenant == nil {
		h.opts.Tenant = func(context.Context) (auth.Tenant, error) { return auth.Tenant{}, nil }
	}
	if h.opts.Logger == nil {
		h.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if h.opts.Authenticate != nil {
		h.authenticated = h.opts.Authenticate(http.HandlerFunc(h.admitted), h.refused)
	}
	return h
}

// policy allows the files of this package and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	path := strings.TrimPrefix(r.URL.Path, Path)
	switch {
	case h.origins.Check(r) != nil:
		h.refused(w, r, http.StatusForbidden, "The request comes from a page of another origin.")
	case serveAsset(w, r, path):
	case path == "/logout" && r.Method == http.MethodPost:
		h.logOut(w, r)
	case h.authenticated != nil:
		h.authenticated.ServeHTTP(w, withToken(w, r))
	default:
		h.admitted(w, r)
	}
}

// admitted serves a request whose token is valid.
func (h *Handler) admitted(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, Path), "/")
	if path == "/login" && h.authenticated != nil {
		h.logIn(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refused(w, r, http.StatusMethodNotAllowed, "This page can only be read.")
		return
	}
	pages := map[string]func(*visit) (page, error){"": (*visit).list, "/run": (*visit).run, "/text": (*visit).text}
	if h.service != nil {
		pages["/result"] = (*visit).result
		if h.opts.Memory != nil {
			pages["/memories"] = (*visit).memories
			if h.opts.Views != nil {
				pages["/summaries"] = (*visit).summaries
			}
		}
	}
	serve, ok := pages[path]
	if !ok {
		h.refused(w, r, http.StatusNotFound, "There is no such page.")
		return
	}
	tenant, err := h.opts.Tenant(r.Context())
	if err != nil {
		h.fail(w, r, err)
		return
	}
	v := &visit{Handler: h, request: r, tenant: tenant, query: r.URL.Query()}
	p, err := serve(v)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.write(w, r, http.StatusOK, p)
}

// fail answers with an error. What the client may not see goes to the logger.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	e, ok := errors.AsType[*service.Error](err)
	switch {
	case r.Context().Err() != nil:
		return // the client has gone
	case errors.Is(err, errNotFound), ok && (e.Kind == service.NotFound || e.Kind == service.Gone):
		detail := "It does not exist, or no longer."
		if ok {
			detail = e.Detail
		}
		h.refused(w, r, http.StatusNotFound, detail)
	case ok && (e.Kind == service.Bad || e.Kind == service.Invalid):
		h.refused(w, r, http.StatusUnprocessableEntity, e.Error())
	case ok && e.Kind == service.Unavailable:
		h.refused(w, r, http.StatusServiceUnavailable, "The store does not answer.")
	default:
		h.opts.Logger.ErrorContext(r.Context(), "inspector: a page failed", "error", fmt.Sprintf("%T", err))
		h.refused(w, r, http.StatusInternalServerError, "The page could not be made. The log of the server may have the reason.")
	}
}
