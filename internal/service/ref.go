package service

import (
	"context"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Tenant is the owner whose sessions and memories a caller may read and write: a namespace, a
// user, or a user in a namespace. An empty part is unbound; the zero Tenant may access
// everything.
type Tenant struct{ Namespace, UserID string }

// Ref names a session in a request by its id and, if they are not nil, its namespace and user.
// The empty namespace is a namespace like any other, and so is the empty user.
type Ref struct {
	SessionID         string
	Namespace, UserID *string
}

// resolve returns the namespace and user of a tenant's request, as narrowed does, and the key
// in which open parts are empty. ok is false if the request can mean no session that the
// tenant may see.
func (r Ref) resolve(t Tenant) (ns, user *string, exact session.Key, ok bool) {
	ns, user, allowed := narrowed(t, r.Namespace, r.UserID)
	exact = session.Key{Namespace: orElse(ns, ""), UserID: orElse(user, ""), SessionID: r.SessionID}
	return ns, user, exact, allowed && len(r.SessionID) <= MaxIDBytes && exact.Check() == nil
}

// narrowed returns the namespace and user of a tenant's request, nil for any. Parts that the
// request leaves open are the tenant's. allowed is false if the request names another
// tenant's; the caller then answers as if nothing existed.
func narrowed(t Tenant, namespace, userID *string) (ns, user *string, allowed bool) {
	ns, inNamespace := narrow(t.Namespace, namespace)
	user, ofUser := narrow(t.UserID, userID)
	return ns, user, inNamespace && ofUser
}

func narrow(bound string, asked *string) (part *string, allowed bool) {
	switch {
	case bound == "":
		return asked, true
	case asked == nil:
		return &bound, true
	default:
		return asked, *asked == bound
	}
}

// owner returns the namespace and user that a tenant's request writes to: those it names, or
// else the tenant's, or else the empty ones. Errors: Forbidden, Invalid.
func owner(t Tenant, namespace, userID *string) (ns, user string, err error) {
	if _, allowed := narrow(t.Namespace, namespace); !allowed {
		return "", "", &Error{Kind: Forbidden, Detail: "Token is not valid for this namespace"}
	}
	if _, allowed := narrow(t.UserID, userID); !allowed {
		return "", "", &Error{Kind: Forbidden, Detail: "Token is not valid for this user"}
	}
	ns, user = orElse(namespace, t.Namespace), orElse(userID, t.UserID)
	if err := checkID(ns, "namespace"); err != nil {
		return "", "", err
	}
	return ns, user, checkID(user, "user_id")
}

// writeKey returns the key of the session to write. It does not search the store, since a
// write names the owner.
func writeKey(t Tenant, ref Ref) (session.Key, error) {
	ns, user, err := owner(t, ref.Namespace, ref.UserID)
	if err != nil {
		return session.Key{}, err
	}
	if ref.SessionID == "" {
		return session.Key{}, &Error{Kind: Invalid, Fields: []Field{{[]string{"session_id"}, TooShort, "Session id cannot be empty", nil}}}
	}
	if err := checkID(ref.SessionID, "session_id"); err != nil {
		return session.Key{}, err
	}
	return session.Key{Namespace: ns, UserID: user, SessionID: ref.SessionID}, nil
}

// key returns the key of the session that a request means. If several sessions that it may
// mean have the id, it is the one whose open parts are empty. That is also the key if no
// session exists, since an expired one may be rebuilt. Errors: NotFound, also for a session
// that the tenant may not see.
func (s *Service) key(ctx context.Context, t Tenant, ref Ref) (session.Key, error) {
	ns, user, exact, ok := ref.resolve(t)
	if !ok {
		return session.Key{}, sessionNotFound(ref)
	}
	if ns != nil && user != nil {
		return exact, nil
	}
	found, err := s.sessions.List(ctx, session.ListOptions{SessionID: &ref.SessionID, Namespace: ns, UserID: user, Limit: 1})
	switch {
	case err != nil:
		return session.Key{}, s.reportError(ctx, err)
	case found.Total == 1 && len(found.Keys) == 1:
		return found.Keys[0], nil
	case found.Total == 0:
		return exact, nil
	}
	there, err := s.exists(ctx, exact)
	switch {
	case err != nil:
		return session.Key{}, err
	case !there:
		return session.Key{}, sessionNotFound(ref)
	}
	return exact, nil
}

// exists reports whether the store has a session.
func (s *Service) exists(ctx context.Context, key session.Key) (bool, error) {
	found, err := s.sessions.List(ctx, session.ListOptions{SessionID: &key.SessionID, Namespace: &key.Namespace, UserID: &key.UserID})
	return found.Total > 0, s.reportError(ctx, err)
}

func checkID(id, name string) error {
	var c checks
	switch {
	case len(id) > MaxIDBytes:
		c.add(TooLong, tooLong(MaxIDBytes), nil, name)
	case !utf8.ValidString(id):
		c.add(NotUTF8, "Input should be a valid string, unable to parse raw data as a unicode string", nil, name)
	}
	return c.invalid()
}

func orElse(given *string, otherwise string) string {
	if given == nil {
		return otherwise
	}
	return *given
}
