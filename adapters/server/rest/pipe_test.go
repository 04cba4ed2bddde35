package rest_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// pipes are in-memory connections of a server, so that waiting on them takes the time of synctest
// and not that of the machine.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	close    func()
}

// piped serves a handler until the end of the test, which must run in a synctest bubble.
func piped(t *testing.T, h http.Handler) *pipes {
	t.Helper()
	closed := make(chan struct{})
	p := &pipes{accepted: make(chan net.Conn), closed: closed, close: sync.OnceFunc(func() { close(closed) })}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(p) }()
	t.Cleanup(func() {
		_ = server.Close()
		synctest.Wait()
	})
	return p
}

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.accepted <- theirs
	return ours
}

// client returns an HTTP client over such connections, for any host.
func (p *pipes) client(t *testing.T) *http.Client {
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial(), nil }}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error { p.close(); return nil }

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "in memory", Net: "pipe"} }
