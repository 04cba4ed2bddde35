package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBatch is how many messages an HTTP request may have, where the protocol allows several.
const maxBatch = 100

// requestKey is the key of the context of an HTTP request, in the context of its calls.
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
	select {
	case h.serving <- struct{}{}:
		defer func() { <-h.serving }()
	default:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "Too many requests at once")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.server.opts.Timeout)
	defer cancel()
	body, err := h.body(w, r)
	if err != nil {
		status, detail := http.StatusBadRequest, "Request was not read"
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status, detail = http.StatusRequestEntityTooLarge, "Request is too large"
		}
		refuse(w, status, detail)
		return
	}
	if crowded(body) {
		refuse(w, http.StatusBadRequest, "Too many messages in one request")
		return
	}
	r = r.WithContext(context.WithValue(ctx, requestKey{}, ctx))
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.next.ServeHTTP(w, r)
}

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

// crowded reports whether a body is a batch of too many messages.
func crowded(body []byte) bool {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return false // the SDK says what is wrong
	}
	for n := 0; dec.More(); n++ {
		var message json.RawMessage
		if n == maxBatch {
			return true
		}
		if dec.Decode(&message) != nil {
			return false
		}
	}
	return false
}

// refuse answers an error.
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail})
}
