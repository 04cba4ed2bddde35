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
	if found.indexOfResult(r.Kind, r.ID) < 0 {
		found.addResult(r, limit)
	}
	return nil
}

// addResult adds a result and removes the oldest of its kind, so that the limits are kept.
func (m *storedSession) addResult(r driver.StoredResult, limit int64) {
	results := append(m.results[r.Kind], r)
	from, sum := len(results), int64(0)
	for from > 0 && len(results)-from < driver.MaxResults && sum+results[from-1].Size <= limit {
		from--
		sum += results[from].Size
	}
	m.results[r.Kind] = slices.Delete(results, 0, from)
}

// indexOfResult returns the index among the results of a kind, or -1.
func (m *storedSession) indexOfResult(kind driver.ResultKind, id string) int {
	return slices.IndexFunc(m.resultsOf(kind), func(r driver.StoredResult) bool { return r.ID == id })
}

// resultsOf returns the results of a kind, none of an unknown one.
func (m *storedSession) resultsOf(kind driver.ResultKind) []driver.StoredResult {
	if kind >= driver.ResultKinds {
		return nil
	}
	return m.results[kind]
}

// Results implements driver.ResultStore.
func (s *Store) Results(ctx context.Context, key driver.Key, kind driver.ResultKind) ([]driver.ResultInfo, error) {
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
	results := found.resultsOf(kind)
	infos := make([]driver.ResultInfo, len(results))
	for i, r := range results {
		infos[i] = r.ResultInfo
	}
	return infos, nil
}

// ReadResult implements driver.ResultStore.
func (s *Store) ReadResult(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (int, error) {
	if err := s.check(ctx, key, 0); err != nil {
		return 0, fmt.Errorf("session: reading a result: %w", err)
	}
	if offset < 0 {
		return 0, driver.ErrOffset
	}
	content, err := s.resultContent(key, kind, id)
	if err != nil {
		return 0, err
	}
	n, err := driver.ResultRange(p, offset, int64(len(content)))
	if n > 0 {
		copy(p, content[offset:])
	}
	return n, err
}

func (s *Store) resultContent(key driver.Key, kind driver.ResultKind, id string) ([]byte, error) {
	shard := s.shard(key)
	shard.mu.RLock()
	defer shard.mu.RUnlock()
	found := shard.find(key, s.now())
	if s.closed.Load() {
		return nil, fmt.Errorf("session: reading a result: %w", driver.ErrClosed)
	}
	if found != nil {
		if i := found.indexOfResult(kind, id); i >= 0 {
			return found.results[kind][i].Content, nil
		}
	}
	return nil, fmt.Errorf("%w: result of %s", driver.ErrNotFound, key.Short())
}
