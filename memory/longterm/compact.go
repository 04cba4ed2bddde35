package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Compaction is the result of Memory.Compact.
type Compaction struct {
	// Merged is how many records were merged into others, Remaining how many are left.
	Merged, Remaining int
}

// Compact merges the records of a scope that are the same memory under the present options:
// records that were put with PutOptions.NoMerge, with other options, at the same moment or
// without an Embedder. It reads all records and, with an Embedder, searches once for each; it
// computes no embeddings, see Reembed. It may run concurrently with other calls, and again after
// an error. Errors: ErrScope, ErrConflict after 100 attempts, ErrUnavailable, ErrClosed.
func (m *Memory) Compact(ctx context.Context, scope Scope) (Compaction, error) {
	var c Compaction
	err := m.eachPage(ctx, scope, RecordFilter{Type: &TextCondition{Ne: new(string(session.RecordMessage))}}, func(keys []driver.RecordKey) error {
		merged, err := m.writer.Compact(ctx, keys)
		c.Merged += merged
		return err
	})
	if err != nil {
		return c, fmt.Errorf("longterm: compacting: %w", err)
	}
	page, err := m.index.Search(ctx, driver.Search{Scope: scope})
	if err != nil {
		return c, fmt.Errorf("longterm: compacting: %w", err)
	}
	c.Remaining = page.Total
	return c, nil
}
