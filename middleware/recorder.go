package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// BudgetCapacity is how many entities the context holds that NewRecorder makes
// for a block with a token budget: far more than fit, so that the budget decides.
const BudgetCapacity = 256

// ErrExtractorPanic says that an extractor panicked. The call it was given went on.
var ErrExtractorPanic = errors.New("middleware: extractor panicked")

// Options configures a Recorder. The zero value is useful.
type Options struct {
	// Extractor finds the entities. Share one among the recorders of a server: it
	// remembers the field names it has met. nil means an extractor.EntityExtractor
	// with the limits that LimitsFor gives.
	Extractor extractor.Extractor
	// Block says how the block is rendered.
	Block prompt.Options
	// Scope is the memory that the recorder works for: its working context is the
	// one to fill, and memory.ContextItems that tools return go into its queue or
	// pool (see memory.Scope.Route). For a Block with a Budget make the scope with
	// a working context of BudgetCapacity: the default one holds fewer entities
	// than there is room for. nil means none.
	Scope *memory.Scope
	// Observe makes an item of each call for the Scope's item store, whose step
	// advances with each call; Observe, the function, is ready for use. nil means
	// that the store is not fed.
	Observe ObserveFunc
	// Notes lets the block show items of the Scope's item store as notes: the most
	// important ones, and of these the most recent, as many as Block has room for.
	Notes bool
	// Recall lets the block show what is remembered beyond the conversation, as notes:
	// what bears on the last words of the user that were heard (see Hear). They share
	// the room for notes with those of the Scope. It is asked by Refresh, once for the
	// same words; call that before Block where no wrapper does. If it fails or panics,
	// the block goes without and the Logger is told. nil means nothing.
	Recall RecallFunc
	// OnCall is told of each recorded call, in the goroutine that recorded it:
	// what was found, and the error, if any. nil means nobody is told.
	OnCall func(ctx context.Context, call ToolCall, found extractor.Extraction, err error)
	// Decisions is told what became of each entity, for DecisionLog.Why. Give each
	// recorder its own. While it is set, calls are applied one at a time, in time
	// proportional to the number of entities in the context, whose OnEvict must
	// not call Record. nil means that nobody is told, which costs nothing.
	Decisions *DecisionLog
	// Logger is told of failures by tool name and error, never of contents. nil means none.
	Logger *slog.Logger
}

// Recorder is the working memory of one conversation: it takes finished tool
// calls and gives the block for the next prompt. It is safe for concurrent use.
type Recorder struct {
	context   atomic.Pointer[memory.WorkingContext] // another one after each reading of a stored session
	extractor extractor.Extractor
	renderer  *prompt.Renderer
	onCall    func(context.Context, ToolCall, extractor.Extraction, error)
	logger    *slog.Logger
	observer  *observer     // nil without a DecisionLog
	scope     *memory.Scope // may be nil
	observe   ObserveFunc   // nil without a scope
	notes     int           // how many items compete for the block, 0 for none
	stored    *stored       // nil where the context is in this process alone

	recollection *recollection // nil without a RecallFunc

	mu      sync.Mutex // also of recollection
	block   string     // rendered at version
	version version
	fresh   bool
	query   prompt.Query // what was said last
}

// version is what a block was rendered from.
type version struct {
	of                       *memory.WorkingContext
	context, items, recalled uint64
}

// NewRecorder makes a recorder that fills wc. A nil wc means that of the Scope, or
// without one a new context of memory.DefaultCapacity, or of BudgetCapacity where
// Block has a Budget. nil options mean the defaults.
func NewRecorder(wc *memory.WorkingContext, opts *Options) *Recorder {
	if opts == nil {
		opts = &Options{}
	}
	budgeted := opts.Block.Budget > 0
	if wc == nil && opts.Scope != nil {
		wc = opts.Scope.Context()
	}
	if wc == nil {
		capacity := memory.DefaultCapacity
		if budgeted {
			capacity = BudgetCapacity
		}
		wc = memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
	}
	r := &Recorder{
		extractor: opts.Extractor, renderer: prompt.NewRenderer(&opts.Block),
		onCall: opts.OnCall, logger: opts.Logger, recollection: newRecollection(opts.Recall, opts.Block),
	}
	r.context.Store(wc)
	if opts.Scope != nil {
		r.scope, r.observe = opts.Scope, opts.Observe
	}
	if opts.Scope != nil && opts.Notes {
		r.notes = notesFor(opts.Block)
	}
	if r.extractor == nil {
		r.extractor = extractor.Default(LimitsFor(opts.Block))
	}
	if opts.Decisions != nil {
		r.observer = newObserver(opts.Decisions, wc)
	}
	if r.logger == nil {
		r.logger = slog.New(slog.DiscardHandler)
	}
	return r
}

// LimitsFor is how much of a result is worth taking for a block: with a token
// budget, all that may compete for it; else as many items of a list as the
// block shows of a type, so that a long list does not push everything else out
// of a small context.
func LimitsFor(block prompt.Options) extractor.Limits {
	if block.Budget > 0 {
		return extractor.WideLimits()
	}
	perType := block.PerType
	if perType <= 0 {
		perType = prompt.DefaultPerType
	}
	return extractor.Limits{Items: perType}
}

// notesFor is how many items are worth a look at for a block.
func notesFor(block prompt.Options) int {
	switch {
	case block.Budget > 0:
		return memory.DefaultMaxItems
	case block.Notes > 0:
		return block.Notes
	default:
		return prompt.DefaultNotes
	}
}

