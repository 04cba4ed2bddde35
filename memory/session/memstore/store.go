package memstore

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Options configures a Store. The zero value is useful.
type Options struct {
	// Now is the clock for expiry. If nil, it is time.Now. It must be safe for concurrent
	// use.
	Now func() time.Time
}

// Store is a driver.Store in memory. It is safe for concurrent use. Expired sessions are
// removed when other sessions are written, or by Due.
//
// Load returns what is stored without a copy: its cost does not depend on the number and the
// length of the messages. A session without a TTL stays until it is deleted.
type Store struct {
	now    func() time.Time
	closed atomic.Bool
	seed   maphash.Seed
	shards []shard
}

var (
	_ driver.ResultStore        = (*Store)(nil)
	_ driver.DurabilityReporter = (*Store)(nil)
)

// shardCount is the number of locks. It is far above the number of cores, so that two
// concurrent writes seldom share one.
const shardCount = 256

// New returns an empty store.
func New(opts *Options) *Store {
	s := &Store{now: time.Now, seed: maphash.MakeSeed(), shards: make([]shard, shardCount)}
	if opts != nil && opts.Now != nil {
		s.now = opts.Now
	}
	for i := range s.shards {
		s.shards[i].sessions = map[driver.Key]*storedSession{}
		s.shards[i].expiring.order = byExpiry{}
		s.shards[i].due.order = byDue{}
	}
	return s
}

// Close drops all sessions. Later calls, except of Close, return ErrClosed.
func (s *Store) Close() error {
	s.closed.Store(true)
	for i := range s.shards {
		s.shards[i].clear()
	}
	return nil
}

// Durability implements driver.DurabilityReporter: sessions end with the process.
func (s *Store) Durability(context.Context) (driver.Durability, error) {
	return driver.Durability{Level: driver.DurabilityNone}, nil
}

// Load implements driver.Store.
func (s *Store) Load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	if err := s.check(ctx, key, 0); err != nil {
		return nil, fmt.Errorf("session: load: %w", err)
	}
	shard := s.shard(key)
	shard.mu.RLock()
	defer shard.mu.RUnlock()
	found := shard.find(key, s.now())
	if s.closed.Load() { // concurrently: the session may have been dropped
		return nil, fmt.Errorf("session: load: %w", driver.ErrClosed)
	}
	if found == nil {
		return nil, fmt.Errorf("%w: %s", driver.ErrNotFound, key.Short())
	}
	return found.snapshot(last), nil
}

// Append implements driver.Store.
func (s *Store) Append(ctx context.Context, key driver.Key, a driver.Append) (at driver.Position, added int, err error) {
	if err := s.check(ctx, key, a.TTL); err != nil {
		return driver.Position{}, 0, fmt.Errorf("session: append: %w", err)
	}
	messages := copyMessages(a.Messages)
	shard, now := s.lock(key)
	defer shard.mu.Unlock()
	if s.closed.Load() {
		return driver.Position{}, 0, fmt.Errorf("session: append: %w", driver.ErrClosed)
	}
	found := shard.find(key, now)
	switch {
	case found == nil:
		found = shard.create(key, a.Head, a.Format)
	case found.format > a.Format:
		return driver.Position{}, 0, &driver.FormatError{Key: key, Format: found.format, Known: a.Format}
	}
	added = found.append(messages, false)
	shard.touch(found, now, a.Now, a.TTL, a.Window)
	if found.dueAt.IsZero() {
		shard.setDue(found, a.Due)
	}
	return found.position(), added, nil
}

// Write implements driver.Store.
func (s *Store) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
	if err := s.check(ctx, key, w.TTL); err != nil {
		return driver.Position{}, fmt.Errorf("session: write: %w", err)
	}
	messages := copyMessages(w.Messages)
	shard, now := s.lock(key)
	defer shard.mu.Unlock()
	if s.closed.Load() {
		return driver.Position{}, fmt.Errorf("session: write: %w", driver.ErrClosed)
	}
	found := shard.find(key, now)
	switch {
	case found != nil && found.format > w.Format:
		return driver.Position{}, &driver.FormatError{Key: key, Format: found.format, Known: w.Format}
	case !found.standsAt(w.If):
		return driver.Position{}, fmt.Errorf("%w: %s", driver.ErrConflict, key.Short())
	case found == nil:
		found = shard.create(key, w.Head, w.Format)
	default:
		found.revision++
		found.head, found.format = slices.Clone(w.Head), w.Format
	}
	found.drop(w.DropBefore)
	found.append(messages, true)
	shard.touch(found, now, w.Now, w.TTL, w.Window)
	if w.Due != nil {
		shard.setDue(found, *w.Due)
	}
	return found.position(), nil
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	if err := s.check(ctx, key, 0); err != nil {
		return fmt.Errorf("session: delete: %w", err)
	}
	shard, now := s.lock(key)
	defer shard.mu.Unlock()
	if s.closed.Load() {
		return fmt.Errorf("session: delete: %w", driver.ErrClosed)
	}
	found := shard.find(key, now)
	if where != nil && (found == nil || !found.standsAt(*where)) {
		return fmt.Errorf("%w: %s", driver.ErrConflict, key.Short())
	}
	if found != nil {
		shard.remove(found)
	}
	return nil
}

// open returns an error if the store is closed or the context has ended.
func (s *Store) open(ctx context.Context) error {
	if s.closed.Load() {
		return driver.ErrClosed
	}
	return ctx.Err()
}

func (s *Store) check(ctx context.Context, key driver.Key, ttl time.Duration) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if _, err := driver.TTLMillis(ttl); err != nil {
		return err
	}
	return key.Check()
}

func (s *Store) shard(key driver.Key) *shard { return &s.shards[s.shardIndex(key)] }

func (s *Store) shardIndex(key driver.Key) int {
	return int(maphash.Comparable(s.seed, key) % shardCount)
}

// lock returns the locked shard of a key, without expired sessions, and the time of the
// write.
func (s *Store) lock(key driver.Key) (*shard, time.Time) {
	i := s.shardIndex(key)
	shard := &s.shards[i]
	shard.mu.Lock()
	now := s.now()
	shard.sweep(now)
	shard.writes++
	if shard.writes%otherSweep == 0 {
		// Shards without writes must not keep expired sessions. Those with writes sweep
		// themselves.
		other := &s.shards[(i+shard.writes/otherSweep)%shardCount]
		if other != shard && other.mu.TryLock() {
			other.sweep(now)
			other.mu.Unlock()
		}
	}
	return shard, now
}
