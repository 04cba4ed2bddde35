package driver

import (
	"context"
	"time"
)

// Store keeps sessions. A session.Manager works on any Store that passes the tests of
// package drivertest.
//
// A session is a head, a list of messages with sequence numbers, and a Position. Head and
// messages are bytes that the store does not interpret.
//
//   - Concurrency: a Store is safe for concurrent use, and by several processes if it is
//     shared. Every method is atomic, and what it has acknowledged is visible to every later
//     call.
//   - Ownership: a store retains no slice that it is given. The caller may keep what it
//     returns, but not change it.
//   - Time: for all methods, an expired session does not exist from the moment it expires.
//   - Errors: those that a method names, ErrKey for a key that Key.Check rejects, ErrTTL for
//     a negative TTL other than NoExpiry, a *DamagedError for data that cannot be read, a
//     *FormatError for a session in a later format than the caller's, ErrClosed after Close,
//     ErrUnavailable if the server did not answer, and an error that is ctx.Err() when the
//     context ends. A store gives up when the context ends, and recovers by itself when its
//     server does.
//   - Resending: a request that a store sends again, as its outcome is not known, has the
//     effect of one.
type Store interface {
	// Load returns a session with its last messages: all if last is negative, none if it is
	// 0. Errors: ErrNotFound.
	Load(ctx context.Context, key Key, last int) (*StoredSession, error)

	// Append adds messages to the end, in order, without reading or writing the others: its
	// cost does not depend on their number. A message is ignored if its id is that of a
	// message in the session, of one of the last RememberedIDs that left it, or of an
	// earlier message of the call. Append creates the session if it does not exist. It
	// returns the new position and the number of messages added. Even if it adds none, it
	// renews the expiry.
	Append(ctx context.Context, key Key, a Append) (at Position, added int, err error)

	// Write replaces the head and changes the messages if the session meets w.If. Errors:
	// ErrConflict if it does not, also if it does not exist; nothing was changed.
	Write(ctx context.Context, key Key, w Write) (Position, error)

	// Delete removes a session, damaged or not and in any format. Removing a session that
	// does not exist is not an error. If where is not nil, Delete returns ErrConflict
	// unless the session exists and meets it.
	Delete(ctx context.Context, key Key, where *Condition) error

	// List returns the keys of the sessions that match o, in the bytewise order of
	// Key.String, and their number without Limit and Offset. Damaged sessions are included.
	List(ctx context.Context, o ListOptions) (Listing, error)

	// Due returns the keys of at most limit sessions whose Position.DueAt is not after a
	// time, the earliest first. It returns none if limit is below 1. Damaged sessions are
	// included. Its cost depends on the number of keys returned, not on that of sessions.
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

// Match reports whether o selects a key. It ignores Limit and Offset.
func (o ListOptions) Match(key Key) bool {
	equal := func(want *string, part string) bool { return want == nil || *want == part }
	return equal(o.Namespace, key.Namespace) && equal(o.UserID, key.UserID) && equal(o.SessionID, key.SessionID)
}

// Listing is the result of Store.List.
type Listing struct {
	Keys []Key
	// Total is the number of sessions that match, ignoring Limit and Offset.
	Total int
}
