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
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// DefaultGrace is how long a call is still being stored whose caller gave up.
const DefaultGrace = 5 * time.Second

// SessionsOptions configures Sessions. The zero value is useful.
type SessionsOptions struct {
	// Extractor finds the entities. nil means an extractor.EntityExtractor with the
	// limits that LimitsFor gives.
	Extractor extractor.Extractor
	// Block configures how blocks are rendered. Where it has a Budget, the manager's
	// sessions need the capacity that CapacityFor gives.
	Block prompt.Options
	// Messages returns what a call adds to the messages of its session, in the same
	// write as its entities. It must not call the recorder. Where it panics, the
	// entities are stored anyway. nil means nothing.
	Messages func(ctx context.Context, key session.Key, call ToolCall) []session.Message
	// Recall is Options.Recall of each session: the key names whose memories are
	// recalled. longterm.Memory.RecallFor fits. Sessions.Block calls it each time, where
	// something was said. nil means nothing.
	Recall func(ctx context.Context, key session.Key, said string) ([]items.Item, error)
	// OnCall receives each recorded call, as Options.OnCall does. nil means none.
	OnCall func(ctx context.Context, key session.Key, call ToolCall, found extractor.Extraction, err error)
	// Decisions returns the log of a session, nil if it has none. The log receives what
	// happens to each entity when a call is stored, by what is in the session then.
	// Decisions runs with each write of calls, which then takes time in proportion to the
	// entities of the session, and must not call the recorder. What others do to the
	// session between its calls is not logged, nor what comes into a block: for that see
	// prompt.Renderer.Explain. SessionLogs.Log fits. nil means that there are no logs,
	// which costs nothing.
	Decisions func(key session.Key) *DecisionLog
	// Write goes with every write.
	Write session.WriteOptions
	// Grace is how long a write may still take when the call's context has ended: the
	// tool has done what it did. 0 means DefaultGrace.
	Grace time.Duration
	// Logger receives failures by tool name and error, never contents. nil means none.
	Logger *slog.Logger
}

// Sessions records tool calls into stored sessions, whose entities they become, and
// renders blocks of them. It holds no session itself: any number of processes may
// record into one at once, and each call is applied to what is there then. It is
// safe for concurrent use.
type Sessions struct {
	pipeline
	manager *session.Manager
	opts    SessionsOptions
}

// NewSessions connects a manager's sessions. nil options mean the defaults.
// Errors: ErrContextCapacity.
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
	s.opts.Grace = cmp.Or(max(s.opts.Grace, 0), DefaultGrace)
	if s.opts.Decisions == nil {
		s.opts.Decisions = func(session.Key) *DecisionLog { return nil }
	}
	s.pipeline = newPipeline(s.opts.Extractor, s.opts.Block, s.opts.Logger)
	return s, nil
}

// newContext makes an empty context like those of the sessions.
func (s *Sessions) newContext() *memory.WorkingContext {
	return s.manager.New(session.Key{}).Entities
}

// Recorder returns a recorder of a session. It reads nothing yet: call Refresh
// before the first Block, and whenever another process may have recorded. Wrappers
// of adapters/langchain do so by themselves.
//
// Each Record applies its call to what is stored at that time, and the block has
// all of that afterwards; a session that is not there is made. Where the store
// fails, that is Record's error, the call counts for this recorder's Block anyway,
// and it is stored with the next Record or Refresh that succeeds; of more than
// 256 such calls the oldest are given up. A call that may be stored although the
// store failed may count as two uses of an entity, and brings back what
// another process removed before it is stored again. The OnEvict of
// session.Options.Context must not call the recorder.
func (s *Sessions) Recorder(key session.Key) *Recorder {
	r := &Recorder{pipeline: s.pipeline, backing: newStored(s, key)}
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

// Record takes a finished tool call into a session, and returns what was found.
// Its error is that of Recorder.Record; where the store failed, the call is not
// recorded.
func (s *Sessions) Record(ctx context.Context, key session.Key, call ToolCall) (extractor.Extraction, error) {
	return s.Recorder(key).record(ctx, call)
}

// Block is the block of a session for the next prompt, "" where there is none. What
// was said last may be given, for a block with a budget and for what is to be recalled:
// see Recorder.UpdateFocus.
func (s *Sessions) Block(ctx context.Context, key session.Key, said ...prompt.Message) (string, error) {
	r := s.Recorder(key)
	for _, m := range said {
		r.UpdateFocus(m)
	}
	if err := r.Refresh(ctx); err != nil {
		return "", err
	}
	return r.Block(), nil
}
