package service

import (
	"context"
	"log/slog"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// RecordToolCall records a finished tool call in a session, which it creates if necessary. It
// returns the entities of the result and, if r says so, what the model is to see in place of the
// result or, of a failed call, of the text of the error. An entity that is refused, for a long id
// for example, is no error. Errors: Invalid, Forbidden, Conflict, TooLarge, Internal, Unavailable.
func (s *Service) RecordToolCall(ctx context.Context, t Tenant, ref Ref, call middleware.ToolCall, r Rewriting) (middleware.Recorded, error) {
	var none middleware.Recorded
	var c checks
	c.id(call.ID, "id")
	c.filled(call.Name, "name")
	c.id(call.Name, "name")
	c.id(call.Source, "source")
	if err := c.invalid(); err != nil {
		return none, err
	}
	key, err := writeKey(t, ref)
	if err != nil {
		return none, err
	}
	recorded, err := s.recorders.of(r).Record(ctx, key, call)
	switch {
	case err == nil:
	case refusedOnly(err):
		s.opts.Logger.DebugContext(ctx, "service: entities of a tool call were refused", slog.String("error", callee.Loggable(err)))
	default:
		return none, s.reportError(ctx, err)
	}
	found := &recorded.Found
	found.Entities = slices.Clone(found.Entities)
	for i := range found.Entities {
		if e := &found.Entities[i]; e.Timestamp.IsZero() {
			e.Timestamp = s.sessions.Now()
		}
	}
	return recorded, nil
}

// refusedOnly reports whether err consists of refusals of entities.
func refusedOnly(err error) bool {
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(err.Unwrap(), func(err error) bool { return !refusedOnly(err) })
	case interface{ Unwrap() error }:
		return refusedOnly(err.Unwrap())
	}
	return err == memory.ErrNoID || err == memory.ErrTooLong || err == memory.ErrInvalidID
}

// Entities are what a session knows of the results of tools, newest first.
type Entities struct {
	Entities, Candidates []memory.Entity
}

// Entities returns the entities and the candidates of a session. Errors: NotFound, Internal
// for a damaged session, Unavailable.
func (s *Service) Entities(ctx context.Context, t Tenant, ref Ref) (*Entities, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return &Entities{Entities: entitiesOf(found), Candidates: candidatesOf(found)}, nil
}

// candidatesOf returns the candidates of a session, newest first.
func candidatesOf(found *session.Session) []memory.Entity {
	return found.Entities.Candidates(found.Entities.CandidateCapacity())
}

// entitiesOf returns the entities of a session, newest first. It never returns nil.
func entitiesOf(found *session.Session) []memory.Entity {
	return append([]memory.Entity{}, found.Entities.Recent(found.Entities.Len())...)
}
