package memstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// List implements driver.Store. It may miss sessions that are written concurrently.
func (s *Store) List(ctx context.Context, o driver.ListOptions) (driver.Listing, error) {
	if err := s.open(ctx); err != nil {
		return driver.Listing{}, fmt.Errorf("session: list: %w", err)
	}
	var keys []driver.Key
	now := s.now()
	for i := range s.shards {
		keys = s.shards[i].list(keys, o, now)
	}
	if s.closed.Load() {
		return driver.Listing{}, fmt.Errorf("session: list: %w", driver.ErrClosed)
	}
	page := driver.Listing{Total: len(keys)}
	offset := min(max(o.Offset, 0), len(keys))
	limit := len(keys) - offset
	if o.Limit >= 0 {
		limit = min(limit, o.Limit)
	}
	if limit > 0 {
		page.Keys = sortKeys(keys)[offset : offset+limit]
	}
	return page, nil
}

// sortKeys sorts keys by their texts. It makes each text once.
func sortKeys(keys []driver.Key) []driver.Key {
	type named struct {
		text string
		key  driver.Key
	}
	all := make([]named, len(keys))
	for i, key := range keys {
		all[i] = named{key.String(), key}
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.text, b.text) })
	for i := range all {
		keys[i] = all[i].key
	}
	return keys
}

// list appends the keys that match o.
func (s *shard) list(keys []driver.Key, o driver.ListOptions, now time.Time) []driver.Key {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for key, found := range s.sessions {
		if !found.expired(now) && o.Match(key) {
			keys = append(keys, key)
		}
	}
	return keys
}
