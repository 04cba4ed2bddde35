// Package backend opens the stores of a command by URL: of sessions, of tokens, of summary views,
// and the index of long-term memory. See Place for the URLs.
//
//	Config.Store ──► sessions, tokens, summary views
//	Config.Index ──► long-term memory; by default, the place of the sessions
//
// Redis has no index: with sessions in Redis, long-term memory is in sqlite:wmem.db by default.
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
	viewdriver "github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Config configures Open.
type Config struct {
	// Store is the place of sessions, tokens and summary views. If empty, it is DefaultStore.
	Store string
	// Index is the place of long-term memory. If empty, it is the place of the sessions, or
	// DefaultStore if that has no index.
	Index string
	// Logger receives failures in the background. If nil, nothing is logged.
	Logger *slog.Logger
}

// Places returns the places of sessions and of long-term memory. An ErrURL names the one that is
// wrong.
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
		return store, index, fmt.Errorf("index: %w: long-term memory cannot be stored in Redis", ErrURL)
	}
	return store, index, nil
}

// Backend has the opened stores. They are safe for concurrent use.
type Backend struct {
	Sessions sessiondriver.Store
	Index    longtermdriver.Index
	Tokens   auth.TokenStore
	// Documents has the summary views, in the place of the sessions, which all processes of a
	// deployment share.
	Documents viewdriver.DocumentStore
	// Store and Memories are the places of sessions and of long-term memory.
	Store, Memories Place

	opened []opened
}

// opened has the stores of one place.
type opened struct {
	place    Place
	sessions sessiondriver.Store
	index    longtermdriver.Index // nil if there is none
	tokens   auth.TokenStore
	views    viewdriver.DocumentStore
	close    io.Closer
}

// Open opens both places, or one if they are the same. It returns ErrURL, or an error of a store
// without secrets.
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
	b.Sessions, b.Tokens, b.Documents = b.opened[0].sessions, b.opened[0].tokens, b.opened[0].views
	b.Index = b.opened[len(b.opened)-1].index
	return b, nil
}

// Ping checks that the stores answer.
func (b *Backend) Ping(ctx context.Context) error {
	for _, o := range b.opened {
		// A cheap query: no session is due at that time.
		if _, err := o.sessions.Due(ctx, time.Unix(0, 0), 1); err != nil {
			return &openError{place: o.place, err: err}
		}
	}
	return nil
}

// Close closes the stores, last opened first. Close their users before.
func (b *Backend) Close() error {
	var errs []error
	for i := len(b.opened) - 1; i >= 0; i-- {
		if err := b.opened[i].close.Close(); err != nil {
			errs = append(errs, &openError{place: b.opened[i].place, err: err})
		}
	}
	return errors.Join(errs...)
}
