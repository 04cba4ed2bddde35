package rest_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// pipes are the connections of a server that are in memory, so that what waits on them waits in
// the time of synctest: no slow machine is taken for a slow client.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	close    func()
}

// piped serves a handler until the test ends, which must be one of synctest.
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

// client is of HTTP over such connections, to any host.
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
