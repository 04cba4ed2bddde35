package session

import (
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// WriteOptions are what a write may bring beside what it writes. nil means none.
type WriteOptions struct {
	// TTL is how long the session lives from now; a fraction of a millisecond
	// counts as a whole one. 0 means Options.TTL, or else that a running expiry
	// stays as it is. NoExpiry takes it away.
	TTL time.Duration
	// Window is the context window of the model, in tokens; 0 means that of Model.
	// It is kept with the session and counts until another one is given.
	Window int
	// Model is the name of the model that the conversation is with, for its window.
	Model string
}

// carried is what a write carries beside what it writes.
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

// lifetime is the TTL that a session is said to have.
func lifetime(ttl time.Duration) time.Duration { return max(ttl, 0) }

// windowOf is the context window of a model, 0 if it is not known.
func (m *Manager) windowOf(model string) int { return windowIn(m.opts.Models, model) }
