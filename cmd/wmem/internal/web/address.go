// Package web runs a handler on a socket: it checks the address, guards and limits requests,
// serves TLS, and stops gracefully.
package web

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// ErrPublic is returned for an address that other machines can reach.
var ErrPublic = errors.New("other machines can reach this address")

// ErrAddress is returned for a text that is not an address with a port.
var ErrAddress = errors.New("must be a host and a port, such as 127.0.0.1:8000 or :8000")

// Listen listens on an address with a port; port 0 chooses a free one. A host name is resolved
// once. If public is false and other machines can reach the address, Listen returns ErrPublic
// without listening. It returns ErrAddress for a text that is not an address.
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

// IsLoopback reports whether only this machine can reach an address.
func IsLoopback(address string) bool {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	return err == nil && resolved.IP.IsLoopback()
}
