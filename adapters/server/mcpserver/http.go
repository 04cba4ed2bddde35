package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// maxBatch limits the messages of an HTTP request or line, in versions of the protocol that allow
// several.
const maxBatch = 100

// requestKey is the context key of the request that brought a call.
type requestKey struct{}

// HTTPHandler returns a handler that serves MCP over streamable HTTP. It is stateless: each
// request is authorised by the values of its own context, and the id of an MCP session only names
// the client's own session, so GET and DELETE are answered with 405. Requests from web pages of
// other origins are refused, and so are requests on a loopback address that name another host
// (see Options.AnyHost).
//
// The memory of a request counts against that of all requests: of rest.Handler.Observed, if that
// is around this handler, else of this one, by Options.MaxCalls and Options.MaxBodyBytes. A
// request that does not fit is answered with 503 or 413, and a call whose reads or result do not
// fit fails.
func (s *Server) HTTPHandler() http.Handler {
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: s.opts.MaxBodyBytes,
		DisableLocalhostProtection: s.opts.AnyHost, PropagateRequestCancellation: true,
	})
	memory := int64(max(s.opts.MaxCalls, minRequests)) * (s.opts.MaxBodyBytes + requestBytes)
	h := &httpHandler{server: s, next: streamable, memory: service.NewBudget(memory)}
	return http.NewCrossOriginProtection().Handler(h)
}

// httpHandler enforces the limits on requests before the SDK reads them.
type httpHandler struct {
	server *Server
	next   http.Handler
	memory *service.Budget
}

// ServeHTTP implements http.Handler.
func (h *httpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	until := time.Now().Add(h.server.opts.Timeout)
	if driver.ReserveFrom(r.Context()) == nil {
		loan := h.memory.Loan()
		defer loan.Return()
		r = r.WithContext(loan.Context(r.Context()))
	}
	if r.Method != http.MethodPost {
		h.next.ServeHTTP(w, r) // answers 405
		return
	}
	body, err := h.readBody(w, r)
	if err != nil {
		refuseBody(w, err)
		return
	}
	switch n := countMessages(body); {
	case n > maxBatch:
		refuse(w, http.StatusBadRequest, "Too many messages in one request")
	case n > 1 && !h.allowBatch(w, r, n-1):
	default:
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.serve(w, r, request{ctx: r.Context(), until: until, session: beginSession(w, r, body)})
	}
}

// allowBatch asks Options.Count for n further messages, and refuses the request if it says no.
func (h *httpHandler) allowBatch(w http.ResponseWriter, r *http.Request, n int) bool {
	wait, ok := h.server.opts.Count(r.Context(), n)
	switch {
	case ok:
	case wait <= 0:
		refuse(w, http.StatusBadRequest, "More messages in one request than may come at once")
	default:
		w.Header().Set("Retry-After", strconv.FormatInt(int64(math.Ceil(wait.Seconds())), 10))
		refuse(w, http.StatusTooManyRequests, "Too many requests")
	}
	return ok
}

// answerGrace is the time to write the answer of a call that has timed out.
const answerGrace = 5 * time.Second

// request is the HTTP request that brought a call.
type request struct {
	ctx     context.Context // ends when the client disconnects
	until   time.Time       // deadline of its calls
	session string          // of calls that name none; empty if there is none
}

// serve lets the SDK serve a request, with a deadline later than that of its calls: once the
// context of a request ends, the SDK sends no answer, not even that a call took too long.
func (h *httpHandler) serve(w http.ResponseWriter, r *http.Request, brought request) {
	ctx, cancel := context.WithDeadline(context.WithValue(r.Context(), requestKey{}, brought), brought.until.Add(answerGrace))
	defer cancel()
	seen := &answerWriter{ResponseWriter: w}
	h.next.ServeHTTP(seen, r.WithContext(ctx))
	if !seen.answered && r.Context().Err() == nil {
		refuseLater(w, "Request took too long")
	}
}

// answerWriter records whether an answer was written.
type answerWriter struct {
	http.ResponseWriter
	answered bool
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	w.answered = true
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(p []byte) (int, error) {
	w.answered = true
	return w.ResponseWriter.Write(p)
}

// Unwrap supports http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// readBody reads a request within the limits on size, time and memory.
func (h *httpHandler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit, reserve := h.server.opts.MaxBodyBytes, driver.ReserveFrom(r.Context())
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	if err := reserve(requestPart, requestBytes); err != nil {
		return nil, err
	}
	// Ignore errors: those of net/http support deadlines, other ResponseWriters may not. A
	// handler around this one may renew the deadline while the client is fast enough.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(h.server.opts.BodyTimeout))
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	in := http.MaxBytesReader(w, r.Body, limit)
	return service.ReadBody(in, limit, func(bytes int64) error { return reserve(bodyPart, bodyFactor*bytes) })
}

// refuseBody answers a request whose body could not be read.
func refuseBody(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*service.Error](err) // of a Reserve
	_, large := errors.AsType[*http.MaxBytesError](err)
	wait, waits := errors.AsType[net.Error](err)
	switch {
	case ok && e.Kind == service.Unavailable:
		refuseLater(w, "Memory for requests is exhausted: try again")
	case ok, large:
		refuse(w, http.StatusRequestEntityTooLarge, "Request is too large")
	case waits && wait.Timeout():
		refuse(w, http.StatusRequestTimeout, "Request took too long")
	default:
		refuse(w, http.StatusBadRequest, "Request could not be read")
	}
}

// refuseLater writes an error of a request that may be repeated.
func refuseLater(w http.ResponseWriter, detail string) {
	w.Header().Set("Retry-After", "1")
	refuse(w, http.StatusServiceUnavailable, detail)
}

// countMessages returns the number of messages in a body, at most maxBatch+1. It leaves mistakes
// to the SDK.
func countMessages(body []byte) int {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		return 1
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return 1
	}
	n := 0
	for n <= maxBatch && dec.More() {
		var message json.RawMessage
		if dec.Decode(&message) != nil {
			break
		}
		n++
	}
	return n
}

// refuse writes an error.
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail})
}
