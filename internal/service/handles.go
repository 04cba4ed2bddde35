package service

import (
	"context"
	"errors"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Rewriting is what a call changes for the model: it gives handles to long ids, and stores a large
// result. A nil part is that of Options.Recording.
type Rewriting struct {
	Handles, StoreResults *bool
}

// recorders record calls with and without handles, and with and without storing results. They
// share all else.
type recorders struct {
	byRewriting map[[2]bool]*middleware.Sessions // handles, results
	defaults    [2]bool
	handles     *handle.Options // of those with handles
}

func newRecorders(sessions *session.Manager, opts middleware.SessionsOptions) (recorders, error) {
	r := recorders{byRewriting: map[[2]bool]*middleware.Sessions{}, defaults: [2]bool{opts.Handles != nil, opts.Results != nil}}
	handles, results := opts.Handles, opts.Results
	if handles == nil {
		handles = &handle.Options{Counter: opts.Block.Counter}
	}
	if results == nil {
		results = new(middleware.ResultsOptions)
	}
	r.handles = handles
	for _, as := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		opts.Handles, opts.Results = nil, nil
		if as[0] {
			opts.Handles = handles
		}
		if as[1] {
			opts.Results = results
		}
		made, err := middleware.NewSessions(sessions, &opts)
		if err != nil {
			return r, err
		}
		r.byRewriting[as] = made
	}
	return r, nil
}

// resolve returns whether a call has handles, and whether its result may be stored.
func (r *recorders) resolve(as Rewriting) [2]bool {
	resolved := r.defaults
	for i, asked := range []*bool{as.Handles, as.StoreResults} {
		if asked != nil {
			resolved[i] = *asked
		}
	}
	return resolved
}

func (r *recorders) of(as Rewriting) *middleware.Sessions { return r.byRewriting[r.resolve(as)] }

// issuing returns the recorder that knows all that a session has: its handles and its results.
func (r *recorders) issuing() *middleware.Sessions { return r.byRewriting[[2]bool{true, true}] }

// maxTyped is the number of messages in which literals are looked for, the last ones.
const maxTyped = 32

// DecodeArguments returns the arguments of a tool call, or a text of the model, with ids in place
// of the handles of a session: see handle.Table.DecodeArguments. Handles that the user typed in
// the last messages of the session, without there being any of their type, are literals. A session
// that does not exist has no handles. Errors: Invalid with an UnknownHandle, after which the tool
// must not be called, Internal for a damaged session, Unavailable.
func (s *Service) DecodeArguments(ctx context.Context, t Tenant, ref Ref, arguments any) (any, error) {
	decoded, err := s.decode(ctx, t, ref, arguments, -1)
	if hasType[*handle.UnknownError](err) {
		decoded, err = s.decode(ctx, t, ref, arguments, maxTyped)
	}
	if unknown, ok := errors.AsType[*handle.UnknownError](err); ok {
		field := Field{Path: []string{"arguments"}, Problem: UnknownHandle, Message: unknown.Error(), Value: unknown.Handle}
		return nil, &Error{Kind: Invalid, Fields: []Field{field}, Err: err}
	}
	return decoded, err
}

// decode decodes arguments, given the last messages of the session; a negative number means none.
func (s *Service) decode(ctx context.Context, t Tenant, ref Ref, arguments any, last int) (any, error) {
	table := handle.NewTable(s.recorders.handles)
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: last})
	switch {
	case isKind(NotFound, err):
		found = new(session.Session)
	case err != nil:
		return nil, err
	default:
		table = found.Handles
		table.SetOptions(s.recorders.handles)
	}
	decoded, err := table.DecodeArguments(arguments, func(literal string) bool {
		return slices.ContainsFunc(found.Messages, func(m session.Message) bool {
			return m.Role == session.RoleUser && slices.Contains(table.UnknownIn(m.Content), literal)
		})
	})
	if err != nil && !hasType[*handle.UnknownError](err) {
		return nil, invalidValue(err.Error(), "arguments")
	}
	return decoded, err
}
