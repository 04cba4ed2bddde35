// Package backend opens what a command works on: a store of sessions, an index of
// long-term memory, and a store of tokens, by URLs. See Place for these.
//
//	Config.Store ──► sessions, tokens
//	Config.Index ──► long-term memory; "": where the sessions are
//
// Redis keeps no long-term memory: it is in sqlite:wmem.db then, if nothing else is said.
package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Config says what to open.
type Config struct {
	// Store is the place of sessions and tokens. "" means DefaultStore.
	Store string
	// Index is the place of long-term memory. "" means the place of the sessions, or
	// DefaultStore if that cannot keep memories.
	Index string
	// Logger is told of what fails in the background. nil means nobody is.
	Logger *slog.Logger
}

// Places returns the places of sessions and of long-term memory. Errors: ErrURL, which says
// which of the two it is about.
func (c Config) Places() (store, index Place, err error) {
	if c.Store == "" {
		c.Store = DefaultStore
	}
	if store, err = ParsePlace(c.Store); err != nil {
		return store, index, fmt.Errorf("store: %w", err)
	}
	switch {
	case c.Index == "" && store.KeepsMemories():
		return store, store, nil
	case c.Index == "":
		c.Index = DefaultStore
	}
	if index, err = ParsePlace(c.Index); err != nil {
		return store, index, fmt.Errorf("index: %w", err)
	}
	if !index.KeepsMemories() {
		return store, index, fmt.Errorf("index: %w: Redis keeps no long-term memory", ErrURL)
	}
	return store, index, nil
}

// Backend is what was opened. It is safe for concurrent use.
type Backend struct {
	Sessions sessiondriver.Store
	Index    longtermdriver.Index
	Tokens   auth.TokenStore
	// Store and Memories say where they are.
	Store, Memories Place

	opened []opened
}

// opened is a place that was opened.
type opened struct {
	place    Place
	sessions sessiondriver.Store
	index    longtermdriver.Index // nil: there is none
	tokens   auth.TokenStore
	close    io.Closer
}

// Open opens both places, one that is both once. Errors: ErrURL, and those of the stores, in
// words without secrets.
func Open(ctx context.Context, c Config) (*Backend, error) {
	store, index, err := c.Places()
	if err != nil {
		return nil, err
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	b := &Backend{Store: store, Memories: index}
	places := []Place{store}
	if index != store {
		places = append(places, index)
	}
	for _, p := range places {
		o, err := open(ctx, p, c.Logger)
		if err != nil {
			return nil, errors.Join(&openError{place: p, err: err}, b.Close())
		}
		b.opened = append(b.opened, o)
	}
	b.Sessions, b.Tokens = b.opened[0].sessions, b.opened[0].tokens
	b.Index = b.opened[len(b.opened)-1].index
	return b, nil
}

// Ping asks whether all that was opened answers.
func (b *Backend) Ping(ctx context.Context) error {
	for _, o := range b.opened {
		// What was due then costs least to find out.
		if _, err := o.sessions.Due(ctx, time.Unix(0, 0), 1); err != nil {
			return &openError{place: o.place, err: err}
		}
	}
	return nil
}

// Close closes what was opened, last first. What works on it is to be closed before.
func (b *Backend) Close() error {
	var errs []error
	for i := len(b.opened) - 1; i >= 0; i-- {
		if err := b.opened[i].close.Close(); err != nil {
			errs = append(errs, &openError{place: b.opened[i].place, err: err})
		}
	}
	return errors.Join(errs...)
}
