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
	// apply applies what was found in a call to the context. After an error the context
	// may have the change, or the part that was not refused.
	apply(ctx context.Context, call ToolCall, found extractor.Extraction) error
	// refresh loads the stored session, or stores pending calls. After an error, current
	// is unchanged.
	refresh(ctx context.Context) error
	// changedByOthers loads the stored session, and reports whether it was written by others
	// than this backing since the last call. Messages that were appended do not count.
	changedByOthers(ctx context.Context) (bool, error)
	// clear removes all entities. After an error, none are removed.
	clear(ctx context.Context) error
}

// local is a context that is not stored.
type local struct{ context *memory.WorkingContext }

var _ backing = local{}

func (l local) current() *memory.WorkingContext { return l.context }

func (l local) apply(_ context.Context, _ ToolCall, found extractor.Extraction) error {
	return l.context.Apply(changeOf(found))
}

func (l local) refresh(context.Context) error { return nil }

func (l local) changedByOthers(context.Context) (bool, error) { return false, nil }

func (l local) clear(context.Context) error {
	l.context.Clear()
	return nil
}

// changeOf returns the change that a call makes to a context.
func changeOf(found extractor.Extraction) memory.Change {
	return memory.Change{Use: found.Used, Add: found.Entities, Remove: found.Removed}
}
