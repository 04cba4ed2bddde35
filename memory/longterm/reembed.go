package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Reembed embeds the records of a scope that have no vector of the Embedder's model, and
// returns how many. Without a vector, a record is found by keywords only. Reembed may run
// concurrently with other calls, and again after an error. Errors: ErrEmbedder, also without
// an Embedder; ErrScope, ErrConflict after 100 attempts, ErrUnavailable, ErrClosed.
func (m *Memory) Reembed(ctx context.Context, scope Scope) (int, error) {
	if m.writer.Embedder == nil {
		return 0, fmt.Errorf("longterm: reembedding: %w: no embedder", ErrEmbedder)
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
