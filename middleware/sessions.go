package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	// DefaultGrace is the default of SessionsOptions.Grace.
	DefaultGrace = 5 * time.Second
	// DefaultRecorders is the default of SessionsOptions.Recorders.
	DefaultRecorders = 1024
)

// SessionsOptions configures Sessions. The zero value is useful.
type SessionsOptions struct {
	// Extractor finds the entities. If nil, an extractor.EntityExtractor with the limits
	// of LimitsFor is used.
	Extractor extractor.Extractor
	// Block configures how blocks are rendered. If it has a Budget, the manager's
	// sessions need the capacity of CapacityFor.
	Block prompt.Options
	// Messages returns the messages that a call adds to its session, in the same write as
	// its entities. It must not call the recorder. If it panics, the entities are stored
	// without messages. If nil, no messages are added.
	Messages func(ctx context.Context, key session.Key, call ToolCall) []session.Message
	// Recall is the Options.Recall of each session; the key determines whose memories are
	// recalled. longterm.Memory.RecallFor fits. Sessions.Block calls it whenever it
	// receives a message of the user. If nil, nothing is recalled.
	Recall func(ctx context.Context, key session.Key, said string) ([]items.Item, error)
	// OnCall receives each recorded call, like Options.OnCall. It may be nil.
	OnCall func(ctx context.Context, key session.Key, call ToolCall, found extractor.Extraction, err error)
	// Decisions returns the log of a session, or nil. The log receives what happens to
	// each entity when a call is stored, given the session at that time. It does not
	// receive what other programs change between calls, nor what the block shows: for
	// that see prompt.Renderer.Explain. SessionLogs.Log fits. Decisions is called at each
	// write of calls, which then takes time proportional to the entities of the session,
	// and must not call the recorder. If nil, nothing is logged, at no cost.
	Decisions func(key session.Key) *DecisionLog
	// Journal keeps the last calls of each session with what they changed. Sessions on one store
	// may share it. If nil, nothing is kept, at no cost.
	Journal *Journal
	// Handles shows short handles in place of long ids: see Options.Handles. Each session has
	// a table of its own. If nil, ids are shown as they are.
	Handles *handle.Options
	// Results stores large results with their sessions, if the store can, and shows a
	// description in their place: see Options.Results. If nil, results are shown whole.
	Results *ResultsOptions
	// Write is passed with every write.
	Write session.WriteOptions
	// Grace is how long a write may continue after the call's context has ended, since
	// the tool has already taken effect. 0 means DefaultGrace.
	Grace time.Duration
	// Recorders is the number of recorders that are kept: see Sessions.Recorder. 0 or less
	// means DefaultRecorders.
	Recorders int
	// Observer receives the operations of all sessions, for traces and metrics. If nil,
	// nothing is observed, at no cost.
	Observer Observer
	// Logger receives failures with the tool's name and the error, never contents. If
	// nil, nothing is logged.
	Logger *slog.Logger
}

// Sessions records tool calls in the entities of stored sessions and renders their
// blocks. Any number of processes may record in one session: each call is applied to its
// current state. It is safe for concurrent use.
type Sessions struct {
	pipeline
	manager   *session.Manager
	opts      SessionsOptions
	recorders *recentSessions[*Recorder]
}

// NewSessions returns a Sessions that records in a manager's sessions. If opts is nil, the
// defaults are used. Errors: ErrContextCapacity, session.ErrNoResultStore.
func NewSessions(manager *session.Manager, opts *SessionsOptions) (*Sessions, error) {
	if manager == nil {
		return nil, errors.New("middleware: no session manager")
	}
	s := &Sessions{manager: manager}
	if opts != nil {
		s.opts = *opts
	}
	if err := checkCapacity(s.newContext(), s.opts.Block); err != nil {
		return nil, fmt.Errorf("%w: see session.Options.Context", err)
	}
	if j := s.opts.Journal; j != nil && j.opts.Stored && !manager.StoresResults() {
		return nil, fmt.Errorf("middleware: keeping the journal: %w", session.ErrNoResultStore)
	}
	s.opts.Grace = cmp.Or(max(s.opts.Grace, 0), DefaultGrace)
	if s.opts.Decisions == nil {
		s.opts.Decisions = func(session.Key) *DecisionLog { return nil }
	}
	s.recorders = newRecentSessions[*Recorder](cmp.Or(max(s.opts.Recorders, 0), DefaultRecorders))
	s.pipeline = newPipeline(s.opts.Extractor, s.opts.Block, s.opts.Logger, s.opts.Observer)
	return s, nil
}

// newContext returns an empty context like those of the sessions.
func (s *Sessions) newContext() *memory.WorkingContext {
	return s.manager.New(session.Key{}).Entities
}

