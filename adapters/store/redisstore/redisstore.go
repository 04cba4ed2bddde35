package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var _ driver.Store = (*Store)(nil)

// DefaultPrefix is what the keys in Redis begin with.
const DefaultPrefix = "wm"

// ErrPrefix says that Options.Prefix cannot be one.
var ErrPrefix = errors.New("redisstore: bad prefix: it must have 1 to 100 characters, of letters, digits and -._: only")

// Options are options of a Store.
type Options struct {
	// Prefix is what all keys in Redis begin with. Stores with different prefixes
	// have nothing in common. It has letters, digits and -._: only, at most 100.
	// Default: DefaultPrefix.
	Prefix string
}

func (o *Options) prefix() (string, error) {
	if o == nil || o.Prefix == "" {
		return DefaultPrefix, nil
	}
	for _, c := range []byte(o.Prefix) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._:", c) >= 0) {
			return "", ErrPrefix
		}
	}
	if len(o.Prefix) > 100 {
		return "", ErrPrefix
	}
	return o.Prefix, nil
}

// Store is a driver.Store in Redis. It is safe for concurrent use, and for any
// number of stores on the same data.
type Store struct {
	client  redis.UniversalClient
	owned   bool
	layout  layout
	scripts scripts
	closed  atomic.Bool
}

// New returns a store that works through a client, which stays the caller's to close.
// The client must have ContextTimeoutEnabled set: without it, a call to a server that
// does not answer would outlast its context.
//
// A context that is cancelled, rather than one whose deadline passes, ends a call that
// waits for an answer when the client's ReadTimeout is over.
func New(client redis.UniversalClient, opts *Options) (*Store, error) {
	prefix, err := opts.prefix()
	if err != nil {
		return nil, err
	}
	heeds := true
	switch client := client.(type) {
	case nil:
		return nil, errors.New("redisstore: no client")
	case *redis.Client:
		heeds = client.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		heeds = client.Options().ContextTimeoutEnabled
	}
	if !heeds {
		return nil, errors.New("redisstore: the client's option ContextTimeoutEnabled must be set")
	}
	return &Store{client: client, layout: layout{prefix: prefix}, scripts: newScripts()}, nil
}

// Open returns a store with a client of its own, which Close closes. The url is one
// of redis.ParseURL, or one of redis.ParseClusterURL with further addresses of a
// cluster. A cluster is known as one also by a url of one of its servers.
//
// It fails with session.ErrUnavailable if the server does not answer, and with an
// error if it is older than Redis 6.2.
func Open(ctx context.Context, url string, opts *Options) (*Store, error) {
	if _, err := opts.prefix(); err != nil {
		return nil, err
	}
	client, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	store, err := New(client, opts)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	store.owned = true
	return store, nil
}

// Close ends the store: every later call returns session.ErrClosed. A client that was
// given to New stays open. Closing twice does no harm.
func (s *Store) Close() error {
	if s.closed.Swap(true) || !s.owned {
		return nil
	}
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("redisstore: close: %w", err)
	}
	return nil
}

// begin is what every method does first.
func (s *Store) begin(ctx context.Context) error {
	if s.closed.Load() {
		return driver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	return nil
}
