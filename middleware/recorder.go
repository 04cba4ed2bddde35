package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// ErrExtractorPanic is returned when an extractor panics. The tool call is not affected.
var ErrExtractorPanic = errors.New("middleware: extractor panicked")

// Recorder is the working memory of one conversation: it records finished tool calls
// and renders the block for the next prompt. It is safe for concurrent use. The zero
// value is ready for use, with the default options. It must not be copied.
type Recorder struct {
	defaults sync.Once // sets up a zero value
	pipeline
	backing   backing
	ledger    *ledger
	session   session.Key // zero unless stored
	onCall    func(context.Context, ToolCall, extractor.Extraction, error)
	tracker   *tracker             // is also the backing; nil without a DecisionLog
	workspace *workspace.Workspace // may be nil
	item      ItemFunc             // nil without a workspace
	notes     int                  // how many items compete for the block, 0 for none

	recollection recollection

	issue *handle.Options // how handles are given; nil without handles
	typed literals        // in the form of handles, in messages of the user
	shelf *shelf          // nil if results are not stored
	draft drafter         // of the journal; nil without one

	mu      sync.Mutex // also of recollection
	block   string     // rendered at version
	version version
	fresh   bool
	focus   prompt.Focus
	heard   [2]uint64              // digests of the last ones in the focus, of the user and the model
	holding *memory.WorkingContext // in which what the focus mentions is held
}

// NewRecorder returns a recorder. If opts is nil, the defaults are used and the error is
// nil. Errors: ErrContext, ErrContextCapacity.
func NewRecorder(opts *Options) (*Recorder, error) {
	r := new(Recorder)
	if err := r.setUp(cmp.Or(opts, new(Options))); err != nil {
		return nil, err
	}
	return r, nil
}

// setUp initializes the parts of a recorder.
func (r *Recorder) setUp(opts *Options) error {
	wc, err := opts.context()
	if err != nil {
		return err
	}
	r.pipeline = newPipeline(opts.Extractor, opts.Block, opts.Logger, opts.Observer)
	l := local{context: wc, table: opts.Handles}
	if opts.Handles != nil {
		r.issue = opts.Handles.Options()
	}
	if results := opts.Results; results != nil {
		r.shelf = &shelf{opts: results.opts, store: results.store, key: resultsKey}
		l.table = cmp.Or(l.table, results.table)
	}
	r.backing, r.ledger = l, newLedger()
	r.onCall, r.recollection = opts.OnCall, newRecollection(opts.Recall, opts.Block)
	if opts.Workspace != nil {
		r.workspace, r.item = opts.Workspace, opts.Item
		if opts.Notes {
			r.notes = notesFor(opts.Block)
		}
	}
	if opts.Decisions != nil {
		r.tracker = newTracker(opts.Decisions, l)
		r.backing = r.tracker
	}
	return nil
}

// setUpBacking returns the recorder's backing. It sets up a zero recorder first.
func (r *Recorder) setUpBacking() backing {
	r.defaults.Do(func() {
		if r.backing == nil {
			_ = r.setUp(new(Options)) // the defaults are valid
		}
	})
	return r.backing
}

// Context returns the working context that the recorder fills. For a stored session it
// is the last known state: it is replaced when the session is read again, and changes
// made to it by the caller are not stored.
func (r *Recorder) Context() *memory.WorkingContext { return r.setUpBacking().current() }

// Workspace returns Options.Workspace, which may be nil.
func (r *Recorder) Workspace() *workspace.Workspace { return r.workspace }

// Record records a finished tool call: in one step, ids among its arguments count as
// uses, entities in its result are added, best first, and entities that it deleted are
// removed. With a Workspace, the queue.ContextItems that it returned are then routed and
// the call is observed.
//
// Record never panics: the panic of a callback is returned as ErrExtractorPanic or
// memory.ErrPanic, except that of OnCall, which only the Logger receives. An error (the
// extractor's, that of workspace.Workspace.Route, or one such as memory.ErrTooLong for a
// refused entity) means that memory is incomplete, never that the tool's result is
// unusable.
func (r *Recorder) Record(ctx context.Context, call ToolCall) error {
	_, err := r.record(ctx, call, detached)
	return err
}

// errUnread is returned for a call that was not recorded because its context ended before its
// result was read.
var errUnread = errors.New("result not read")

// reading is how long a result is read.
type reading int

