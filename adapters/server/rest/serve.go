package rest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// lingering is how long the rest of a refused body is read, so that a client that is still
// sending gets to read the answer. net/http reads at most 256 KB of it and then closes the
// connection.
const lingering = time.Second

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.observe(w, r, h.dispatch) }

// Observed returns a handler that serves next like the routes of h: Options.Logger and
// Options.Observe receive each request under the name route, the answer has an X-Request-Id, a
// panic is answered with 500, and a client must send its body and read a large answer within
// Options.BodyTimeout. What next reads from stores counts against Options.MaxBodiesBytes, and so
// does what it asks for with driver.ReserveFrom. If next comes from Authenticate or
// AuthenticateOperator, the log has the ids of tokens.
func (h *Handler) Observed(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.observe(w, r, func(a *answer, r *http.Request) {
			a.route = route
			loan := h.memory.Loan()
			defer loan.Return()
			next.ServeHTTP(a, r.WithContext(loan.Context(r.Context())))
			switch {
			case a.status != 0:
			case r.Context().Err() != nil:
				a.status = statusGone
			default:
				a.status = http.StatusOK // the default of net/http
			}
		})
	})
}

// observe serves a request, recovers from panics, and logs the request.
func (h *Handler) observe(w http.ResponseWriter, r *http.Request, serve func(*answer, *http.Request)) {
	a := &answer{
		ResponseWriter: w, control: http.NewResponseController(w), start: time.Now(),
		head: r.Method == http.MethodHead, request: requestID(r.Header),
		patience: h.opts.BodyTimeout, timeout: h.opts.Timeout,
	}
	a.Header().Set("X-Request-Id", a.request)
	defer h.finish(a, r)
	defer h.recover(a)
	serve(a, a.limitReading(r.WithContext(context.WithValue(r.Context(), requestKey{}, a.request))))
}

// requestKey is the key of a request's id in its context.
type requestKey struct{}

// RequestID returns the id of the request of a context, which is in the log and in the
// X-Request-Id of the answer. It returns "" if no Handler serves or observes the request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// dispatch serves a request by its route.
func (h *Handler) dispatch(a *answer, r *http.Request) {
	rt, allowed := h.find(r)
	switch {
	case rt != nil:
		h.handle(a, r, rt)
	case allowed != "":
		refuse(http.StatusMethodNotAllowed, "Method Not Allowed").with("Allow", allowed).write(a)
	default:
		if rt := unlistedRoute(r); rt != nil {
			h.handle(a, r, rt)
			return
		}
		refuse(http.StatusNotFound, "Not Found").write(a)
	}
}

// handle serves a route.
func (h *Handler) handle(a *answer, r *http.Request, rt *route) {
	a.route = rt.pattern
	ctx, cancel := context.WithTimeout(r.Context(), h.opts.Timeout)
	defer cancel()
	c := &call{handler: h, route: rt, answer: a, request: r, loan: h.memory.Loan()}
	defer c.loan.Return()
	if err := c.serve(ctx); err != nil {
		refused := refusalOf(err, rt, r.Context().Err() != nil)
		a.cause, a.status = refused.cause, cmp.Or(refused.logged, refused.status)
		refused.write(a)
	}
}

// serve authorizes a request, reads its query, and runs the route.
func (c *call) serve(ctx context.Context) error {
	r := c.request.WithContext(ctx)
	if !c.route.probe {
		token, err := c.handler.admit(r, c.route.class)
		if err != nil {
			return err
		}
		c.tenant, c.answer.token = service.Tenant(token.Tenant), token.ID
		ctx = c.handler.authenticated(r, token)
	}
	values, err := queryOf(r.URL)
	if err != nil {
		return err
	}
	c.query = wire.NewQuery(values)
	return c.route.serve(c.loan.Context(ctx), c)
}

// queryOf parses the query strictly: a malformed parameter must not count as a missing one,
// which could mean everything.
func queryOf(u *url.URL) (url.Values, error) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, invalid(wire.Field("query_malformed", "Query could not be read", nil, "query"))
	}
	for name, all := range values {
		for _, v := range all {
			if !utf8.ValidString(name) || !utf8.ValidString(v) {
				return nil, invalid(wire.Field("string_unicode", "Query is not valid UTF-8", nil, "query"))
			}
		}
	}
	return values, nil
}

// recover answers with 500 if a route panicked. Of the panic value, which may have contents, only
// the type is logged, except for errors of the runtime.
func (h *Handler) recover(a *answer) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	a.cause = fmt.Sprintf("panic: %T", p)
	if err, ok := p.(runtime.Error); ok {
		a.cause = "panic: " + err.Error()
	}
	h.opts.Logger.Error("rest: panic", "request_id", a.request, "route", a.route, "panic", a.cause, "stack", string(debug.Stack()))
	if a.status == 0 {
		refuse(http.StatusInternalServerError, internal).write(a)
		return
	}
	a.status = http.StatusInternalServerError
}

// finish logs the request.
func (h *Handler) finish(a *answer, r *http.Request) {
	if r.ContentLength != 0 && !a.whole {
		a.readUntil(time.Now().Add(lingering))
	}
	o := Observation{
		Method: methodOf(r.Method), Route: a.route, Status: a.status,
		Duration: time.Since(a.start), BytesIn: a.in, BytesOut: a.out,
	}
	attrs := []slog.Attr{
		slog.String("method", o.Method), slog.String("route", o.Route), slog.Int("status", o.Status),
		slog.Duration("duration", o.Duration), slog.Int64("bytes_in", o.BytesIn), slog.Int64("bytes_out", o.BytesOut),
		slog.String("client", h.clientOf(r)), slog.String("request_id", a.request),
	}
	if a.token != "" {
		attrs = append(attrs, slog.String("token", a.token))
	}
	level := slog.LevelInfo
	if a.cause != "" {
		attrs, level = append(attrs, slog.String("error", a.cause)), slog.LevelError
	}
	h.opts.Logger.LogAttrs(r.Context(), level, "rest: request", attrs...)
	if h.opts.Observe != nil {
		h.opts.Observe(o)
	}
}

// methodOf returns a method of HTTP or OTHER, to bound the number of metrics.
func methodOf(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE":
		return method
	}
	return "OTHER"
}

// requestID returns the client's X-Request-Id if it is safe to log, or else a new id.
func requestID(header http.Header) string {
	id := header.Get("X-Request-Id")
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	}
	if id == "" || len(id) > 128 || strings.ContainsFunc(id, odd) {
		return rand.Text()
	}
	return id
}