// Context is the working context that the recorder fills. That of a stored session
// is what was known of it last: it is replaced when the session is read again, and
// changes that the caller makes to it are not stored.
func (r *Recorder) Context() *memory.WorkingContext { return r.context.Load() }

// Scope is the scope that the recorder works for, nil if there is none.
func (r *Recorder) Scope() *memory.Scope { return r.scope }

// Record takes in a finished tool call: ids among its arguments count as uses,
// entities in its result are added, best first, and what it deleted is removed,
// all at once. Then memory.ContextItems that it returned are routed and the call
// is observed, where there is a Scope. It never panics: where a callback does,
// that is an ErrExtractorPanic or a memory.ErrPanic, of OnCall one that only the
// Logger is told of. Its error, the extractor's, that of memory.Scope.Route, or
// memory.ErrTooLong and the like for what was refused, says that memory missed
// something, never that the tool's result is unusable.
func (r *Recorder) Record(ctx context.Context, call ToolCall) error {
	_, err := r.record(ctx, call)
	return err
}

// record is Record, and says what was found.
func (r *Recorder) record(ctx context.Context, call ToolCall) (extractor.Extraction, error) {
	items := contextItems(call.Result)
	found, err := r.extract(ctx, call, items)
	applied := survive("applying", func() error { return r.apply(ctx, call, found) })
	err = errors.Join(err, applied, r.keep(ctx, call, found, items))
	if err != nil {
		err = fmt.Errorf("middleware: recording %q: %w", call.Name, err)
		r.warn(ctx, "working memory missed something of a tool call", call, err)
	}
	r.tell(ctx, call, found, err)
	return found, err
}

// tell tells OnCall of a call, and survives its panics.
func (r *Recorder) tell(ctx context.Context, call ToolCall, found extractor.Extraction, err error) {
	if r.onCall == nil {
		return
	}
	panicked := survive("telling OnCall", func() error {
		r.onCall(ctx, call, found, err)
		return nil
	})
	if panicked != nil {
		r.warn(ctx, "OnCall failed", call, panicked)
	}
}

func (r *Recorder) warn(ctx context.Context, text string, call ToolCall, err error) {
	r.logger.LogAttrs(ctx, slog.LevelWarn, text, slog.String("tool", call.Name), slog.Any("error", err))
}

// survive makes an error of a panic of f, without what it says, which may be
// contents.
func survive(doing string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %w: %T", doing, memory.ErrPanic, p)
		}
	}()
	return f()
}

func (r *Recorder) apply(ctx context.Context, call ToolCall, found extractor.Extraction) error {
	change := memory.Change{Use: found.Used, Add: found.Entities, Remove: found.Removed}
	switch {
	case r.stored != nil:
		return r.save(ctx, call, change)
	case r.observer != nil:
		return r.observer.apply(call, found, change)
	}
	return r.Context().Apply(change)
}

// extract asks the extractor and survives its panics. Where a call returned
// items, their contents are its result.
func (r *Recorder) extract(ctx context.Context, call ToolCall, items []memory.ContextItem) (found extractor.Extraction, err error) {
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

// Block is the block for the next prompt; "" while nothing is known. It is
// rendered anew only after the context has changed, or with notes the item store or
// what was recalled, or something was heard, so that unchanged content is the same string.
func (r *Recorder) Block() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	current := r.current()
	if r.fresh && current == r.version {
		return r.block
	}
	entities := snapshots.Get().(*[]memory.Entity)
	*entities = current.of.AppendRecent((*entities)[:0], current.of.Capacity())
	r.block = r.render(*entities)
	clear(*entities)
	if cap(*entities) <= maxSnapshot {
		snapshots.Put(entities)
	}
	r.version, r.fresh = current, true
	return r.block
}

// current is the version of what the block shows.
func (r *Recorder) current() version {
	wc := r.Context()
	v := version{of: wc, context: wc.Version()}
	if r.notes > 0 {
		v.items = r.scope.Items().Version()
	}
	if r.recollection != nil {
		v.recalled = r.recollection.version
	}
	return v
}

// snapshots are slices that entities are read into, used again by all
// recorders, and empty in between.
var snapshots = sync.Pool{New: func() any { return new([]memory.Entity) }}

// maxSnapshot is how long a slice may be that is kept.
const maxSnapshot = 4 * BudgetCapacity

// Place is prompt.Place of the current block. Use it for prompt.PlaceAppend, too:
// where an earlier block shows what memory no longer has, such as a page that was
// deleted, an item that was forgotten, or one that was not recalled again, of which
// nobody knows whether it is still remembered, all of them are replaced by the current
// one.
func (r *Recorder) Place(messages []prompt.Message, at prompt.Placement) []prompt.Message {
	if at == prompt.PlaceAppend {
		wc := r.Context()
		messages = prompt.RemoveStale(messages, func(ref memory.Ref) bool {
			_, known := wc.Get(ref)
			return known
		})
		if r.notes > 0 || r.recollection != nil {
			messages = r.renderer.RemoveForgotten(messages, r.remembered)
		}
	}
	return prompt.Place(messages, r.Block(), at)
}

func (r *Recorder) render(newestFirst []memory.Entity) string {
	content := prompt.Content{Query: r.query, Entities: newestFirst, Notes: r.noteworthy()}
	if r.observer == nil {
		return r.renderer.RenderContent(content)
	}
	block, verdicts := r.renderer.Explain(content)
	r.observer.rendered(newestFirst, verdicts)
	return block
}
