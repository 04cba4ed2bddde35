package summaryview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Summarize computes the summary of one partition of a tenant's view and stores it, also if there
// are no memories. Errors: *GroupError, ErrInvalid, ErrNotFound, ErrLimit, longterm.ErrModel,
// ErrUnavailable and those of longterm.Memory.Search.
func (v *Views) Summarize(ctx context.Context, t Tenant, id string, group map[string]string) (Partition, error) {
	p, err := v.summarizeGroup(ctx, t, id, group)
	if err != nil {
		return Partition{}, fmt.Errorf("summaryview: summarising a partition: %w", err)
	}
	return p, nil
}

func (v *Views) summarizeGroup(ctx context.Context, t Tenant, id string, group map[string]string) (none Partition, err error) {
	view, err := v.view(ctx, t, id)
	if err != nil {
		return none, err
	}
	if err := view.value.checkGroup(group); err != nil {
		return none, err
	}
	key := view.value.partitionKey(group)
	if err := v.checkRoom(ctx, id, key); err != nil {
		return none, err
	}
	c := v.newCollection(&view.value)
	if err := c.read(ctx, group); err != nil {
		return none, err
	}
	p := c.partition(key, group)
	if err := c.fold(ctx, p); err != nil {
		return none, err
	}
	document := c.document(p, "")
	return document.Partition, v.commit(ctx, &view, key, document, nil)
}

// checkRoom returns ErrLimit if the partition with the key would be one too many.
func (v *Views) checkRoom(ctx context.Context, viewID, key string) error {
	n, err := v.store.Count(ctx, partitionPrefix(viewID))
	if err != nil || n < MaxPartitions {
		return err
	}
	if _, err = v.store.Get(ctx, key); errors.Is(err, driver.ErrNotFound) {
		return exceeded("a view may have %d partitions", MaxPartitions)
	}
	return err
}

// commit stores a partition if the view exists and, if l is not nil, the lease is still held.
// Errors: ErrNotFound, errLost.
func (v *Views) commit(ctx context.Context, view *stored[Definition], key string, p partitionDocument, l *lease) error {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
	}
	return contention.Retry(ctx, driver.ErrConflict, func() error {
		present, err := v.store.Get(ctx, key)
		if err != nil && !errors.Is(err, driver.ErrNotFound) {
			return err
		}
		change, err := put(key, present.Revision, p, time.Time{})
		if err != nil {
			return err
		}
		changes := []driver.DocumentChange{change, view.require()}
		if l != nil {
			changes = append(changes, l.document.require())
		}
		err = v.store.Write(ctx, changes)
		if errors.Is(err, driver.ErrConflict) {
			if _, err := v.view(ctx, view.value.Tenant, view.value.ID); err != nil {
				return err
			}
			if l != nil && !l.isHeld(ctx) {
				return errLost
			}
		}
		return err
	})
}

// Partitions returns the stored summaries of a tenant's view whose groups have the given values,
// ordered by the values of the view's fields. A field that the view does not have excludes all.
// Errors: ErrNotFound, ErrUnavailable.
func (v *Views) Partitions(ctx context.Context, t Tenant, id string, values map[string]string) ([]Partition, error) {
	view, err := v.view(ctx, t, id)
	if err != nil {
		return nil, fmt.Errorf("summaryview: listing partitions: %w", err)
	}
	var all []Partition
	err = each(ctx, v.store, partitionPrefix(id), func(p stored[partitionDocument]) {
		if hasValues(p.value.Group, values) {
			all = append(all, p.value.Partition)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("summaryview: listing partitions: %w", err)
	}
	view.value.sortPartitions(all)
	return all, nil
}

func hasValues(group, values map[string]string) bool {
	for field, value := range values {
		if got, ok := group[field]; !ok || got != value {
			return false
		}
	}
	return true
}
