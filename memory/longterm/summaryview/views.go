package summaryview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Views keeps views, their summaries and tasks. It holds none of them itself: any number of Views,
// in any number of processes, may share a store, with the same options. It is safe for concurrent
// use.
type Views struct {
	memory *longterm.Memory
	store  driver.DocumentStore
	opts   Options
	wake   chan struct{} // of length 1: a task was queued in this process
}

// MemoryDocuments is a store that keeps views, their summaries and tasks in the process. The zero
// value is empty.
type MemoryDocuments = driver.MemoryDocuments

// New returns Views of a memory. The caller closes memory and store after the last call, and after
// Work has returned. If opts is nil, the defaults apply. The error names the invalid option.
func New(memory *longterm.Memory, store driver.DocumentStore, opts *Options) (*Views, error) {
	if memory == nil || store == nil {
		return nil, errors.New("summaryview: no memory or no store")
	}
	valid, err := opts.validate()
	if err != nil {
		return nil, err
	}
	return &Views{memory: memory, store: store, opts: valid, wake: make(chan struct{}, 1)}, nil
}

// Create stores a view of a tenant and returns it with its ID. Errors: ErrInvalid, ErrLimit,
// ErrUnavailable.
func (v *Views) Create(ctx context.Context, t Tenant, d Definition) (Definition, error) {
	d.ID, d.Tenant, d.GroupBy = ulid.Make().String(), t, slices.Clone(d.GroupBy)
	if err := v.create(ctx, &d); err != nil {
		return Definition{}, fmt.Errorf("summaryview: creating a view: %w", err)
	}
	if d.Continuous {
		v.wakeUp()
	}
	return d, nil
}

func (v *Views) create(ctx context.Context, d *Definition) error {
	if err := d.check(); err != nil {
		return err
	}
	view, err := put(viewKey(d.Tenant, d.ID), "", d, time.Time{})
	switch {
	case err != nil:
		return err
	case len(view.Document.Value) > MaxDefinitionBytes:
		return invalid("the view has more than %d bytes", MaxDefinitionBytes)
	}
	n, err := v.store.Count(ctx, viewPrefix(d.Tenant))
	switch {
	case err != nil:
		return err
	case n >= MaxViews:
		return exceeded("a tenant may have %d views", MaxViews)
	}
	changes := []driver.DocumentChange{view}
	if d.Continuous {
		refresh, err := put(refreshKind+d.ID, "", viewRef{d.Tenant, d.ID}, v.opts.Now())
		if err != nil {
			return err
		}
		changes = append(changes, refresh)
	}
	return v.store.Write(ctx, changes)
}

// view returns a view of a tenant. Errors: ErrNotFound.
func (v *Views) view(ctx context.Context, t Tenant, id string) (stored[Definition], error) {
	if parsed, err := ulid.ParseStrict(id); err != nil || parsed.String() != id {
		return stored[Definition]{}, ErrNotFound
	}
	return load[Definition](ctx, v.store, viewKey(t, id))
}

// Get returns a view of a tenant. Errors: ErrNotFound, ErrUnavailable.
func (v *Views) Get(ctx context.Context, t Tenant, id string) (Definition, error) {
	view, err := v.view(ctx, t, id)
	if err != nil {
		return Definition{}, fmt.Errorf("summaryview: getting a view: %w", err)
	}
	return view.value, nil
}

// List returns the views of a tenant, oldest first. Errors: ErrUnavailable.
func (v *Views) List(ctx context.Context, t Tenant) (all []Definition, err error) {
	err = each(ctx, v.store, viewPrefix(t), func(view stored[Definition]) { all = append(all, view.value) })
	if err != nil {
		return nil, fmt.Errorf("summaryview: listing views: %w", err)
	}
	return all, nil
}

// Delete deletes a view of a tenant with its summaries. Its unfinished tasks will fail. Once the
// view is deleted, a failure to remove the summaries is only logged: Work removes the rest.
// Errors: ErrNotFound, ErrUnavailable.
func (v *Views) Delete(ctx context.Context, t Tenant, id string) error {
	view, err := v.view(ctx, t, id)
	if err != nil {
		return fmt.Errorf("summaryview: deleting a view: %w", err)
	}
	removal, err := put(removalKind+id, "", viewRef{t, id}, v.opts.Now())
	if err == nil {
		err = v.store.Write(ctx, []driver.DocumentChange{view.remove(), removal})
	}
	if errors.Is(err, driver.ErrConflict) { // deleted concurrently, as views do not change
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("summaryview: deleting a view: %w", err)
	}
	if err := v.removePartitions(ctx, &removal.Document); err != nil {
		v.warn(ctx, "summaryview: removing the summaries of a view failed", err)
	}
	return nil
}

// removePartitions removes the partitions of a deleted view, and then the document that asks for
// it. No partition is added any more, since that requires the view.
func (v *Views) removePartitions(ctx context.Context, removal *driver.Document) error {
	ref, err := decode[viewRef](removal)
	if err != nil {
		return err
	}
	return contention.Retry(ctx, driver.ErrConflict, func() error {
		for {
			page, err := v.store.List(ctx, partitionPrefix(ref.value.ID), "", pageSize)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				err := v.store.Write(ctx, []driver.DocumentChange{ref.remove()})
				if errors.Is(err, driver.ErrConflict) { // another has removed it
					return nil
				}
				return err
			}
			changes := make([]driver.DocumentChange, len(page))
			for i := range page {
				p := stored[partitionDocument]{key: page[i].Key, revision: page[i].Revision}
				changes[i] = p.remove()
			}
			if err := v.store.Write(ctx, changes); err != nil {
				return err
			}
		}
	})
}
