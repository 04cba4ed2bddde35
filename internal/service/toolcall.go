package service

import (
	"context"
	"log/slog"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// RecordToolCall records a finished tool call in a session, which is made if it is not
// there, and returns what was found in its result. Single entities that are refused, with an id
// that is too long, say, are no error. Errors: Invalid, Forbidden, Conflict, TooLarge,
// Internal, Unavailable.
func (s *Service) RecordToolCall(ctx context.Context, t Tenant, ref Ref, call middleware.ToolCall) (extractor.Extraction, error) {
	var none extractor.Extraction
	var c checks
	c.id(call.ID, "id")
	c.filled(call.Name, "name")
	c.id(call.Name, "name")
	if err := c.invalid(); err != nil {
		return none, err
	}
	key, err := writeKey(t, ref)
	if err != nil {
		return none, err
	}
	found, err := s.recorder.Record(ctx, key, call)
	switch {
	case err == nil:
	case refusedOnly(err):
		s.opts.Logger.DebugContext(ctx, "service: parts of a tool call were refused", slog.String("error", callee.Loggable(err)))
	default:
		return none, s.fail(ctx, err)
	}
	found.Entities = slices.Clone(found.Entities)
	for i := range found.Entities {
		if e := &found.Entities[i]; e.Timestamp.IsZero() {
			e.Timestamp = s.sessions.Now()
		}
	}
	return found, nil
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
func (s *Service) Entities(ctx context.Context, t Tenant, ref Ref) ([]memory.Entity, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return entitiesOf(found), nil
}

// entitiesOf returns all entities of a session, newest first, never nil.
func entitiesOf(found *session.Session) []memory.Entity {
	return append([]memory.Entity{}, found.Entities.Recent(found.Entities.Len())...)
}
