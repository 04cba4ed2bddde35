package draft

import (
	"context"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// vectorCache holds vectors by text. It outlasts the attempts at a change, so that no text is
// embedded twice.
type vectorCache map[string][]float32

// embed computes the vectors of records with new texts that are not blank.
func (d *draft) embed(ctx context.Context, records []driver.Record) error {
	if d.w.Embedder == nil {
		return nil
	}
	var texts []string
	for i := range records {
		r := &records[i]
		old := d.entry(driver.KeyOf(r))
		switch {
		case strings.TrimSpace(r.Text) == "", old != nil && old.Record.Text == r.Text:
			continue
		}
		texts = append(texts, r.Text)
	}
	return d.embedTexts(ctx, texts)
}

// embedTexts computes the vectors of texts that are not in the cache.
func (d *draft) embedTexts(ctx context.Context, texts []string) error {
	texts = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(texts))), func(text string) bool { _, known := d.vectors[text]; return known })
	vectors, err := d.w.Embedder.VectorsOrNone(ctx, texts)
	if err != nil {
		return err
	}
	for i, text := range texts {
		d.vectors[text] = vectors[i]
	}
	return nil
}

// Reembed computes the vectors of records that have none of the Embedder's model, in one write,
// and returns how many it computed.
func (w *Writer) Reembed(ctx context.Context, keys []driver.RecordKey) (made int, err error) {
	vectors := vectorCache{}
	err = contention.Retry(ctx, driver.ErrConflict, func() (err error) {
		made, err = w.newDraft(vectors).reembed(ctx, keys)
		return err
	})
	return made, err
}

// reembed computes the vectors of records and returns how many it computed.
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
