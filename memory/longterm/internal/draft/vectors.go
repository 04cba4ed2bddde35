package draft

import (
	"context"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// vectorsOf are the vectors of texts. They outlast the attempts at a change: no text is
// embedded twice.
type vectorsOf map[string][]float32

// embed makes the vectors of the texts of records that are new. A text that is blank
// has none.
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

// embedTexts makes the vectors of texts that have none yet, each once.
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
