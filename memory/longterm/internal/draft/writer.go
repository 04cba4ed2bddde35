package draft

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/embedding"
)

// Writer changes records of an index. It is safe for concurrent use. A change that others
// get in the way of is made again, and fails with driver.ErrConflict after 100 attempts.
type Writer struct {
	Index driver.Index
	// Embedder makes vectors; nil if there is none.
	Embedder *embedding.Embedder
	// AcrossSessions and MergeDistance are those of longterm.Options.
	AcrossSessions bool
	MergeDistance  float64
	Now            func() time.Time
}

// model names what makes vectors, "" if nothing does.
func (w *Writer) model() string {
	if w.Embedder == nil {
		return ""
	}
	return w.Embedder.Model
}