// Recorder returns the recorder of a session. It reads nothing: call Prepare, or Refresh
// before the first Block, and whenever another process may have recorded. The adapters do.
//
// The recorders of the sessions that were used last are kept (SessionsOptions.Recorders), so
// that Recorder can be called for each request: the same recorder knows which calls of a
// history it has recorded, what the user said, and what was recalled.
//
// Each Record applies its call to the stored session, creating it if necessary, and the
// block then shows the result. If the store fails, Record returns its error, this
// recorder's Block includes the call anyway, and the next successful Record or Refresh
// stores it; of more than 256 such calls the oldest are dropped. If a failed write was in
// fact stored, its call may count as two uses of an entity, and may restore an entity
// that another process removed in between. The OnEvict of session.Options.Context must
// not call the recorder.
func (s *Sessions) Recorder(key session.Key) *Recorder {
	return s.recorders.get(key, func() *Recorder { return s.newRecorder(key) })
}

func (s *Sessions) newRecorder(key session.Key) *Recorder {
	r := &Recorder{pipeline: s.pipeline, backing: newStored(s, key), ledger: newLedger(), session: key, issue: s.opts.Handles}
	if s.opts.Results != nil && s.manager.StoresResults() {
		r.shelf = &shelf{opts: *s.opts.Results, store: s.manager, key: key}
	}
	if j := s.opts.Journal; j != nil {
		r.draft = func(call *ToolCall, found *extractor.Extraction, large *largeResult) *draftEntry {
			return newDraft(call, found, large, j.opts.MaxText)
		}
	}
	if recall := s.opts.Recall; recall != nil {
		r.recollection = newRecollection(func(ctx context.Context, said string) ([]items.Item, error) {
			return recall(ctx, key, said)
		}, s.opts.Block)
	}
	if onCall := s.opts.OnCall; onCall != nil {
		r.onCall = func(ctx context.Context, call ToolCall, found extractor.Extraction, err error) {
			onCall(ctx, key, call, found, err)
		}
	}
	return r
}

// Recorded is what Sessions.Record did with a call.
type Recorded struct {
	// Found is what was found in the result.
	Found extractor.Extraction
	// Shown is what the model is to see in place of the result, or of the text of the error of
	// a failed call. Without SessionsOptions.Handles and Results it is nil.
	Shown any
}

// Record records a finished tool call in a session. Errors: those of Recorder.Record. If the
// store fails, or ctx ends before the result is read, the call is not recorded: neither its
// entities nor its messages.
func (s *Sessions) Record(ctx context.Context, key session.Key, call ToolCall) (Recorded, error) {
	r := s.newRecorder(key)
	found, err := r.record(ctx, call, bound)
	if r.Handles() == nil {
		return Recorded{Found: found}, err
	}
	if r.Handles().Version() == 0 { // nothing was found, so the session was not read
		_ = r.setUpBacking().refresh(ctx) // after an error ids are shown
	}
	done := Recorded{Found: found}
	if stub, ok := r.Stub(ctx, call.Result); ok && call.Err == nil {
		done.Shown = stub
	} else if call.Err != nil {
		done.Shown = r.Handles().Encode(call.Err.Error())
	} else {
		done.Shown = r.EncodeResult(call.Result)
	}
	return done, err
}

// DecodeArguments returns the arguments of a tool call with ids in place of the session's
// handles: see Recorder.DecodeArguments. Errors: also those of session.Manager.Load.
func (s *Sessions) DecodeArguments(ctx context.Context, key session.Key, arguments any) (any, error) {
	r := s.newRecorder(key)
	if err := r.Refresh(ctx); err != nil {
		return nil, err
	}
	return r.DecodeArguments(ctx, arguments)
}

// ReadResult reads a part of a stored result of a session: see Recorder.ReadResult.
func (s *Sessions) ReadResult(ctx context.Context, key session.Key, request ReadRequest) (string, error) {
	return s.newRecorder(key).ReadResult(ctx, request)
}

// ListResults lists the stored results of a session: see Recorder.ListResults.
func (s *Sessions) ListResults(ctx context.Context, key session.Key) (string, error) {
	return s.newRecorder(key).ListResults(ctx)
}

// Block returns the block of a session for the next prompt, or "" if there is nothing to
// show. What the last messages of the conversation refer to comes first, and they recall
// memories: see Recorder.UpdateFocus.
func (s *Sessions) Block(ctx context.Context, key session.Key, said ...prompt.Message) (string, error) {
	r := s.newRecorder(key)
	if err := r.prepare(ctx, said); err != nil {
		return "", err
	}
	return r.Block(), nil
}
