package driver

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

var _ DocumentStore = (*MemoryDocuments)(nil)

// MemoryDocuments keeps documents in the process. It is safe for concurrent use. The zero value
// is an empty store.
type MemoryDocuments struct {
	mu        sync.Mutex
	keys      []string // in order
	documents map[string]Document
	closed    bool
}

// Close closes the store. Every later call returns ErrClosed. Close may be called twice.
func (s *MemoryDocuments) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.keys, s.documents = true, nil, nil
	return nil
}

// withLock calls f with the lock held, unless invalid is an error, the store is closed or ctx has
// ended.
func (s *MemoryDocuments) withLock(ctx context.Context, invalid error, f func() error) error {
	if invalid != nil {
		return invalid
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// Get implements DocumentStore.
func (s *MemoryDocuments) Get(ctx context.Context, key string) (d Document, err error) {
	err = s.withLock(ctx, CheckKey(key), func() error {
		if _, exists := s.documents[key]; !exists {
			return ErrNotFound
		}
		d = s.document(key)
		return nil
	})
	return d, err
}

// document returns a copy of a document.
func (s *MemoryDocuments) document(key string) Document {
	d := s.documents[key]
	d.Value = bytes.Clone(d.Value)
	return d
}

// List implements DocumentStore.
func (s *MemoryDocuments) List(ctx context.Context, prefix, after string, limit int) (page []Document, err error) {
	err = s.withLock(ctx, CheckPage(prefix, after, limit), func() error {
		keys := s.withPrefix(prefix)
		i, found := slices.BinarySearch(keys, after)
		if found {
			i++
		}
		for _, key := range keys[i:min(len(keys), i+limit)] {
			page = append(page, s.document(key))
		}
		return nil
	})
	return page, err
}

// withPrefix returns the keys that begin with a prefix.
func (s *MemoryDocuments) withPrefix(prefix string) []string {
	begin, _ := slices.BinarySearch(s.keys, prefix)
	end, _ := slices.BinarySearch(s.keys, prefix+"\x7f")
	return s.keys[begin:end]
}

// Count implements DocumentStore.
func (s *MemoryDocuments) Count(ctx context.Context, prefix string) (n int, err error) {
	err = s.withLock(ctx, CheckPage(prefix, "", 1), func() error {
		n = len(s.withPrefix(prefix))
		return nil
	})
	return n, err
}

// Due implements DocumentStore. It examines every document.
func (s *MemoryDocuments) Due(ctx context.Context, at time.Time, limit int) (page []Document, err error) {
	err = s.withLock(ctx, CheckPage("", "", limit), func() error {
		for _, key := range s.keys {
			if d := s.documents[key]; !d.Due.IsZero() && !d.Due.After(at) {
				page = append(page, d)
			}
		}
		slices.SortFunc(page, func(a, b Document) int {
			return cmp.Or(a.Due.Compare(b.Due), strings.Compare(a.Key, b.Key))
		})
		page = slices.Clip(page[:min(len(page), limit)])
		for i := range page {
			page[i] = s.document(page[i].Key)
		}
		return nil
	})
	return page, err
}

// Write implements DocumentStore.
func (s *MemoryDocuments) Write(ctx context.Context, changes []DocumentChange) error {
	return s.withLock(ctx, CheckChanges(changes), func() error {
		for i := range changes {
			if s.documents[changes[i].Document.Key].Revision != changes[i].If {
				return ErrConflict
			}
		}
		for i := range changes {
			s.apply(&changes[i])
		}
		return nil
	})
}

func (s *MemoryDocuments) apply(c *DocumentChange) {
	d := c.Document
	i, exists := slices.BinarySearch(s.keys, d.Key)
	switch {
	case c.Do == PutDocument:
		d.Value = bytes.Clone(d.Value)
		if !d.Due.IsZero() {
			d.Due = time.UnixMilli(d.Due.UnixMilli()).UTC()
		}
		if s.documents == nil {
			s.documents = map[string]Document{}
		}
		s.documents[d.Key] = d
		if !exists {
			s.keys = slices.Insert(s.keys, i, d.Key)
		}
	case c.Do == RemoveDocument:
		delete(s.documents, d.Key)
		s.keys = slices.Delete(s.keys, i, i+1)
	}
}
