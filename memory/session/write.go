package session

import (
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// WriteOptions are the options of a write. If nil, the defaults apply.
type WriteOptions struct {
	// TTL is the time to live from now, rounded up to a millisecond. 0 means Options.TTL
	// or, without that, that a running expiry is kept. NoExpiry removes it.
	TTL time.Duration
	// Window is the context window of the model, in tokens, kept until another one is
	// given. 0 means that of Model.
	Window int
	// Model is the name of the model of the conversation. It determines the window.
	Model string
}

// carried holds the validated WriteOptions.
type carried struct {
	ttl    time.Duration
	window int64
}

func (m *Manager) carried(opts *WriteOptions) (carried, error) {
	c := carried{ttl: m.opts.TTL}
	if opts == nil {
		return c, nil
	}
	if _, err := driver.TTLMillis(opts.TTL); err != nil {
		return c, err
	}
	switch {
	case opts.Window < 0:
		return c, fmt.Errorf("session: negative window")
	case opts.TTL != 0:
		c.ttl = opts.TTL
	}
	c.window = int64(opts.Window)
	if c.window == 0 && opts.Model != "" {
		c.window = int64(m.windowOf(opts.Model))
	}
	return c, nil
}

// lifetime returns the TTL to record in a session.
func lifetime(ttl time.Duration) time.Duration { return max(ttl, 0) }

// windowOf returns the context window of a model, 0 if it is not known.
func (m *Manager) windowOf(model string) int { return windowIn(m.opts.Models, model) }
