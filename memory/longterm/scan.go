package longterm

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// scanPage is the number of records read at once in a scan.
const scanPage = 100

// Records yields the records of a scope that pass a filter, ordered by namespace, user and id. It
// reads them in pages as they are consumed, notes no uses, and with concurrent writes neither skips
// nor repeats a record. It ends after an error: ErrFilter, ErrScope, ErrUnavailable, ErrClosed.
func (m *Memory) Records(ctx context.Context, scope Scope, filter RecordFilter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for hits, err := range m.pages(ctx, scope, filter) {
			if err != nil {
				yield(Record{}, fmt.Errorf("longterm: reading records: %w", err))
				return
			}
			for i := range hits {
				if !yield(hits[i].Record, nil) {
					return
				}
			}
		}
	}
}

// eachPage calls do with the keys of the records that pass a filter, in pages, ordered by key.
func (m *Memory) eachPage(ctx context.Context, scope Scope, filter RecordFilter, do func(keys []driver.RecordKey) error) error {
	for hits, err := range m.pages(ctx, scope, filter) {
		if err != nil {
			return err
		}
		keys := make([]driver.RecordKey, 0, len(hits))
		for i := range hits {
			keys = append(keys, driver.KeyOf(&hits[i].Record))
		}
		if err := do(keys); err != nil {
			return err
		}
	}
	return nil
}

// pages yields the records that pass a filter in pages, ordered by key, so that concurrent
// writes make it neither skip nor repeat a record.
func (m *Memory) pages(ctx context.Context, scope Scope, filter RecordFilter) iter.Seq2[[]Hit, error] {
	return func(yield func([]Hit, error) bool) {
		if err := m.check(scope); err != nil {
			yield(nil, err)
			return
		}
		s := driver.Search{Scope: scope, Filter: filter, Order: OrderKey, Limit: scanPage, NoTotal: true}
		for {
			page, err := m.index.Search(ctx, s)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page.Hits) == 0 {
				return
			}
			last := driver.KeyOf(&page.Hits[len(page.Hits)-1].Record)
			if !yield(page.Hits, nil) {
				return
			}
			s.After = &last
		}
	}
}
