package web

import (
	"net"
	"sync"
)

// DefaultConnections limits the connections at once.
const DefaultConnections = 20_000

// Limit returns a listener that accepts at most n connections at once, at least 1. Further
// connections wait in the system's queue.
func Limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, open: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	open   chan struct{} // holds a value for each connection
	once   sync.Once
	closed chan struct{}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &counted{Conn: conn, done: func() { <-l.open }}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// counted is a connection that frees its place when it is closed.
type counted struct {
	net.Conn
	once sync.Once
	done func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.done)
	return err
}
