package service

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// reportError converts an error of a store or another callee as toError does, and logs the
// cause, without contents, if the caller is not at fault.
func (s *Service) reportError(ctx context.Context, err error) error {
	shown := toError(err)
	if e, ok := errors.AsType[*Error](shown); ok && e.Err != nil && (e.Kind == Internal || e.Kind == Unavailable) {
		s.opts.Logger.WarnContext(ctx, "service: a request failed", slog.String("error", callee.Loggable(e.Err)))
	}
	return shown
}

// toError converts an error to an *Error; an unknown one becomes Internal. It returns an
// *Error and the error of a context unchanged.
func toError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if e := sessionError(err); e != nil {
		e.Err = err
		return e
	}
	if e := viewError(err); e != nil {
		e.Err = err
		return e
	}
	if e := memoryError(err); e != nil {
		e.Err = err
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Kind: Internal, Detail: "Internal server error", Err: err}
}

// sessionError converts an error of package session. It returns nil for any other error.
func sessionError(err error) *Error {
	if wrong, ok := errors.AsType[*session.MessageError](err); ok {
		return messageError(wrong)
	}
	switch {
	case hasType[*session.DamagedError](err):
		return &Error{Kind: Internal, Detail: "Session is damaged and cannot be read; it can be deleted"}
	case hasType[*session.FormatError](err):
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

func messageError(wrong *session.MessageError) *Error {
	field, cause := "id", wrong.Err
	switch {
	case errors.Is(cause, session.ErrTooLarge):
		return &Error{Kind: TooLarge, Detail: "Message is too large"}
	case errors.Is(cause, session.ErrNoRole):
		field = "role"
	case errors.Is(cause, session.ErrInvalidUTF8):
		field = "content"
	}
	return invalidValue(cause.Error(), "messages", strconv.Itoa(wrong.Index), field)
}

// emptyContentError is the error of a message without content. Clients expect that it names the
// message by an id, if need be by a new one.
func emptyContentError(id string) *Error {
	if id == "" {
		id = ulid.Make().String()
	}
	return &Error{Kind: Bad, Detail: "Message content cannot be empty (message ID: " + id + ")"}
}

// invalidValue returns an Invalid for the value at path.
func invalidValue(message string, path ...string) *Error {
	return &Error{Kind: Invalid, Fields: []Field{{Path: path, Message: message}}}
}

// sessionNotFound is the error of a session that does not exist or that the tenant may not see.
func sessionNotFound(ref Ref) *Error {
	return &Error{Kind: NotFound, Detail: "Session " + displayID(ref.SessionID) + " not found"}
}

// displayID returns an id for an error text. It cuts ids that are longer than MaxIDBytes.
func displayID(id string) string {
	if len(id) > MaxIDBytes {
		id = cut(id, MaxIDBytes) + "…"
	}
	return strings.ToValidUTF8(id, "\uFFFD")
}

// withSession adds the id of the session to a NotFound.
func withSession(ref Ref, err error) error {
	if isKind(NotFound, err) {
		return sessionNotFound(ref)
	}
	return err
}

// isKind reports whether err is an *Error of a kind.
func isKind(kind Kind, err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == kind
}

func hasType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
