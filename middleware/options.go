package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// BudgetCapacity is how many entities compete for a block with a token budget: far more
// than fit, so that the budget decides.
const BudgetCapacity = 256

// ErrContext is returned where Options name two working contexts.
var ErrContext = errors.New("middleware: Options.Context is not the working context of Options.Workspace")

// ErrContextCapacity is returned where a working context holds too few entities for a block with
// a token budget. CapacityFor gives the capacity that it needs.
var ErrContextCapacity = errors.New("middleware: the working context holds too few entities for a block with a budget")

// Options configures a Recorder. The zero value is useful.
type Options struct {
	// Extractor finds the entities. Share one among the recorders of a server: it
	// remembers the field names it has met. nil means an extractor.EntityExtractor
	// with the limits that LimitsFor gives.
	Extractor extractor.Extractor
	// Block configures how the block is rendered.
	Block prompt.Options
	// Context is the working context to fill, of at least the capacity that CapacityFor
	// gives where Block has a Budget. nil means that of the Workspace, or without one a new
	// context of that capacity.
	Context *memory.WorkingContext
	// Workspace is the memory that the recorder works for: it fills the workspace's working
	// context, and queue.ContextItems that tools return go into its queue or pool (see
	// workspace.Workspace.Route). nil means none.
	Workspace *workspace.Workspace
	// Item makes an item of each call for the Workspace's item store, whose step
	// advances with each call; ItemFromCall is ready for use. nil means
	// that the store is not fed.
	Item ItemFunc
	// Notes lets the block show items of the Workspace's item store as notes: the most
	// important ones, and of these the most recent, as many as Block has room for.
	Notes bool
	// Recall lets the block show what is remembered beyond the conversation, as notes:
	// what bears on the last words of the user (see Recorder.UpdateFocus). They share
	// the room for notes with those of the Workspace. Refresh calls it, once for the same
	// words; call Refresh before Block where no wrapper does. If Recall fails or panics,
	// the block goes without, and the Logger receives the failure. nil means nothing.
	Recall RecallFunc
	// OnCall receives each recorded call, in the goroutine that recorded it: what was
	// found, and the error, if any. nil means none.
	OnCall func(ctx context.Context, call ToolCall, found extractor.Extraction, err error)
	// Decisions receives what happens to each entity, for DecisionLog.Why. Give each
	// recorder its own. While it is set, calls are applied one at a time, in time
	// proportional to the number of entities in the context, whose OnEvict must
	// not call Record. nil means none, which costs nothing.
	Decisions *DecisionLog
	// Logger receives failures by tool name and error, never contents. nil means none.
	Logger *slog.Logger
}

// context returns the working context to fill.
func (o *Options) context() (*memory.WorkingContext, error) {
	wc := o.Context
	if o.Workspace != nil {
		if wc != nil && wc != o.Workspace.Context() {
			return nil, ErrContext
		}
		wc = o.Workspace.Context()
	}
	if wc == nil {
		wc = memory.NewWorkingContext(&memory.ContextOptions{Capacity: CapacityFor(o.Block)})
	}
	return wc, checkCapacity(wc, o.Block)
}

// pipeline is what the recorders of Sessions share.
type pipeline struct {
	extractor extractor.Extractor
	renderer  *prompt.Renderer
	logger    *slog.Logger
}

// newPipeline makes the parts that are nil by default.
func newPipeline(x extractor.Extractor, block prompt.Options, logger *slog.Logger) pipeline {
	if x == nil {
		x = extractor.Default(LimitsFor(block))
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return pipeline{extractor: x, renderer: prompt.NewRenderer(&block), logger: logger}
}

// CapacityFor returns how many entities a working context holds for a block:
// BudgetCapacity with a token budget, else memory.DefaultCapacity. It is the Capacity
// of the memory.ContextOptions of a workspace, or of a session.Manager:
//
//	session.Options{Context: &memory.ContextOptions{Capacity: middleware.CapacityFor(block)}}
func CapacityFor(block prompt.Options) int {
	if block.Budget > 0 {
		return BudgetCapacity
	}
	return memory.DefaultCapacity
}

// checkCapacity returns an ErrContextCapacity if a context is too small for the budget of a
// block. Without a budget any capacity will do.
func checkCapacity(wc *memory.WorkingContext, block prompt.Options) error {
	if has, needs := wc.Capacity(), CapacityFor(block); block.Budget > 0 && has < needs {
		return fmt.Errorf("%w: %d, not %d", ErrContextCapacity, has, needs)
	}
	return nil
}

// LimitsFor is how much of a result is worth taking for a block: with a token
// budget, all that may compete for it; else as many items of a list as the
// block shows of a type, so that a long list does not push everything else out
// of a small context.
func LimitsFor(block prompt.Options) extractor.Limits {
	if block.Budget > 0 {
		return extractor.WideLimits()
	}
	return extractor.Limits{Items: cmp.Or(max(block.PerType, 0), prompt.DefaultPerType)}
}

// notesFor is how many items are worth a look at for a block.
func notesFor(block prompt.Options) int {
	if block.Budget > 0 {
		return items.DefaultMaxItems
	}
	return cmp.Or(max(block.Notes, 0), prompt.DefaultNotes)
}
