package middleware

import (
	"context"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
)

// backing holds the working context that a Recorder fills. It is safe for concurrent use.
type backing interface {
	// current returns the context as this process knows it.
	current() *memory.WorkingContext
	// handles returns the committed handles, or nil without handles.
	handles() *handle.Table
	// apply applies what was found in a call to the context, and commits its handles. After
	// an error the context may have the change, or the part that was not refused.
	apply(ctx context.Context, call ToolCall, eff effects) error
	// refresh loads the stored session, or stores pending calls. After an error, current
	// is unchanged.
	refresh(ctx context.Context) error
	// changedByOthers loads the stored session, and reports whether it was written by others
	// than this backing since the last call. Messages that were appended do not count.
	changedByOthers(ctx context.Context) (bool, error)
	// clear removes all entities. After an error, none are removed.
	clear(ctx context.Context) error
}

// effects is what a call changes.
type effects struct {
	found   extractor.Extraction
	handles handle.Change
	entry   *draftEntry // of the journal; nil without one
}

// local is a context that is not stored.
type local struct {
	context *memory.WorkingContext
	table   *handle.Table // may be nil
}

var _ backing = local{}

func (l local) current() *memory.WorkingContext { return l.context }

func (l local) handles() *handle.Table { return l.table }

func (l local) apply(_ context.Context, _ ToolCall, eff effects) error {
	if l.table != nil {
		l.table.Apply(eff.handles)
	}
	return l.context.Apply(changeOf(eff.found))
}

func (l local) refresh(context.Context) error { return nil }

func (l local) changedByOthers(context.Context) (bool, error) { return false, nil }

func (l local) clear(context.Context) error {
	l.context.Clear()
	return nil
}

// changeOf returns the change that a call makes to a context.
func changeOf(found extractor.Extraction) memory.Change {
	return memory.Change{Use: found.Used, Changed: found.Changed, Add: found.Entities, Remove: found.Removed}
}
