package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Store is a driver.Store that keeps each session in a file of a directory, for one
// process at a time. It is safe for concurrent use. What a call has written survives
// the end of the process, however it ends.
//
// It is made for few and short sessions: every write replaces the session's file, and
// List and Due read them all. Files of expired sessions stay until they are replaced.
type Store struct {
	dir string
	mu  sync.Mutex // held by every method
}

var _ driver.Store = (*Store)(nil)

// OpenStore opens the store in a directory, and makes the directory if necessary.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("ownstore: %w", err)
	}
	return &Store{dir: dir}, nil
}

// Load implements driver.Store.
func (s *Store) Load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.find(ctx, key, 0)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ownstore: load: %w", err)
	case found == nil:
		return nil, fmt.Errorf("%w: %s", driver.ErrNotFound, key.Short())
	case last >= 0:
		found.Messages = found.Messages[max(0, len(found.Messages)-last):]
	}
	return &driver.StoredSession{
		Position: found.Position, Format: found.Format, Head: found.Head, Messages: found.Messages,
	}, nil
}

// Append implements driver.Store.
func (s *Store) Append(ctx context.Context, key driver.Key, a driver.Append) (at driver.Position, added int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.find(ctx, key, a.TTL)
	switch {
	case err != nil:
		return driver.Position{}, 0, fmt.Errorf("ownstore: append: %w", err)
	case found == nil:
		found = newSession(key, a.Head, a.Format)
	case found.Format > a.Format:
		return driver.Position{}, 0, &driver.FormatError{Key: key, Format: found.Format, Known: a.Format}
	}
	added = found.add(a.Messages, found.Left)
	found.touch(a.Now, a.TTL, a.Window)
	if found.DueAt.IsZero() {
		found.DueAt = millis(a.Due)
	}
	if err := s.save(found); err != nil {
		return driver.Position{}, 0, fmt.Errorf("ownstore: append: %w", err)
	}
	return found.Position, added, nil
}

// Write implements driver.Store.
func (s *Store) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.find(ctx, key, w.TTL)
	switch {
	case err != nil:
		return driver.Position{}, fmt.Errorf("ownstore: write: %w", err)
	case found != nil && found.Format > w.Format:
		return driver.Position{}, &driver.FormatError{Key: key, Format: found.Format, Known: w.Format}
	case !found.meets(w.If):
		return driver.Position{}, fmt.Errorf("%w: %s", driver.ErrConflict, key.Short())
	case found == nil:
		found = newSession(key, w.Head, w.Format)
	default:
		found.Revision++
		found.Head, found.Format = w.Head, w.Format
	}
	found.drop(w.DropBefore)
	found.add(w.Messages, nil)
	found.touch(w.Now, w.TTL, w.Window)
	if w.Due != nil {
		found.DueAt = millis(*w.Due)
	}
	if err := s.save(found); err != nil {
		return driver.Position{}, fmt.Errorf("ownstore: write: %w", err)
	}
	return found.Position, nil
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.find(ctx, key, 0)
	if damaged := new(driver.DamagedError); where == nil && errors.As(err, &damaged) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("ownstore: delete: %w", err)
	}
	if where != nil && (found == nil || !found.meets(*where)) {
		return fmt.Errorf("%w: %s", driver.ErrConflict, key.Short())
	}
	if err := os.Remove(s.path(key)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("ownstore: delete: %w", err)
	}
	return nil
}

// List implements driver.Store.
func (s *Store) List(ctx context.Context, o driver.ListOptions) (driver.Listing, error) {
	found, err := s.entries(ctx, func(e entry) bool { return o.Match(e.key) })
	if err != nil {
		return driver.Listing{}, fmt.Errorf("ownstore: list: %w", err)
	}
	slices.SortFunc(found, func(a, b entry) int { return strings.Compare(a.Key, b.Key) })
	total := len(found)
	found = found[min(max(o.Offset, 0), total):]
	if o.Limit >= 0 {
		found = found[:min(o.Limit, len(found))]
	}
	return driver.Listing{Keys: keys(found), Total: total}, nil
}

// Due implements driver.Store.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	found, err := s.entries(ctx, func(e entry) bool { return !e.DueAt.IsZero() && !e.DueAt.After(by) })
	if err != nil {
		return nil, fmt.Errorf("ownstore: due: %w", err)
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Or(a.DueAt.Compare(b.DueAt), strings.Compare(a.Key, b.Key)) })
	return keys(found[:min(max(limit, 0), len(found))]), nil
}

// find returns a session, or nil if it does not exist, after it has checked the arguments
// of a call.
func (s *Store) find(ctx context.Context, key driver.Key, ttl time.Duration) (*storedSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := key.Check(); err != nil {
		return nil, err
	}
	if _, err := driver.TTLMillis(ttl); err != nil {
		return nil, err
	}
	found, err := readSession(s.path(key))
	if errors.Is(err, errDamaged) {
		return nil, &driver.DamagedError{Key: key, Part: "file", Err: err}
	}
	return found, err
}

// entries returns the entries of the sessions that a filter accepts, in no order.
func (s *Store) entries(ctx context.Context, accept func(entry) bool) ([]entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var found []entry
	for _, file := range files {
		if filepath.Ext(file.Name()) != extension {
			continue
		}
		e, _, err := readEntry(filepath.Join(s.dir, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		if !e.expired() && accept(e) {
			found = append(found, e)
		}
	}
	return found, nil
}
