package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// fail is failed for what comes from a store or another callee: what is not the caller's
// fault goes to the log, without contents.
func (s *Service) fail(ctx context.Context, err error) error {
	shown := failed(err)
	if e, ok := errors.AsType[*Error](shown); ok && e.Err != nil && (e.Kind == Internal || e.Kind == Unavailable) {
		s.opts.Logger.WarnContext(ctx, "service: a request failed", slog.String("error", callee.Loggable(e.Err)))
	}
	return shown
}

// failed makes an *Error of an error. That of a context that ended stays what it is, and so
// does an *Error; what is not known is Internal.
func failed(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if e := failedSession(err); e != nil {
		e.Err = err
		return e
	}
	if e := failedMemory(err); e != nil {
		e.Err = err
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Kind: Internal, Detail: "Internal server error", Err: err}
}

// failedSession is failed for errors of sessions, nil for others.
func failedSession(err error) *Error {
	if wrong, ok := errors.AsType[*session.MessageError](err); ok {
		return wrongMessage(wrong)
	}
	switch {
	case isA[*session.DamagedError](err):
		return &Error{Kind: Internal, Detail: "Session is damaged and cannot be read; it can be deleted"}
	case isA[*session.FormatError](err):
		return &Error{Kind: Unavailable, Detail: "Session was written by a later version of this server"}
	case errors.Is(err, session.ErrUnavailable):
		return &Error{Kind: Unavailable, Detail: "The store of sessions does not answer"}
	case errors.Is(err, session.ErrClosed):
		return &Error{Kind: Unavailable, Detail: "The server is shutting down"}
	case errors.Is(err, session.ErrNotFound):
		return &Error{Kind: NotFound, Detail: "Session not found"}
	case errors.Is(err, session.ErrConflict), errors.Is(err, promotion.ErrBusy):
		return &Error{Kind: Conflict, Detail: "Too many writes to this session at once: try again"}
	case errors.Is(err, session.ErrTooLarge):
		return &Error{Kind: TooLarge, Detail: "Session is too large"}
	default:
		return nil
	}
}

func wrongMessage(wrong *session.MessageError) *Error {
	field, said := "id", wrong.Err
	switch {
	case errors.Is(said, session.ErrTooLarge):
		return &Error{Kind: TooLarge, Detail: "Message is too large"}
	case errors.Is(said, session.ErrNoRole):
		field = "role"
	case errors.Is(said, session.ErrInvalidUTF8):
		field = "content"
	}
	return unfit(said.Error(), "messages", strconv.Itoa(wrong.Index), field)
}

// emptyContent refuses a message that says nothing.
func emptyContent(index int, id string) *Error {
	if id == "" {
		id = fmt.Sprintf("not given, at index %d", index)
	}
	return &Error{Kind: Bad, Detail: "Message content cannot be empty (message ID: " + id + ")"}
}

// unfit returns an Invalid for the value at a path.
func unfit(message string, path ...string) *Error {
	return &Error{Kind: Invalid, Fields: []Field{{Path: path, Message: message}}}
}

// noSession says that there is no such session, or none that the caller may see.
func noSession(ref Ref) *Error {
	return &Error{Kind: NotFound, Detail: "Session " + shown(ref.SessionID) + " not found"}
}

// shown is an id as errors name it: cut where it is longer than ids are.
func shown(id string) string {
	if len(id) > MaxIDBytes {
		id = cut(id, MaxIDBytes) + "…"
	}
	return strings.ToValidUTF8(id, "\uFFFD")
}

// without makes a NotFound of any kind say which session there is none of.
func without(ref Ref, err error) error {
	if isKind(NotFound, err) {
		return noSession(ref)
	}
	return err
}

// isKind reports whether an error is an *Error of a kind.
func isKind(kind Kind, err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == kind
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
