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
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// ErrExtractorPanic is returned where an extractor panicked. The tool call went on.
var ErrExtractorPanic = errors.New("middleware: extractor panicked")

// Recorder is the working memory of one conversation: it takes finished tool
// calls and gives the block for the next prompt. It is safe for concurrent use.
// The zero value is ready for use, with the default options. It must not be copied.
type Recorder struct {
	defaults sync.Once // sets up a zero value
	pipeline
	backing   backing
	onCall    func(context.Context, ToolCall, extractor.Extraction, error)
	tracker   *tracker             // the backing too; nil without a DecisionLog
	workspace *workspace.Workspace // may be nil
	item      ItemFunc             // nil without a workspace
	notes     int                  // how many items compete for the block, 0 for none

	recollection recollection

	mu      sync.Mutex // also of recollection
	block   string     // rendered at version
	version version
	fresh   bool
	focus   prompt.Focus // what was said last
}

// NewRecorder makes a recorder. nil options mean the defaults, with which it does not
// fail. Errors: ErrContext, ErrContextCapacity.
func NewRecorder(opts *Options) (*Recorder, error) {
	r := new(Recorder)
	if err := r.setUp(cmp.Or(opts, new(Options))); err != nil {
		return nil, err
	}
	return r, nil
}

// setUp makes the parts of a recorder.
func (r *Recorder) setUp(opts *Options) error {
	wc, err := opts.context()
	if err != nil {
		return err
	}
	r.pipeline = newPipeline(opts.Extractor, opts.Block, opts.Logger)
	r.backing = local{wc}
	r.onCall, r.recollection = opts.OnCall, newRecollection(opts.Recall, opts.Block)
	if opts.Workspace != nil {
		r.workspace, r.item = opts.Workspace, opts.Item
		if opts.Notes {
			r.notes = notesFor(opts.Block)
		}
	}
	if opts.Decisions != nil {
		r.tracker = newTracker(opts.Decisions, wc)
		r.backing = r.tracker
	}
	return nil
}

// back returns the recorder's backing, after it has set up a zero recorder.
func (r *Recorder) back() backing {
	r.defaults.Do(func() {
		if r.backing == nil {
			_ = r.setUp(new(Options)) // the defaults are in order
		}
	})
	return r.backing
}

// Context is the working context that the recorder fills. That of a stored session
// is what was known of it last: it is replaced when the session is read again, and
// changes that the caller makes to it are not stored.
func (r *Recorder) Context() *memory.WorkingContext { return r.back().current() }

// Workspace is the workspace that the recorder works for, nil if there is none.
func (r *Recorder) Workspace() *workspace.Workspace { return r.workspace }

// Record takes in a finished tool call: ids among its arguments count as uses,
// entities in its result are added, best first, and what it deleted is removed,
// all at once. Then queue.ContextItems that it returned are routed and the call
// is observed, where there is a Workspace. It never panics: where a callback does,
// that is an ErrExtractorPanic or a memory.ErrPanic, of OnCall one that the Logger
// alone receives. An error, the extractor's, that of workspace.Workspace.Route, or
// memory.ErrTooLong and the like for what was refused, means that memory missed
// something, never that the tool's result is unusable.
func (r *Recorder) Record(ctx context.Context, call ToolCall) error {
	_, err := r.record(ctx, call)
	return err
}

// record is Record, and returns what was found.
func (r *Recorder) record(ctx context.Context, call ToolCall) (extractor.Extraction, error) {
	b := r.back()
	items := contextItems(call.Result)
	found, err := r.extract(ctx, call, items)
	applied := callee.Survive(func() error { return b.apply(ctx, call, found) })
	err = errors.Join(err, applied, r.updateWorkspace(ctx, call, found, items))
	if err != nil {
		err = fmt.Errorf("middleware: recording %q: %w", call.Name, err)
		r.warn(ctx, "working memory missed something of a tool call", call, err)
	}
	r.notify(ctx, call, found, err)
	return found, err
}

// notify calls OnCall. A panic of it goes to the Logger.
func (r *Recorder) notify(ctx context.Context, call ToolCall, found extractor.Extraction, err error) {
	if r.onCall == nil {
		return
	}
	if panicked := callee.Survive(func() error { r.onCall(ctx, call, found, err); return nil }); panicked != nil {
		r.warn(ctx, "OnCall failed", call, panicked)
	}
}

func (r *Recorder) warn(ctx context.Context, text string, call ToolCall, err error) {
	r.logger.LogAttrs(ctx, slog.LevelWarn, text, slog.String("tool", call.Name), slog.Any("error", err))
}

// extract calls the extractor, whose panic is an ErrExtractorPanic. Where a call
// returned items, their contents are its result.
func (r *Recorder) extract(ctx context.Context, call ToolCall, items []queue.ContextItem) (found extractor.Extraction, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, err = extractor.Extraction{}, fmt.Errorf("%w: %T", ErrExtractorPanic, p)
		}
	}()
	in := extractor.Input{Tool: call.Name, Arguments: call.Arguments, Result: call.Result, Failed: call.Err != nil}
	switch {
	case in.Failed:
		in.Result = nil
	case items != nil:
		in.Result = contentsOf(items)
	default:
		in.Result = withoutBlocks(in.Result)
	}
	return r.extractor.Extract(context.WithoutCancel(ctx), in)
}

// Refresh reads what is stored of the recorder's session, and stores what is left
// to be stored, if it has one. With an error, of session.Manager.Load or UpdateHead,
// which the Logger receives too, the block stays as it is. In any case it
// recalls what bears on the user's last words, if that is new: see Options.Recall.
func (r *Recorder) Refresh(ctx context.Context) error {
	defer r.recall(ctx)
	if err := r.back().refresh(ctx); err != nil {
		r.logger.LogAttrs(ctx, slog.LevelWarn, "stored working memory was not read", slog.String("error", callee.Loggable(err)))
		return fmt.Errorf("middleware: refreshing: %w", err)
	}
	return nil
}

// Clear empties the context, that of a stored session in its store, too; calls that
// are not stored yet are given up, with their messages. What was recalled leaves the
// block until it is recalled again. Errors: those of session.Manager.UpdateHead, with
// which nothing was cleared.
func (r *Recorder) Clear(ctx context.Context) error {
	if err := r.back().clear(ctx); err != nil {
		return fmt.Errorf("middleware: clearing: %w", err)
	}
	r.forgetRecalled()
	return nil
}
