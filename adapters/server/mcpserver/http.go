package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBatch is how many messages an HTTP request may have, where the protocol allows several.
const maxBatch = 100

// requestKey is the key of a request, in the context of its calls.
type requestKey struct{}

// HTTPHandler serves MCP over streamable HTTP. It holds nothing between two requests: each
// stands for itself, with the values of its own context, so that what one client may do never
// serves another. So there are no MCP sessions, which could be stolen or pile up, and GET and
// DELETE are answered with 405. Requests of web pages of other origins are refused, and on a
// loopback address those that name another host, see Options.AnyHost.
func (s *Server) HTTPHandler() http.Handler {
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: s.opts.MaxBodyBytes,
		DisableLocalhostProtection: s.opts.AnyHost, PropagateRequestCancellation: true,
	})
	h := &httpHandler{server: s, next: streamable, serving: make(chan struct{}, s.opts.MaxCalls)}
	return http.NewCrossOriginProtection().Handler(h)
}

// httpHandler bounds what a request takes, before the SDK reads it.
type httpHandler struct {
	server  *Server
	next    http.Handler
	serving chan struct{} // holds a value for each request that is served
}

// ServeHTTP implements http.Handler.
func (h *httpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	until := time.Now().Add(h.server.opts.Timeout)
	select {
	case h.serving <- struct{}{}:
		defer func() { <-h.serving }()
	default:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "Too many requests at once")
		return
	}
	body, err := h.body(w, r)
	if err != nil {
		status, detail := http.StatusBadRequest, "Request was not read"
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status, detail = http.StatusRequestEntityTooLarge, "Request is too large"
		}
		refuse(w, status, detail)
		return
	}
	switch n := messagesIn(body); {
	case n > maxBatch:
		refuse(w, http.StatusBadRequest, "Too many messages in one request")
	case n > 1 && !h.counted(w, r, n-1):
	default:
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.serve(w, r, until)
	}
}

// counted counts messages, or refuses the request.
func (h *httpHandler) counted(w http.ResponseWriter, r *http.Request, n int) bool {
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

// answering is how long it may take to write the answer of a call whose time is over.
const answering = 5 * time.Second

// request is the HTTP request that brought a call.
type request struct {
	ctx   context.Context // ends when the client leaves
	until time.Time       // the time of its calls
}

// serve has the SDK serve a request, a little longer than its calls may take, so that they can say
// that they took too long: a request whose context has ended the SDK leaves without an answer.
func (h *httpHandler) serve(w http.ResponseWriter, r *http.Request, until time.Time) {
	ctx, cancel := context.WithDeadline(context.WithValue(r.Context(), requestKey{}, request{r.Context(), until}), until.Add(answering))
	defer cancel()
	seen := &seenWriter{ResponseWriter: w}
	h.next.ServeHTTP(seen, r.WithContext(ctx))
	if !seen.answered && r.Context().Err() == nil {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "Request took too long")
	}
}

// seenWriter sees whether there is an answer.
type seenWriter struct {
	http.ResponseWriter
	answered bool
}

// WriteHeader implements http.ResponseWriter.
func (w *seenWriter) WriteHeader(status int) {
	w.answered = true
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *seenWriter) Write(p []byte) (int, error) {
	w.answered = true
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *seenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// body reads a request, not too much of it, and not for too long.
func (h *httpHandler) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := h.server.opts.MaxBodyBytes
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	// Not every ResponseWriter has deadlines; those of net/http do.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(h.server.opts.BodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	_ = rc.SetReadDeadline(time.Time{})
	return body, err
}

// messagesIn returns how many messages a body has, no more than one beyond maxBatch. What is wrong
// with it the SDK says.
func messagesIn(body []byte) int {
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

// refuse answers an error.
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail})
}
