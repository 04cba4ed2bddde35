package middleware

import (
	"context"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

// backing holds the working context that a Recorder fills. It is safe for concurrent use.
type backing interface {
	// current returns the context as this process knows it.
	current() *memory.WorkingContext
	// apply changes the context by what was found in a call. With an error, the context
	// may have the change, or what of it was not refused.
	apply(ctx context.Context, call ToolCall, found extractor.Extraction) error
	// refresh loads what is stored, and stores what is not stored yet. With an error,
	// current stays what it is.
	refresh(ctx context.Context) error
	// clear removes all entities. With an error, none are removed.
	clear(ctx context.Context) error
}

// local is a context of this process alone.
type local struct{ context *memory.WorkingContext }

var _ backing = local{}

func (l local) current() *memory.WorkingContext { return l.context }

func (l local) apply(_ context.Context, _ ToolCall, found extractor.Extraction) error {
	return l.context.Apply(changeOf(found))
}

func (l local) refresh(context.Context) error { return nil }

func (l local) clear(context.Context) error {
	l.context.Clear()
	return nil
}

// changeOf returns the change that a call makes to a context.
func changeOf(found extractor.Extraction) memory.Change {
	return memory.Change{Use: found.Used, Add: found.Entities, Remove: found.Removed}
}