const (
	detached reading = iota // to its end, even if the agent is canceled
	bound                   // no longer than the call's context lives
)

// record implements Record, and returns what was found.
func (r *Recorder) record(ctx context.Context, call ToolCall, as reading) (found extractor.Extraction, err error) {
	b := r.setUpBacking()
	ctx, observed := r.observe(ctx, Operation{Kind: OperationRecord, Call: &call})
	defer func() { observed.end(&found, err) }()
	call = r.withIDs(ctx, call)
	large := r.largeResult(&call)
	given := call
	call = r.asRead(call)
	items := contextItems(call.Result)
	found, err = r.extract(ctx, call, items, as)
	found = r.withoutHandles(found)
	observed.extracted()
	if as == bound && err != nil && ctx.Err() != nil {
		err = errors.Join(errUnread, err)
	} else {
		applied := callee.RecoverPanic(func() error {
			eff := r.effectsOf(&call, found, large)
			if r.draft != nil {
				eff.entry = r.draft(&given, &found, large)
			}
			return b.apply(ctx, call, eff)
		})
		err = errors.Join(err, applied, r.updateWorkspace(ctx, call, found, items))
		if large != nil {
			err = errors.Join(err, r.storeResult(ctx, &call, large, found))
		}
	}
	if err != nil {
		err = fmt.Errorf("middleware: recording %q: %w", call.Name, err)
		r.warn(ctx, "tool call not fully recorded", call, err)
	}
	r.notify(ctx, call, found, err)
	return found, err
}

// notify calls OnCall. The Logger receives its panic.
func (r *Recorder) notify(ctx context.Context, call ToolCall, found extractor.Extraction, err error) {
	if r.onCall == nil {
		return
	}
	if panicked := callee.RecoverPanic(func() error { r.onCall(ctx, call, found, err); return nil }); panicked != nil {
		r.warn(ctx, "OnCall failed", call, panicked)
	}
}

func (r *Recorder) warn(ctx context.Context, text string, call ToolCall, err error) {
	r.logger.LogAttrs(ctx, slog.LevelWarn, text, slog.String("tool", call.Name), slog.Any("error", err))
}

// extract calls the extractor, and returns its panic as ErrExtractorPanic. If the call
// returned items, their contents are extracted.
func (r *Recorder) extract(ctx context.Context, call ToolCall, items []queue.ContextItem, as reading) (found extractor.Extraction, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, err = extractor.Extraction{}, fmt.Errorf("%w: %T", ErrExtractorPanic, p)
		}
	}()
	in := extractor.Input{Tool: call.Name, Source: call.Source, Arguments: call.Arguments, Result: call.Result, Failed: call.Err != nil}
	switch {
	case in.Failed:
		in.Result = nil
	case items != nil:
		in.Result = contentsOf(items)
	case isStub(in.Result):
		in.Result = nil
	default:
		in.Result = withoutBlocks(in.Result)
	}
	if as == detached {
		ctx = context.WithoutCancel(ctx)
	}
	return r.extractor.Extract(ctx, in)
}

// Refresh loads the recorder's stored session, if it has one, or stores its pending
// calls if there are any. After an error, which the Logger receives too, the block is
// unchanged. In any case Refresh recalls memories for the user's last message if it is
// new: see Options.Recall. Errors: those of session.Manager.Load and UpdateHead.
func (r *Recorder) Refresh(ctx context.Context) error {
	defer r.recall(ctx)
	if err := r.setUpBacking().refresh(ctx); err != nil {
		r.logger.LogAttrs(ctx, slog.LevelWarn, "refreshing stored working memory failed", slog.String("error", callee.Loggable(err)))
		return fmt.Errorf("middleware: refreshing: %w", err)
	}
	return nil
}

// Clear empties the context, and the entities of a stored session in its store. Calls
// that are not stored yet are dropped with their messages, and recalled memories leave
// the block until they are recalled again. Errors: those of session.Manager.UpdateHead;
// after an error nothing is cleared.
func (r *Recorder) Clear(ctx context.Context) (err error) {
	b := r.setUpBacking()
	ctx, observed := r.observe(ctx, Operation{Kind: OperationForget})
	defer func() { observed.end(nil, err) }()
	if err := b.clear(ctx); err != nil {
		return fmt.Errorf("middleware: clearing: %w", err)
	}
	r.forgetRecalled()
	return nil
}
