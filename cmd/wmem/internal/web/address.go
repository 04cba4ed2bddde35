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

// Listen listens on an address, with a port; port 0 takes a free one. A name is looked up
// once, and what it stands for is listened on. Unless public is set, it must be this machine
// alone: ErrPublic, before anything can be reached.
func Listen(ctx context.Context, address string, public bool) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
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
