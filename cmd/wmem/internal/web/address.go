// Package web runs a handler on a socket: where it may listen, what it asks of requests before
// a handler sees them, and how it stops.
package web

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// ErrPublic says that others than this machine could reach the address.
var ErrPublic = errors.New("others than this machine could reach it")

// ErrAddress says that a text is no address with a port.
var ErrAddress = errors.New("a host and a port are expected, such as 127.0.0.1:8000, or :8000")

// Listen listens on an address, with a port; port 0 takes a free one. A name is looked up
// once, and what it stands for is listened on. Unless public is set, it must be this machine
// alone: ErrPublic, before anything can be reached. A text that is no such address is
// ErrAddress.
func Listen(ctx context.Context, address string, public bool) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if bad, ok := errors.AsType[*net.AddrError](err); ok {
		return nil, fmt.Errorf("%q: %s: %w", address, bad.Err, ErrAddress)
	} else if err != nil {
		return nil, err
	}
	if !public && !resolved.IP.IsLoopback() {
		return nil, fmt.Errorf("%s: %w", address, ErrPublic)
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", resolved.String())
}

// IsLoopback reports whether an address is of this machine alone.
func IsLoopback(address string) bool {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	return err == nil && resolved.IP.IsLoopback()
}
