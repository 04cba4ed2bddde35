package mcpproxy

import (
	"context"
	"sync"
)

// gate holds requests back while initialize is not answered, for connections whose requests run
// beside each other. The zero value is open. It is safe for concurrent use.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // nil, or closed when the gate opens
}

// shut shuts the gate until open is called.
func (g *gate) shut() (open func()) {
	opened := make(chan struct{})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = opened
	return func() { close(opened) }
}

// waiting returns a function that waits until the gate that is shut now opens, or ctx ends.
func (g *gate) waiting() func(ctx context.Context) {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	return func(ctx context.Context) {
		if opened == nil {
			return
		}
		select {
		case <-opened:
		case <-ctx.Done():
		}
	}
}
