package items

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Operation is the operation that an AuditRecord describes.
type Operation string

// The operations of a Store.
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
	// OpEvict is the eviction of one item during another operation.
	OpEvict Operation = "evict"
)

// AuditRecord describes an operation or an eviction. It contains no text, tag, prompt or
// instruction.
type AuditRecord struct {
	// Time is the start of the operation, by the store's clock.
	Time      time.Time
	Operation Operation
	// OperationID numbers the operations of a store and its branches, from 1. An
	// eviction has the number of the operation that caused it.
	OperationID uint64
	// AgentID and TurnID identify the caller; see WithOrigin. If the context has no
	// agent, Memorize uses the agent of the item.
	AgentID, TurnID string
	// ItemID is the id of the affected item. It is empty for operations on none or
	// several.
	ItemID string
	// Class and Reason are those of an eviction.
	Class  EvictionClass
	Reason EvictionReason
	// Items is the number of items memorized, found, forgotten, evicted or summarized.
	// Tokens is the number of tokens of these items, or of the summary.
	Items, Tokens int
	// Details are attributes specific to the operation: the "mode" and the kind of
	// "instruction" of Forget, the kind of "selection" of Summarize.
	Details []slog.Attr
	// Duration is the duration of the operation; 0 for evictions.
	Duration time.Duration
	Status   AuditStatus
	// Err is the error of the operation. If Status is StatusOK, the operation succeeded
	// without the Summarizer that failed.
	Err error
}

// AuditStatus is the outcome of an operation.
type AuditStatus string

// The outcomes of an operation.
const (
	StatusOK    AuditStatus = "ok"
	StatusError AuditStatus = "error"
)

// Origin identifies the agent and the turn on whose behalf an operation is performed.
type Origin struct {
	AgentID, TurnID string
}

type originKey struct{}

// WithOrigin returns a context whose operations are audited with an origin.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// AuditTo returns an Audit function that logs each record, at slog.LevelError if the
// operation failed and at slog.LevelInfo otherwise. If logger is nil, it returns nil.
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

// calleeError is an error of a Scorer or a Summarizer.
type calleeError struct {
	callee string
	err    error
}

func (e *calleeError) Error() string { return "items: " + e.callee + " failed: " + e.err.Error() }

func (e *calleeError) Unwrap() error { return e.err }

// auditable returns err, or a replacement without the text of a callee, which may quote
// its input.
func auditable(err error) error {
	if callee, ok := errors.AsType[*calleeError](err); ok {
		return errors.New("items: " + callee.callee + " failed")
	}
	return err
}

// operation is an operation of a store in progress.
type operation struct {
	audit   func(AuditRecord)
	now     moment
	began   time.Time
	record  AuditRecord
	evicted []Evicted
}

// begin starts an operation and reads the clocks. The store must not be locked.
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

// addDetail adds an attribute to the record.
func (op *operation) addDetail(name, value string) {
	if op.audit != nil {
		op.record.Details = append(op.record.Details, slog.String(name, value))
	}
}

// end audits the evictions, oldest first, and the operation. The store must not be
// locked.
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
