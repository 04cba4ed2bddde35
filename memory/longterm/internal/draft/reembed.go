package draft

import (
	"context"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Reembed makes the vectors of records that have none of the Embedder's model, in one write,
// and returns how many it made.
func (w *Writer) Reembed(ctx context.Context, keys []driver.RecordKey) (made int, err error) {
	vectors := vectorsOf{}
	err = contention.Retry(ctx, driver.ErrConflict, func() (err error) {
		made, err = w.newDraft(vectors).reembed(ctx, keys)
		return err
	})
	return made, err
}

// reembed makes the vectors of records, and returns how many it made.
func (d *draft) reembed(ctx context.Context, keys []driver.RecordKey) (int, error) {
	if err := d.lookup(ctx, driver.Lookup{Keys: keys}); err != nil {
		return 0, err
	}
	var old []driver.RecordKey
	var texts []string
	for _, key := range keys {
		e := d.entry(key)
		if e == nil || e.Model == d.w.model() || strings.TrimSpace(e.Record.Text) == "" {
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
		if vector := d.vectors[e.Record.Text]; vector != nil {
			e.Vector, e.Model = vector, d.w.model()
			d.set(key, &e)
			made++
		}
	}
	return made, d.write(ctx)
}
