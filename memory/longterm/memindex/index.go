package memindex

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// Options configures an Index. It has no fields yet.
type Options struct{}

// Index is a driver.Index in the process. It is safe for concurrent use; reads do not block
// each other.
//
// The cost of a keyword search grows with the matching entries, that of a search by vectors
// with the vectors in its scope, and that of a ModeList with the records in its scope.
type Index struct {
	mu     sync.RWMutex
	closed bool
	// version is the last version assigned. All entries share the counter, so that no key
	// gets a version again that it had before it was removed.
	version uint64
	entries map[string]*entry // by sortKey
	owners  map[ownerKey]*owner
	// scores holds buffers of finished searches.
	scores sync.Pool
}

var (
	_ driver.Index              = (*Index)(nil)
	_ driver.DurabilityReporter = (*Index)(nil)
)

// New returns an empty index. If opts is nil, the defaults apply.
func New(opts *Options) *Index {
	return &Index{entries: map[string]*entry{}, owners: map[ownerKey]*owner{}}
}

// Close releases all records. Every later call returns ErrClosed, except Close.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed, x.entries, x.owners = true, nil, nil
	return nil
}

// Durability implements [driver.DurabilityReporter]: records end with the process.
func (x *Index) Durability(context.Context) (driver.Durability, error) {
	return driver.Durability{Level: driver.DurabilityNone}, nil
}

// Lookup implements driver.Index.
func (x *Index) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	if n := len(l.Keys) + len(l.Hashes); n > driver.MaxChanges {
		return nil, fmt.Errorf("longterm: lookup: %w", tooMany(n))
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.checkOpen(ctx); err != nil {
		return nil, fmt.Errorf("longterm: lookup: %w", err)
	}
	var found []driver.Entry
	seen := map[*entry]bool{}
	add := func(e *entry) {
		if e != nil && !seen[e] {
			seen[e] = true
			found = append(found, e.export())
		}
	}
	for _, key := range l.Keys {
		add(x.entries[sortKey(key)])
	}
	if owner := x.owners[ownerKey{l.Namespace, l.UserID}]; owner != nil {
		for _, hash := range l.Hashes {
			add(owner.hashes[hash])
		}
	}
	return found, nil
}

// Write implements driver.Index.
func (x *Index) Write(ctx context.Context, changes []driver.RecordChange) error {
	made, err := newEntries(changes)
	if err != nil {
		return fmt.Errorf("longterm: write: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.checkOpen(ctx); err != nil {
		return fmt.Errorf("longterm: write: %w", err)
	}
	if !x.allows(changes, made) {
		return driver.ErrConflict
	}
	// Remove first: a hash may move from one record to another.
	for _, c := range changes {
		if old := x.entries[sortKey(c.Key)]; old != nil {
			x.remove(old)
		}
	}
	for _, e := range made {
		x.add(e)
	}
	return nil
}

// allows reports whether all changes apply to the current versions and keep hashes unique.
func (x *Index) allows(changes []driver.RecordChange, made []*entry) bool {
	changed := make(map[string]bool, len(changes))
	for _, c := range changes {
		key := sortKey(c.Key)
		changed[key] = true
		current := uint64(0)
		if old := x.entries[key]; old != nil {
			current = old.version
		}
		if current != c.If {
			return false
		}
	}
	type ownHash struct {
		ownerKey
		hash string
	}
	taken := make(map[ownHash]bool, len(made))
	for _, e := range made {
		own := ownHash{e.owner(), e.record.Hash}
		if taken[own] {
			return false
		}
		taken[own] = true
		if owner := x.owners[own.ownerKey]; owner != nil {
			if other := owner.hashes[own.hash]; other != nil && !changed[other.key] {
				return false
			}
		}
	}
	return true
}

func (x *Index) add(e *entry) {
	x.version++
	e.version = x.version
	x.entries[e.key] = e
	owner := x.owners[e.owner()]
	if owner == nil {
		owner = newOwner()
		x.owners[e.owner()] = owner
	}
	owner.add(e)
}

func (x *Index) remove(e *entry) {
	delete(x.entries, e.key)
	owner := x.owners[e.owner()]
	owner.remove(e)
	if len(owner.hashes) == 0 {
		delete(x.owners, e.owner())
	}
}

// Touch implements driver.Index.
func (x *Index) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	if len(keys) > driver.MaxChanges {
		return fmt.Errorf("longterm: touch: %w", tooMany(len(keys)))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.checkOpen(ctx); err != nil {
		return fmt.Errorf("longterm: touch: %w", err)
	}
	at = record.NormalizeTime(at)
	touched := make(map[*entry]bool, len(keys))
	for _, key := range keys {
		e := x.entries[sortKey(key)]
		if e == nil || touched[e] {
			continue
		}
		touched[e] = true
		x.version++
		e.version = x.version
		e.record.AccessCount++
		if e.record.LastAccessed.Before(at) {
			e.record.LastAccessed = at
		}
	}
	return nil
}

// checkOpen returns the error of a call on a closed index or after its context ended.
func (x *Index) checkOpen(ctx context.Context) error {
	if x.closed {
		return driver.ErrClosed
	}
	return ctx.Err()
}

func tooMany(n int) error {
	return fmt.Errorf("%w: %d exceed the limit of %d", driver.ErrFilter, n, driver.MaxChanges)
}
