package driver

import (
	"context"
	"time"
)

// Store keeps sessions. A session.Manager works on any of them; package drivertest
// has the tests that each must pass.
//
// A session is a head, a list of messages in which each has a sequence number, and a
// Position. Head and messages are bytes that the store does not look into.
//
//   - Concurrency: a Store is safe for concurrent use, also by several processes
//     where the store is shared. Every method is atomic: others see all of it or
//     nothing. What was acknowledged is seen by every later call.
//   - Ownership: a store keeps no slice that it is given, and what it returns is
//     the caller's to keep, not to change.
//   - Time: a session that has expired is as if it had never been there, for all
//     methods, from the moment it expires.
//   - Errors: those that a method names, ErrKey for a key that Key.Check refuses,
//     ErrTTL for a negative TTL other than NoExpiry, a *DamagedError for what cannot
//     be read, a *FormatError for a session that was written in a later format than
//     the caller's, ErrClosed after Close, ErrUnavailable where the server did not
//     answer, and an error that is ctx.Err() when the context ends. A store gives up
//     when the context ends, and works again by itself when its server does.
//   - Resending: where a store sends a request again because it does not know what
//     became of it, it sees to it that its effect is that of one.
type Store interface {
	// Load returns a session with its last messages: all of them for a negative
	// last, none for 0. Errors: ErrNotFound.
	Load(ctx context.Context, key Key, last int) (*StoredSession, error)

	// Append adds messages at the end, in their order, without reading or writing
	// those that are there: its cost does not depend on their number. A message is
	// left out if one with its id is in the session, or left it among the last
	// RememberedIDs that did, or comes before it in the same call. It makes the
	// session if it is not there. It returns where the session stands afterwards,
	// and how many messages were added. Even one that adds nothing renews the expiry.
	Append(ctx context.Context, key Key, a Append) (at Position, added int, err error)

	// Write replaces the head if the session still stands where w.If says, and
	// changes the messages as w says. Errors: ErrConflict, with which nothing was
	// changed; a session that was to be changed and is not there is a conflict too.
	Write(ctx context.Context, key Key, w Write) (Position, error)

	// Delete removes a session with all that belongs to it, damaged or not, of
	// whatever format. It is no error if there is none. With a condition nothing is
	// removed unless the session stands there: ErrConflict, also if there is none.
	Delete(ctx context.Context, key Key, where *Condition) error

	// List returns the keys of the sessions that match o, in the bytewise
	// order of Key.String, and their number without Limit and Offset. Damaged
	// sessions are among them.
	List(ctx context.Context, o ListOptions) (Listing, error)

	// Due returns the keys of sessions whose Position.DueAt is not after a time, at
	// most limit of them, none for a limit below 1, the earliest DueAt first. Damaged
	// sessions are among them. Its cost depends on what it returns, not on how many
	// sessions there are.
	Due(ctx context.Context, by time.Time, limit int) ([]Key, error)
}

// DefaultListLimit is the number of keys that a session.Manager lists at most if no limit
// is given.
const DefaultListLimit = 100

// ListOptions selects the sessions that List returns. The zero value selects all, and lists
// the first DefaultListLimit of them.
type ListOptions struct {
	// Namespace, UserID and SessionID, if not nil, must be equal to the key's.
	Namespace, UserID, SessionID *string
	// Limit is the maximum number of keys to return, from the one at Offset on. 0 means
	// DefaultListLimit, which a session.Manager passes on in its place: a Store is not
	// asked for 0. A negative Limit means no limit, a negative Offset means 0.
	Limit, Offset int
}

// Match reports whether the options select a key, whatever their Limit and Offset.
func (o ListOptions) Match(key Key) bool {
	equal := func(want *string, part string) bool { return want == nil || *want == part }
	return equal(o.Namespace, key.Namespace) && equal(o.UserID, key.UserID) && equal(o.SessionID, key.SessionID)
}

// Listing is the result of a List.
type Listing struct {
	Keys []Key
	// Total is the number of sessions that match, without Limit and Offset.
	Total int
}
