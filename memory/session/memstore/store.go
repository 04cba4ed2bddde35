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

// Options are the options of a Store. The zero value is useful.
type Options struct {
	// Now is the clock by which sessions expire. nil: time.Now. It must be safe for
	// concurrent use.
	Now func() time.Time
}

// Store is a driver.Store in the process: what it keeps is gone with it. It is safe
// for concurrent use, and sessions do not wait for each other. Expired sessions are
// removed when others are written, or when what is due is asked for.
//
// Load returns what is stored without copying it: its cost does not depend on the
// number and the length of the messages. A session that is not written anymore and
// has no TTL stays until it is deleted.
type Store struct {
	now    func() time.Time
	closed atomic.Bool
	seed   maphash.Seed
	shards []shard
}

var _ driver.Store = (*Store)(nil)

// shardCount is by how many locks the sessions are guarded: many more than a
// machine has cores, so that two that are written at once seldom share one.
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

// Close lets go of all sessions. Every later call but Close returns ErrClosed.
func (s *Store) Close() error {
	s.closed.Store(true)
	for i := range s.shards {
		s.shards[i].clear()
	}
	return nil
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
	if s.closed.Load() { // meanwhile, which is why there is none
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

// open returns why nothing is to be done, if so.
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

// lock returns the shard of a key, locked and without expired sessions, for a write,
// and the time of that write.
func (s *Store) lock(key driver.Key) (*shard, time.Time) {
	i := s.shardIndex(key)
	shard := &s.shards[i]
	shard.mu.Lock()
	now := s.now()
	shard.sweep(now)
	shard.writes++
	if shard.writes%otherSweep == 0 {
		// Shards that are not written anymore must not keep what has expired. One that
		// is in use sees to itself.
		other := &s.shards[(i+shard.writes/otherSweep)%shardCount]
		if other != shard && other.mu.TryLock() {
			other.sweep(now)
			other.mu.Unlock()
		}
	}
	return shard, now
}
