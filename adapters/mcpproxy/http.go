package mcpproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// deleteTimeout limits the request that ends a session.
const deleteTimeout = 5 * time.Second

// HTTPOptions configures an HTTP connection. The zero value is useful.
type HTTPOptions struct {
	// Header has additional fields of each request, such as Authorization.
	Header http.Header
	// Client sends the requests. It should not have a timeout, because streams last. If nil, it
	// is http.DefaultClient.
	Client *http.Client
	// Logger receives failures of notifications and streams, never contents. If nil, nothing is
	// logged.
	Logger *slog.Logger
}

// HTTP is a connection to a server with the streamable HTTP transport, in the versions of the
// protocol up to 2025-11-25: server/discover, which asks for a later one, is refused, so that
// clients use initialize. Line breaks in a message become spaces. A message
// has at most 64 MiB; a longer one of the client is dropped.
type HTTP struct {
	url    string
	opts   HTTPOptions
	ctx    context.Context // of all requests
	stop   context.CancelFunc
	work   sync.WaitGroup
	got    chan Packet
	closed chan struct{} // by CloseSend
	close  sync.Once
	failed chan error // receives the error that ends the connection

	initialize gate

	mu               sync.Mutex
	session, version string // of the protocol; "" before initialize is answered
}

var _ Conn = (*HTTP)(nil)

// NewHTTP returns a connection to the server at a URL. It sends nothing by itself. Nil options mean
// the defaults.
func NewHTTP(url string, opts *HTTPOptions) *HTTP {
	h := &HTTP{url: url, got: make(chan Packet), closed: make(chan struct{}), failed: make(chan error, 1)}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Client == nil {
		h.opts.Client = http.DefaultClient
	}
	if h.opts.Logger == nil {
		h.opts.Logger = slog.New(slog.DiscardHandler)
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Receive implements Conn.
func (h *HTTP) Receive(ctx context.Context) (Packet, error) {
	select {
	case p := <-h.got:
		return p, nil
	case err := <-h.failed:
		return Packet{}, err
	case <-h.closed:
		return Packet{}, io.EOF
	case <-ctx.Done():
		return Packet{}, ctx.Err()
	}
}

// Send implements Conn. It waits until the server has accepted a notification or an answer; requests
// run beside each other, and their failures are answers. The error is nil.
func (h *HTTP) Send(ctx context.Context, p Packet) error {
	text, err := p.whole()
	if err != nil {
		h.opts.Logger.WarnContext(ctx, "mcpproxy: a message of the client is dropped", slog.Any("error", err))
		return nil
	}
	m, ok := parse(text)
	switch {
	case ok && m.method == methodDiscover:
		h.work.Go(func() { h.deliver(errorFor(&m, codeMethodNotFound, "Method not found")) })
	case ok && m.isRequest():
		wait, open := h.initialize.waiting(), func() {}
		if m.method == methodInitialize {
			open = h.initialize.shut()
		}
		h.work.Go(func() {
			defer open()
			wait(h.ctx)
			if err := h.request(&m); err != nil {
				h.deliver(errorFor(&m, codeInternalError, err.Error()))
			}
		})
	default:
		h.initialize.waiting()(h.ctx)
		h.notify(ctx, text, ok && m.method == "notifications/initialized")
	}
	return nil
}

// notify sends a message that has no answer.
func (h *HTTP) notify(ctx context.Context, text []byte, listen bool) {
	answer, err := h.do(h.ctx, http.MethodPost, text, "")
	if err == nil {
		_ = answer.Body.Close()
		err = statusError(answer)
	}
	if err != nil {
		h.opts.Logger.WarnContext(ctx, "mcpproxy: the server did not accept a message", slog.Any("error", err))
		return
	}
	if listen {
		h.work.Go(h.listen)
	}
}

// errNoAnswer is the failure of a request whose stream ended without an answer.
var errNoAnswer = errors.New("the server ended its stream without an answer")

// request sends a request and delivers its answer, and the messages before it.
func (h *HTTP) request(m *message) error {
	answer, err := h.do(h.ctx, http.MethodPost, m.text, "")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	refused := statusError(answer)
	if refused == nil && m.method == methodInitialize {
		h.setSession(answer.Header.Get("Mcp-Session-Id"))
	}
	if refused == nil && isEventStream(answer) {
		return h.follow(answer.Body, m)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxWhole+1))
	switch {
	case err == nil && len(text) <= maxWhole && h.received(text, m):
		return nil
	case refused == nil:
		return cmp.Or(err, errNoAnswer)
	case answer.StatusCode == http.StatusNotFound && h.sessionID() != "":
		h.fail(fmt.Errorf("mcpproxy: the server ended the session: %w", refused)) // the client begins a new one
	}
	return refused
}

func (h *HTTP) deliver(text []byte) {
	select {
	case h.got <- Packet{Text: text}:
	case <-h.ctx.Done():
	}
}

func (h *HTTP) fail(err error) {
	select {
	case h.failed <- err:
	default:
	}
}

func (h *HTTP) setSession(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session = id
}

func (h *HTTP) sessionID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// CloseSend implements Conn. It ends all requests.
func (h *HTTP) CloseSend() error {
	h.close.Do(func() {
		h.stop()
		close(h.closed)
	})
	return nil
}

// Close implements Conn. It ends the server's session.
func (h *HTTP) Close() error {
	_ = h.CloseSend()
	h.work.Wait()
	if h.sessionID() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if answer, err := h.do(ctx, http.MethodDelete, nil, ""); err == nil {
		_ = answer.Body.Close()
	}
	h.setSession("")
	return nil
}
