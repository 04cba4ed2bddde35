package longterm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// DefaultForgetLimit is the default of ForgetOptions.Limit.
const DefaultForgetLimit = 1000

// ForgetOptions configures Memory.Forget. If nil, the defaults apply.
type ForgetOptions struct {
	// Limit is the number of records to consider, the least recently used of those that may
	// be forgotten. 0 means DefaultForgetLimit.
	Limit int
	// Delete removes the forgotten records. Otherwise Forget only reports them.
	Delete bool
}

// ForgetResult is the result of Memory.Forget.
type ForgetResult struct {
	// Scanned is the number of records of Policy.Filter that were considered, up to the limit.
	Scanned int
	// Keys identify the records that were forgotten, or would be without DryRun.
	Keys []RecordKey
	// DryRun is true if nothing was removed because ForgetOptions.Delete was not set.
	DryRun bool
}

// Forget removes the records that a policy does not keep, the least recently used first. A
// record that is used or changed concurrently is kept. With an error, Keys identify the
// records removed before it. Errors: ErrFilter for an invalid policy, ErrScope, ErrConflict
// after 100 attempts, ErrUnavailable, ErrClosed.
func (m *Memory) Forget(ctx context.Context, scope Scope, policy Policy, opts *ForgetOptions) (ForgetResult, error) {
	if opts == nil {
		opts = &ForgetOptions{}
	}
	f := ForgetResult{DryRun: !opts.Delete}
	if err := m.forget(ctx, scope, policy, opts, &f); err != nil {
		return f, fmt.Errorf("longterm: forgetting: %w", err)
	}
	return f, nil
}

func (m *Memory) forget(ctx context.Context, scope Scope, policy Policy, opts *ForgetOptions, f *ForgetResult) error {
	if err := m.check(scope); err != nil {
		return err
	}
	policy, err := policy.validate()
	if err != nil {
		return err
	}
	limit := opts.Limit
	switch {
	case limit < 0:
		return refused("negative limit")
	case limit == 0:
		limit = DefaultForgetLimit
	}
	if err := m.uses.flush(ctx); err != nil { // recent uses protect a record
		return err
	}
	all, err := m.index.Search(ctx, driver.Search{Scope: scope, Filter: policy.Filter})
	if err != nil {
		return err
	}
	f.Scanned = min(limit, all.Total)
	now := m.now()
	records, total, err := m.leastUsed(ctx, scope, &policy, limit)
	if err != nil {
		return err
	}
	gone := policy.choose(records, total, now)
	for batch := range slices.Chunk(gone, driver.MaxChanges) {
		if opts.Delete {
			if batch, err = m.removeUnchanged(ctx, batch); err != nil {
				return err
			}
		}
		for _, r := range batch {
			f.Keys = append(f.Keys, r.key)
		}
	}
	return nil
}

// leastUsed returns the least recently used candidates and the number of all candidates.
func (m *Memory) leastUsed(ctx context.Context, scope Scope, p *Policy, limit int) (records []candidate, total int, err error) {
	filter, any := p.candidateFilter()
	if !any {
		return nil, 0, nil
	}
	kept, err := m.countPinned(ctx, scope, filter, p.Pinned)
	if err != nil {
		return nil, 0, err
	}
	listed := map[driver.RecordKey]bool{} // a concurrent use may move a record to a later page
	for offset := 0; len(records) < limit; offset += scanPage {
		page, err := m.index.Search(ctx, driver.Search{
			Scope: scope, Filter: filter, Order: OrderLeastRecentlyUsed, Limit: scanPage, Offset: offset,
		})
		if err != nil {
			return nil, 0, err
		}
		total = page.Total - kept
		for i := range page.Hits {
			hit := &page.Hits[i]
			r := candidate{
				key: driver.KeyOf(&hit.Record), version: hit.Version, created: hit.Record.CreatedAt,
				used: record.LastUsed(&hit.Record),
			}
			if !listed[r.key] && !slices.Contains(p.Pinned, r.key.ID) && len(records) < limit {
				listed[r.key] = true
				records = append(records, r)
			}
		}
		if len(page.Hits) < scanPage {
			break
		}
	}
	return records, total, nil
}

// countPinned counts the records that pass a filter and have one of the ids.
func (m *Memory) countPinned(ctx context.Context, scope Scope, filter RecordFilter, ids []string) (int, error) {
	if passed := (RecordFilter{ID: filter.ID}); passed.ID != nil {
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !passed.Matches(&Record{ID: id}) })
	}
	if len(ids) == 0 {
		return 0, nil
	}
	filter.ID = &TextCondition{Any: ids}
	page, err := m.index.Search(ctx, driver.Search{Scope: scope, Filter: filter})
	return page.Total, err
}

// removeUnchanged removes those candidates that have not changed since they were read, and
// returns them.
func (m *Memory) removeUnchanged(ctx context.Context, records []candidate) ([]candidate, error) {
	err := retry(ctx, func() error {
		if len(records) == 0 {
			return nil
		}
		changes, keys := make([]driver.RecordChange, 0, len(records)), make([]driver.RecordKey, 0, len(records))
		for _, r := range records {
			changes, keys = append(changes, driver.RecordChange{Key: r.key, If: r.version}), append(keys, r.key)
		}
		conflict := m.index.Write(ctx, changes)
		if !errors.Is(conflict, ErrConflict) {
			return conflict
		}
		entries, err := m.index.Lookup(ctx, driver.Lookup{Keys: keys})
		if err != nil {
			return err
		}
		versions := make(map[driver.RecordKey]uint64, len(entries))
		for i := range entries {
			versions[driver.KeyOf(&entries[i].Record)] = entries[i].Version
		}
		records = slices.DeleteFunc(slices.Clone(records), func(r candidate) bool { return versions[r.key] != r.version })
		return conflict
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}
