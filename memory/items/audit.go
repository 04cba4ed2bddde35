package items

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Operation is what an AuditRecord is about.
type Operation string

// The operations of a Store, and what follows from them.
const (
	opMemorize      Operation = "memorize"
	opRemember      Operation = "remember"
	opForget        Operation = "forget"
	opRestore       Operation = "restore"
	opSetImportance Operation = "set_importance"
	opSummarize     Operation = "summarize"
	opSweep         Operation = "sweep"
	opCapacity      Operation = "capacity"
	opClear         Operation = "clear"
	// opLoad is UnmarshalJSON.
	opLoad Operation = "load"
	// OpEvict is the eviction of one item, in the course of another operation.
	OpEvict Operation = "evict"
)

// AuditRecord says that an operation took place, or that an item was evicted. It
// contains no text, tag, prompt or instruction.
type AuditRecord struct {
	// Time is when the operation began, by the store's clock.
	Time      time.Time
	Operation Operation
	// OperationID numbers the operations of a store and its branches, from 1. An
	// eviction has that of the operation that caused it.
	OperationID uint64
	// AgentID and TurnID are who asked: those of WithOrigin. Where that names no
	// agent, an item is memorized on behalf of the agent it belongs to.
	AgentID, TurnID string
	// ItemID is the item it is about; "" for operations on none or several.
	ItemID string
	// Class and Reason are those of an eviction.
	Class  EvictionClass
	Reason EvictionReason
	// Items is how many items were memorized, found, forgotten, evicted or used
	// for a summary, Tokens how many tokens they, or the summary, have.
	Items, Tokens int
	// Details are what else the operation knows of itself, such as the kind of
	// an instruction or a selection.
	Details []slog.Attr
	// Duration is how long the operation took; 0 for evictions.
	Duration time.Duration
	Status   AuditStatus
	// Err is what failed. Where Status is StatusOK the store made up for it.
	Err error
}

// AuditStatus says how an operation ended.
type AuditStatus string

// The ends of an operation.
const (
	StatusOK    AuditStatus = "ok"
	StatusError AuditStatus = "error"
)

// Origin says on whose behalf an operation is.
type Origin struct {
	AgentID, TurnID string
}

type originKey struct{}

// WithOrigin returns a context whose operations are audited as those of an agent
// and a turn.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// AuditTo returns an Audit function that logs each record: operations that
// failed as errors, the others as info. nil gives nil.
func AuditTo(logger *slog.Logger) func(AuditRecord) {
	if logger == nil {
		return nil
	}
	return func(r AuditRecord) {
		level := slog.LevelInfo
		if r.Status == StatusError {
			level = slog.LevelError
		}
		logger.LogAttrs(context.Background(), level, "items: "+string(r.Operation), r.attrs()...)
	}
}

func (r *AuditRecord) attrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.Time("at", r.Time),
		slog.String("operation", string(r.Operation)),
		slog.Uint64("operation_id", r.OperationID),
		slog.String("status", string(r.Status)),
		slog.Int("items", r.Items),
		slog.Int("tokens", r.Tokens),
		slog.Duration("duration", r.Duration),
	}
	for _, text := range []slog.Attr{
		slog.String("agent_id", r.AgentID), slog.String("turn_id", r.TurnID), slog.String("item_id", r.ItemID),
		slog.String("class", string(r.Class)), slog.String("reason", string(r.Reason)),
	} {
		if text.Value.String() != "" {
			attrs = append(attrs, text)
		}
	}
	attrs = append(attrs, r.Details...)
	if r.Err != nil {
		attrs = append(attrs, slog.String("error", r.Err.Error()))
	}
	return attrs
}

// calleeError says that a Scorer or a Summarizer failed.
type calleeError struct {
	callee string
	err    error
}

func (e *calleeError) Error() string { return "items: " + e.callee + " failed: " + e.err.Error() }

func (e *calleeError) Unwrap() error { return e.err }

// auditable is an error whose text is all our own: others may quote what they
// were given.
func auditable(err error) error {
	if callee, ok := errors.AsType[*calleeError](err); ok {
		return errors.New("items: " + callee.callee + " failed")
	}
	return err
}

// operation is an operation of a store under way.
type operation struct {
	audit   func(AuditRecord)
	now     moment
	began   time.Time
	record  AuditRecord
	evicted []Evicted
}

// begin reads the clocks. The store must not be locked.
func (s *Store) begin(ctx context.Context, name Operation) operation {
	op := operation{audit: s.policy.Audit, now: s.policy.now()}
	if op.audit == nil {
		return op
	}
	origin, _ := ctx.Value(originKey{}).(Origin)
	op.began = time.Now()
	op.record = AuditRecord{
		Time:        op.now.time,
		Operation:   name,
		OperationID: s.operations.Add(1),
		AgentID:     origin.AgentID,
		TurnID:      origin.TurnID,
	}
	return op
}

// detail adds one to the record.
func (op *operation) detail(name, value string) {
	if op.audit != nil {
		op.record.Details = append(op.record.Details, slog.String(name, value))
	}
}

// end tells of the evictions, oldest first, and of the operation. The store must
// not be locked.
func (op *operation) end(err error) {
	if op.audit == nil {
		return
	}
	for i := range op.evicted {
		e, r := &op.evicted[i], op.record
		r.Operation, r.ItemID, r.Class, r.Reason = OpEvict, e.Item.ID, e.Class, e.Reason
		r.Items, r.Tokens, r.Details, r.Status = 1, e.Item.Tokens, nil, StatusOK
		op.audit(r)
	}
	op.record.Status = StatusOK
	if err != nil {
		op.record.Status, op.record.Err = StatusError, auditable(err)
	}
	op.record.Duration = time.Since(op.began)
	op.audit(op.record)
}
