package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// PutResult implements driver.ResultStore.
func (s *Store) PutResult(ctx context.Context, key driver.Key, r driver.StoredResult, limit int64) error {
	if err := s.check(ctx, key, 0); err != nil {
		return fmt.Errorf("session: adding a result: %w", err)
	}
	if err := r.Check(limit); err != nil {
		return err
	}
	r.ID, r.Meta, r.Content = strings.Clone(r.ID), bytes.Clone(r.Meta), bytes.Clone(r.Content)
	r.Size, r.CreatedAt = int64(len(r.Content)), time.UnixMilli(r.CreatedAt.UnixMilli()).UTC()
	shard, now := s.lock(key)
	defer shard.mu.Unlock()
	if s.closed.Load() {
		return fmt.Errorf("session: adding a result: %w", driver.ErrClosed)
	}
	found := shard.find(key, now)
	if found == nil {
		return fmt.Errorf("%w: %s", driver.ErrNotFound, key.Short())
	}
	if found.indexOfResult(r.ID) < 0 {
		found.addResult(r, limit)
	}
	return nil
}

// addResult adds a result and removes the oldest, so that the limits are kept.
func (m *storedSession) addResult(r driver.StoredResult, limit int64) {
	m.results = append(m.results, r)
	from, sum := len(m.results), int64(0)
	for from > 0 && len(m.results)-from < driver.MaxResults && sum+m.results[from-1].Size <= limit {
		from--
		sum += m.results[from].Size
	}
	m.results = slices.Delete(m.results, 0, from)
}

func (m *storedSession) indexOfResult(id string) int {
	return slices.IndexFunc(m.results, func(r driver.StoredResult) bool { return r.ID == id })
}

// Results implements driver.ResultStore.
func (s *Store) Results(ctx context.Context, key driver.Key) ([]driver.ResultInfo, error) {
	if err := s.check(ctx, key, 0); err != nil {
		return nil, fmt.Errorf("session: listing results: %w", err)
	}
	shard := s.shard(key)
	shard.mu.RLock()
	defer shard.mu.RUnlock()
	found := shard.find(key, s.now())
	if s.closed.Load() {
		return nil, fmt.Errorf("session: listing results: %w", driver.ErrClosed)
	}
	if found == nil {
		return nil, nil
	}
	infos := make([]driver.ResultInfo, len(found.results))
	for i, r := range found.results {
		infos[i] = r.ResultInfo
	}
	return infos, nil
}

// ReadResult implements driver.ResultStore.
func (s *Store) ReadResult(ctx context.Context, key driver.Key, id string, p []byte, offset int64) (int, error) {
	if err := s.check(ctx, key, 0); err != nil {
		return 0, fmt.Errorf("session: reading a result: %w", err)
	}
	if offset < 0 {
		return 0, driver.ErrOffset
	}
	content, err := s.resultContent(key, id)
	if err != nil {
		return 0, err
	}
	n, err := driver.ResultRange(p, offset, int64(len(content)))
	if n > 0 {
		copy(p, content[offset:])
	}
	return n, err
}

func (s *Store) resultContent(key driver.Key, id string) ([]byte, error) {
	shard := s.shard(key)
	shard.mu.RLock()
	defer shard.mu.RUnlock()
	found := shard.find(key, s.now())
	if s.closed.Load() {
		return nil, fmt.Errorf("session: reading a result: %w", driver.ErrClosed)
	}
	if found != nil {
		if i := found.indexOfResult(id); i >= 0 {
			return found.results[i].Content, nil
		}
	}
	return nil, fmt.Errorf("%w: result of %s", driver.ErrNotFound, key.Short())
}
