package extractor

import (
	"cmp"
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory"
)

// First returns an Extractor that tries extractors in order and takes the entities of
// the first that finds any. Put your own first and an EntityExtractor last. Action,
// Used, Removed and the other fields are taken from the first extractor that sets
// them. An error does not stop the remaining extractors; errors are joined.
func First(extractors ...Extractor) Extractor { return first(extractors) }

type first []Extractor

func (fs first) Extract(ctx context.Context, in Input) (Extraction, error) {
	var out Extraction
	var errs []error
	for _, x := range fs {
		found, err := x.Extract(ctx, in)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(out.Entities) == 0 {
			out.Entities, out.Reason, out.Format = found.Entities, found.Reason, found.Format
		}
		out.Used = firstOf(out.Used, found.Used)
		out.Changed = firstOf(out.Changed, found.Changed)
		out.Removed = firstOf(out.Removed, found.Removed)
		out.Action = cmp.Or(out.Action, found.Action)
		out.Failed = out.Failed || found.Failed
	}
	return out, errors.Join(errs...)
}

func firstOf(a, b []memory.Ref) []memory.Ref {
	if len(a) > 0 {
		return a
	}
	return b
}

// Func adapts a function to the Extractor interface.
type Func func(ctx context.Context, in Input) (Extraction, error)

// Extract calls f.
func (f Func) Extract(ctx context.Context, in Input) (Extraction, error) { return f(ctx, in) }
