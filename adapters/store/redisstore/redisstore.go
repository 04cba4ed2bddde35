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

var _ driver.ResultStore = (*Store)(nil)

// DefaultPrefix is the default of Options.Prefix.
const DefaultPrefix = "wm"

// ErrPrefix is returned when Options.Prefix is not valid.
var ErrPrefix = errors.New("redisstore: invalid prefix: want 1 to 100 letters, digits or characters of \"-._:\"")

// Options configures a Store. The zero value uses the defaults.
type Options struct {
	// Prefix is the prefix of all keys in Redis. Stores with different prefixes share
	// nothing. It consists of at most 100 letters, digits and the characters -._:.
	// If empty, DefaultPrefix is used.
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

// Store is a driver.Store in Redis. It is safe for concurrent use, and any number of stores
// can share the same data.
type Store struct {
	client  redis.UniversalClient
	owned   bool
	layout  layout
	scripts scripts
	closed  atomic.Bool
}

// New returns a store that uses client, which the caller must close. The client must have
// ContextTimeoutEnabled set; without it, a call to an unresponsive server would outlast its
// context.
//
// The deadline of a context ends a call that waits for a reply. Its cancellation takes
// effect only after the client's ReadTimeout.
func New(client redis.UniversalClient, opts *Options) (*Store, error) {
	prefix, err := opts.prefix()
	if err != nil {
		return nil, err
	}
	timeouts := true
	switch client := client.(type) {
	case nil:
		return nil, errors.New("redisstore: nil client")
	case *redis.Client:
		timeouts = client.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		timeouts = client.Options().ContextTimeoutEnabled
	}
	if !timeouts {
		return nil, errors.New("redisstore: client option ContextTimeoutEnabled is not set")
	}
	return &Store{client: client, layout: layout{prefix: prefix}, scripts: newScripts()}, nil
}

// Open returns a store with its own client, which Close closes. The URL is in the format of
// redis.ParseURL, or of redis.ParseClusterURL if it names several servers of a cluster. The
// URL of a single server of a cluster is enough to use the cluster.
//
// Open returns session.ErrUnavailable if the server does not respond, and an error if it is
// older than Redis 6.2.
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

// Close closes the store, after which every call returns session.ErrClosed. A client passed
// to New stays open. Further calls of Close have no effect.
func (s *Store) Close() error {
	if s.closed.Swap(true) || !s.owned {
		return nil
	}
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("redisstore: close: %w", err)
	}
	return nil
}

// checkOpen returns an error if the store is closed or ctx has ended.
func (s *Store) checkOpen(ctx context.Context) error {
	if s.closed.Load() {
		return driver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	return nil
}
