package middleware

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Observer receives the operations of recorders, for traces and metrics: see adapters/otel. Its
// methods must be safe for concurrent use, return quickly, and not call the recorder. Their
// panics are contained.
type Observer interface {
	// Begin receives the begin of an operation. It returns the context for the operation,
	// and a function that receives its end.
	Begin(ctx context.Context, op Operation) (context.Context, func(Outcome))
	// BlockRendered receives each block that was rendered, in the goroutine that asked for it.
	BlockRendered(stats BlockStats)
}

// OperationKind is the kind of an Operation.
type OperationKind string

const (
	// OperationRecord records a finished tool call.
	OperationRecord OperationKind = "record"
	// OperationRecall recalls memories from beyond the conversation.
	OperationRecall OperationKind = "recall"
	// OperationForget removes all entities of a conversation.
	OperationForget OperationKind = "forget"
)

// Operation describes what a recorder begins to do.
type Operation struct {
	Kind OperationKind
	// Session is the stored session; zero if the conversation is not stored.
	Session session.Key
	// Call is the call that is recorded, which must not be modified. It is nil for the
	// other kinds.
	Call *ToolCall
	// Query is the user's message that memories are recalled for.
	Query string
}

// Outcome describes the end of an Operation.
type Outcome struct {
	// Found is what a recorded call contained, which must not be modified. It is nil for
	// the other kinds.
	Found *extractor.Extraction
	// Extraction is the time that reading the result took.
	Extraction time.Duration
	// Recalled is the number of memories that were recalled.
	Recalled int
	// Err is the error of the operation. Its text may quote contents.
	Err error
}

// BlockStats describes a block that was rendered.
type BlockStats struct {
	// Session is the stored session; zero if the conversation is not stored.
	Session session.Key
	// Tokens is the size of the block, by the TokenCounter of its options.
	Tokens int
	// Shown and Dropped are the numbers of entities that the block shows and leaves out.
	Shown, Dropped int
}

// observation is an Operation in progress. It does nothing without an Observer.
type observation struct {
	finish     func(Outcome)
	begun      time.Time
	extraction time.Duration
	recalled   int
}

// observe begins an operation.
func (r *Recorder) observe(ctx context.Context, op Operation) (context.Context, *observation) {
	if r.observer == nil {
		return ctx, nil
	}
	op.Session = r.session
	o := new(observation)
	inner := ctx
	_ = callee.RecoverPanic(func() error {
		inner, o.finish = r.observer.Begin(ctx, op)
		return nil
	})
	if inner == nil {
		inner = ctx
	}
	o.begun = time.Now()
	return inner, o
}

// extracted notes the end of the extraction.
func (o *observation) extracted() {
	if o != nil {
		o.extraction = time.Since(o.begun)
	}
}

// end ends the operation.
func (o *observation) end(found *extractor.Extraction, err error) {
	if o == nil || o.finish == nil {
		return
	}
	outcome := Outcome{Found: found, Extraction: o.extraction, Recalled: o.recalled, Err: err}
	_ = callee.RecoverPanic(func() error { o.finish(outcome); return nil })
}

// observeBlock passes on what a block shows.
func (r *Recorder) observeBlock(block string, verdicts []prompt.Verdict) {
	stats := BlockStats{Session: r.session, Tokens: r.renderer.CountTokens(block)}
	for _, v := range verdicts {
		if v == prompt.VerdictShown {
			stats.Shown++
		} else {
			stats.Dropped++
		}
	}
	_ = callee.RecoverPanic(func() error { r.observer.BlockRendered(stats); return nil })
}
