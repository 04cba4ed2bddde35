package service

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// RecordToolCall takes a finished tool call into a session, which is made if it is not
// there, and returns what was found in it. Single entities that are refused, with an id
// that is too long, say, are no error. Errors: Invalid, Forbidden, Conflict, TooLarge,
// Internal, Unavailable.
func (s *Service) RecordToolCall(ctx context.Context, t Tenant, ref Ref, call *wire.RecordedCall) (*wire.Recorded, error) {
	if err := invalidIf(call.Check()); err != nil {
		return nil, err
	}
	key, err := writeKey(t, ref, nil, nil)
	if err != nil {
		return nil, err
	}
	finished := middleware.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments, Result: call.Result}
	if call.Error != "" {
		finished.Err = errors.New(call.Error)
	}
	found, err := s.recorder.Record(ctx, key, finished)
	switch {
	case err == nil:
	case refusedOnly(err):
		s.opts.Logger.DebugContext(ctx, "service: parts of a tool call were refused", slog.String("error", callee.Loggable(err)))
	default:
		return nil, s.fail(ctx, err)
	}
	recorded := &wire.Recorded{Entities: append([]memory.Entity{}, found.Entities...), Removed: []wire.EntityRef{}}
	for i := range recorded.Entities {
		if e := &recorded.Entities[i]; e.Timestamp.IsZero() {
			e.Timestamp = s.sessions.Now()
		}
	}
	for _, removed := range found.Removed {
		recorded.Removed = append(recorded.Removed, wire.EntityRef{Type: removed.Type, ID: removed.ID})
	}
	return recorded, nil
}

// refusedOnly reports whether all that went wrong is that entities were refused.
func refusedOnly(err error) bool {
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(err.Unwrap(), func(err error) bool { return !refusedOnly(err) })
	case interface{ Unwrap() error }:
		return refusedOnly(err.Unwrap())
	}
	return err == memory.ErrNoID || err == memory.ErrTooLong || err == memory.ErrInvalidID
}

// Entities returns what the tools of a session returned, newest first. Errors: NotFound,
// Internal for a session that is damaged, Unavailable.
func (s *Service) Entities(ctx context.Context, t Tenant, ref Ref) (*wire.Entities, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return &wire.Entities{Entities: entitiesOf(found)}, nil
}
