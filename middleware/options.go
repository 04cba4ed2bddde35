package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// BudgetCapacity is how many entities compete for a block with a token budget: far more
// than fit, so that the budget decides.
const BudgetCapacity = 256

// ErrContext is returned if Options name two different working contexts.
var ErrContext = errors.New("middleware: Options.Context is not the working context of Options.Workspace")

// ErrContextCapacity is returned if the capacity of a working context is too small for a
// block with a token budget. CapacityFor returns the capacity that it needs.
var ErrContextCapacity = errors.New("middleware: the working context holds too few entities for a block with a budget")

// Options configures a Recorder. The zero value is useful.
type Options struct {
	// Extractor finds the entities. Share one among the recorders of a server, because
	// it caches field names. If nil, an extractor.EntityExtractor with the limits of
	// LimitsFor is used.
	Extractor extractor.Extractor
	// Block configures how the block is rendered.
	Block prompt.Options
	// Context is the working context to fill. If Block has a Budget, its capacity must be
	// at least that of CapacityFor. If nil, the Workspace's context is used, or without a
	// Workspace a new context of that capacity.
	Context *memory.WorkingContext
	// Workspace is filled by the recorder: its working context with entities, and its
	// queue and pool with the queue.ContextItems that tools return (see
	// workspace.Workspace.Route). It may be nil.
	Workspace *workspace.Workspace
	// Item returns an item for each call, which is added to the Workspace's item store;
	// the store's step advances with each call. ItemFromCall suits most tools. If nil,
	// the store is not filled.
	Item ItemFunc
	// Notes shows items of the Workspace's item store in the block, as notes: the most
	// important and, among equals, the most recent, as many as Block has room for.
	Notes bool
	// Recall returns memories beyond the conversation that are relevant to the user's
	// last message (see Recorder.UpdateFocus). The block shows them as notes, which
	// share the room with those of the Workspace. Refresh calls Recall once per message;
	// call Refresh before Block if no wrapper does. If Recall fails or panics, the block
	// has no memories and the Logger receives the failure. If nil, nothing is recalled.
	Recall RecallFunc
	// Handles shows short handles such as page#1 in place of long ids, in the block and in
	// the results that a model sees, and turns what the model passes back into ids: see
	// package handle. RecordCalls and the adapters do it for all tool calls; a program of its
	// own calls Recorder.DecodeArguments before a tool and RunningCall.Shown after it. Give the
	// same table to the recorders of a conversation's branches. If nil, ids are shown as they
	// are.
	Handles *handle.Table
	// Results stores large results, and shows the model a description in their place, with what
	// was found in them. Give the model ResultTools to read them, and the same Results to the
	// recorders of a conversation's branches. RecordCalls and the adapters show the
	// descriptions; a program of its own does by RunningCall.Shown. If nil, results are shown
	// whole.
	Results *Results
	// OnCall receives each recorded call, the entities found and the error, in the
	// goroutine that recorded it. It may be nil.
	OnCall func(ctx context.Context, call ToolCall, found extractor.Extraction, err error)
	// Decisions receives what happens to each entity, for DecisionLog.Why. Each recorder
	// needs its own log. If set, calls are applied one at a time, in time proportional to
	// the number of entities in the context, and the context's OnEvict must not call
	// Record. If nil, nothing is logged, at no cost.
	Decisions *DecisionLog
	// Observer receives the recorder's operations, for traces and metrics. If nil, nothing
	// is observed, at no cost.
	Observer Observer
	// Logger receives failures with the tool's name and the error, never contents. If
	// nil, nothing is logged.
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

// pipeline holds what the recorders of a Sessions share.
type pipeline struct {
	extractor extractor.Extractor
	renderer  *prompt.Renderer
	logger    *slog.Logger
	observer  Observer // may be nil
}

// newPipeline returns a pipeline with defaults for nil parts.
func newPipeline(x extractor.Extractor, block prompt.Options, logger *slog.Logger, observer Observer) pipeline {
	if x == nil {
		x = extractor.Default(LimitsFor(block))
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return pipeline{extractor: x, renderer: prompt.NewRenderer(&block), logger: logger, observer: observer}
}

// CapacityFor returns the capacity of a working context for a block: BudgetCapacity with
// a token budget, otherwise memory.DefaultCapacity. Use it for the memory.ContextOptions
// of a workspace or a session.Manager:
//
//	session.Options{Context: &memory.ContextOptions{Capacity: middleware.CapacityFor(block)}}
func CapacityFor(block prompt.Options) int {
	if block.Budget > 0 {
		return BudgetCapacity
	}
	return memory.DefaultCapacity
}

// checkCapacity returns an ErrContextCapacity if a context is too small for the budget of
// a block. Without a budget any capacity is valid.
func checkCapacity(wc *memory.WorkingContext, block prompt.Options) error {
	if has, needs := wc.Capacity(), CapacityFor(block); block.Budget > 0 && has < needs {
		return fmt.Errorf("%w: %d, not %d", ErrContextCapacity, has, needs)
	}
	return nil
}

// LimitsFor returns the limits of extraction for a block: with a token budget, all
// entities that may compete for it; otherwise those of seed 004, the first five items of a list
// and three of a search, so that a long list does not evict everything else from a small
// context. The other items are candidates, which the user may name.
func LimitsFor(block prompt.Options) extractor.Limits {
	if block.Budget > 0 {
		return extractor.WideLimits()
	}
	return extractor.Limits{Items: 5, Candidates: memory.DefaultCandidates}
}

// notesFor returns how many items compete for a block.
func notesFor(block prompt.Options) int {
	if block.Budget > 0 {
		return items.DefaultMaxItems
	}
	return cmp.Or(max(block.Notes, 0), prompt.DefaultNotes)
}
