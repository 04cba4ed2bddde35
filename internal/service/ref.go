package service

import (
	"context"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Tenant is whose sessions and memories a caller may read and write: those of a namespace, of
// a user, or of a user in a namespace. An empty part is not bound: the zero Tenant is
// everybody's.
type Tenant struct{ Namespace, UserID string }

// Ref names a session in a request: by its id, and by its namespace and user where these
// are not nil. The empty namespace is a namespace like any other, and so is the empty user.
type Ref struct {
	SessionID         string
	Namespace, UserID *string
}

// resolve returns the namespace and user that a tenant's request is about, as narrowed, and the key
// with the empty ones where these are left open. ok is false where no session can be meant that
// the tenant may see.
func (r Ref) resolve(t Tenant) (ns, user *string, exact session.Key, ok bool) {
	ns, user, mine := narrowed(t, r.Namespace, r.UserID)
	exact = session.Key{Namespace: orElse(ns, ""), UserID: orElse(user, ""), SessionID: r.SessionID}
	return ns, user, exact, mine && len(r.SessionID) <= MaxIDBytes && exact.Check() == nil
}

// narrowed returns the namespace and user that a tenant's request is about, nil where it
// may be any. What the tenant is bound to and the request leaves open is the tenant's. mine
// is false if the request names another's: then there is nothing, as if nobody had it.
func narrowed(t Tenant, namespace, userID *string) (ns, user *string, mine bool) {
	ns, inNamespace := narrow(t.Namespace, namespace)
	user, ofUser := narrow(t.UserID, userID)
	return ns, user, inNamespace && ofUser
}

func narrow(bound string, asked *string) (part *string, mine bool) {
	switch {
	case bound == "":
		return asked, true
	case asked == nil:
		return &bound, true
	default:
		return asked, *asked == bound
	}
}

// owner returns the namespace and user that a tenant's request writes to: what it names,
// else the tenant's, else the empty ones. Errors: Forbidden, Invalid.
func owner(t Tenant, namespace, userID *string) (ns, user string, err error) {
	if _, mine := narrow(t.Namespace, namespace); !mine {
		return "", "", &Error{Kind: Forbidden, Detail: "Token is not valid for this namespace"}
	}
	if _, mine := narrow(t.UserID, userID); !mine {
		return "", "", &Error{Kind: Forbidden, Detail: "Token is not valid for this user"}
	}
	ns, user = orElse(namespace, t.Namespace), orElse(userID, t.UserID)
	if err := checkID(ns, "namespace"); err != nil {
		return "", "", err
	}
	return ns, user, checkID(user, "user_id")
}

// writeKey returns the key that a caller writes to. It is what the caller says, and is not
// searched for: a write names whose session it is.
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

// key returns the key of the session that a request is about: of the only one with this id
// among those that it may mean, or of several the one whose namespace and user are empty
// where they are left open. That is also the key where there is none: one that has expired
// may be rebuilt. Errors: NotFound, also for one that the tenant may not see.
func (s *Service) key(ctx context.Context, t Tenant, ref Ref) (session.Key, error) {
	ns, user, exact, ok := ref.resolve(t)
	if !ok {
		return session.Key{}, noSession(ref)
	}
	if ns != nil && user != nil {
		return exact, nil
	}
	found, err := s.sessions.List(ctx, session.ListOptions{SessionID: &ref.SessionID, Namespace: ns, UserID: user, Limit: 1})
	switch {
	case err != nil:
		return session.Key{}, s.fail(ctx, err)
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
		return session.Key{}, noSession(ref)
	}
	return exact, nil
}

// exists reports whether a session is in the store.
func (s *Service) exists(ctx context.Context, key session.Key) (bool, error) {
	found, err := s.sessions.List(ctx, session.ListOptions{SessionID: &key.SessionID, Namespace: &key.Namespace, UserID: &key.UserID})
	return found.Total > 0, s.fail(ctx, err)
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
