package service

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/excerpt"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// ReadResult reads a part of a stored result of a session, with handles in place of ids: see
// middleware.Recorder.ReadResult. A handle may be given as its number alone. Errors: Bad if results
// cannot be stored, Invalid, NotFound for an unknown handle, Gone for a result that was dropped,
// Internal for a damaged session, Unavailable.
func (s *Service) ReadResult(ctx context.Context, t Tenant, ref Ref, request middleware.ReadRequest) (string, error) {
	var c checks
	c.filled(request.Handle, "handle")
	c.id(request.Handle, "handle")
	checkRange(&c, new(int64(request.Offset)), 0, math.MaxInt32, "offset")
	checkRange(&c, new(int64(request.Limit)), 0, math.MaxInt32, "limit")
	if err := c.invalid(); err != nil {
		return "", err
	}
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return "", err
	}
	if numbered := "result#" + request.Handle; handle.Is(numbered) {
		request.Handle = numbered
	}
	text, err := s.recorders.issuing().ReadResult(ctx, key, request)
	return text, s.reportError(ctx, resultError(err))
}

// ListResults lists the stored results of a session, and those that were dropped, a line for each.
// A session that does not exist has none. Errors: Bad if results cannot be stored, NotFound if the
// request means several sessions, Internal for a damaged session, Unavailable.
func (s *Service) ListResults(ctx context.Context, t Tenant, ref Ref) (string, error) {
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return "", err
	}
	list, err := s.recorders.issuing().ListResults(ctx, key)
	return list, s.reportError(ctx, resultError(err))
}

// resultError converts the errors of reading results, and returns others unchanged.
func resultError(err error) error {
	if unknown, ok := errors.AsType[*handle.UnknownError](err); ok {
		return &Error{Kind: NotFound, Detail: unknown.Error(), Err: err}
	}
	if wrong, ok := errors.AsType[*excerpt.RequestError](err); ok {
		return invalidValue(strings.TrimPrefix(wrong.Error(), "excerpt: "), wrong.Field)
	}
	switch {
	case errors.Is(err, excerpt.ErrNotJSON):
		return invalidValue("The result is not JSON: read it without a path, by offset or by query", "path")
	case errors.Is(err, middleware.ErrResultDropped):
		return &Error{Kind: Gone, Detail: "The result was dropped, because newer ones needed its room: call the tool again", Err: err}
	case errors.Is(err, middleware.ErrNoResults):
		return &Error{Kind: Bad, Detail: "Results are not stored", Err: err}
	}
	return err
}
