package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Reembed makes the vectors of the records of a scope that have none of the Embedder's
// model: of those that were put without one, or with another. It returns of how many.
// Until then these are found by keywords. It may run while others put, and again after
// an error. Errors: ErrEmbedder, also without one, ErrScope, ErrConflict after 100
// attempts, ErrUnavailable, ErrClosed.
func (m *Memory) Reembed(ctx context.Context, scope Scope) (int, error) {
	if m.writer.Embedder == nil {
		return 0, fmt.Errorf("longterm: reembedding: %w: there is none", ErrEmbedder)
	}
	made := 0
	err := m.eachPage(ctx, scope, RecordFilter{}, func(keys []driver.RecordKey) error {
		n, err := m.writer.Reembed(ctx, keys)
		if err == nil {
			made += n
		}
		return err
	})
	if err != nil {
		return made, fmt.Errorf("longterm: reembedding: %w", err)
	}
	return made, nil
}
