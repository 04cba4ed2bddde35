package longterm

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Reembed makes the vectors of the records of a scope that have none of the Embedder's
// model: of those that were put without one, or with another. It returns of how many.
// Until then these are found by keywords. It may run while others put, and again after
// an error. Errors: ErrEmbedder, also without one, ErrScope, ErrConflict after 100
// attempts, ErrUnavailable, ErrClosed.
func (m *Memory) Reembed(ctx context.Context, scope Scope) (int, error) {
	if m.opts.Embedder == nil {
		return 0, fmt.Errorf("longterm: reembedding: %w: there is none", ErrEmbedder)
	}
	made := 0
	vectors := map[string][]float32{}
	err := m.eachPage(ctx, scope, RecordFilter{}, func(keys []driver.RecordKey) error {
		clear(vectors)
		n := 0
		err := retry(ctx, func() (err error) {
			n, err = m.reembedSome(ctx, keys, vectors)
			return err
		})
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

// reembedSome makes the vectors of some records, and returns of how many.
func (m *Memory) reembedSome(ctx context.Context, keys []driver.RecordKey, vectors map[string][]float32) (int, error) {
	d := m.newDraft(vectors)
	if err := d.lookup(ctx, driver.Lookup{Keys: keys}); err != nil {
		return 0, err
	}
	var old []driver.RecordKey
	var texts []string
	for _, key := range keys {
		e := d.entry(key)
		if e == nil || e.Model == m.model || strings.TrimSpace(e.Record.Text) == "" {
			continue
		}
		old = append(old, key)
		texts = append(texts, e.Record.Text)
	}
	if err := d.embedTexts(ctx, texts); err != nil {
		return 0, err
	}
	made := 0
	for _, key := range old {
		e := *d.entry(key)
		if vector := vectors[e.Record.Text]; vector != nil {
			e.Vector, e.Model = vector, m.model
			d.set(key, &e)
			made++
		}
	}
	return made, d.write(ctx)
}
