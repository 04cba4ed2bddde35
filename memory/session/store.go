package session

import (
	"context"
	"fmt"
	"time"
)

// Store keeps sessions. A Manager works on any of them; package sessiontest has the
// tests that each must pass.
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
	Load(ctx context.Context, key Key, last int) (*Record, error)

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

	// List returns the keys of the sessions that pass a filter, in the bytewise
	// order of Key.String, and their number without Limit and Offset. Damaged
	// sessions are among them.
	List(ctx context.Context, f Filter) (Page, error)

	// Due returns the keys of sessions whose Position.DueAt is not after a time, at
	// most limit of them, none for a limit below 1, the earliest DueAt first. Damaged
	// sessions are among them. Its cost depends on what it returns, not on how many
	// sessions there are.
	Due(ctx context.Context, by time.Time, limit int) ([]Key, error)
}

// RememberedIDs is how many ids of messages that left a session a store remembers
// at least, so that one which is appended once more is not added again.
const RememberedIDs = 1000

// NoExpiry is a TTL in Append and Write that takes a running expiry away.
const NoExpiry time.Duration = -1

// TTLMillis is a TTL of Append and Write in milliseconds, for Stores: a fraction of
// one counts as a whole one, NoExpiry is -1. Errors: ErrTTL.
func TTLMillis(ttl time.Duration) (int64, error) {
	switch {
	case ttl == NoExpiry:
		return -1, nil
	case ttl < 0:
		return 0, fmt.Errorf("%w: %v", ErrTTL, ttl)
	}
	ms := ttl.Milliseconds()
	if ttl%time.Millisecond > 0 {
		ms++
	}
	return ms, nil
}

// Position says where a session stands.
type Position struct {
	// Revision is that of the head. It grows by 1 with each Write. It begins
	// with a random number (NewRevision), so that a session that is deleted and
	// made again is not taken for the one before.
	Revision uint64
	// First is the sequence number of the oldest message in the session, Next the
	// one that the next message gets: there are Next-First messages. The very first
	// message has 1. Numbers are never given twice in a session's life.
	First, Next uint64
	// Tokens is the sum of the tokens of the messages in the session.
	Tokens int64
	// Window is the context window last given, in tokens, 0 if none was.
	Window int64
	// UpdatedAt is Now of the last Append or Write, to the millisecond.
	UpdatedAt time.Time
	// ExpiresAt is when the session expires, to the millisecond. Zero: never.
	ExpiresAt time.Time
	// DueAt is when the session is due for work in the background, to the
	// millisecond; zero: not at all.
	DueAt time.Time
}

// Version is a number that grows with every Append that adds a message and with
// every Write.
func (p Position) Version() uint64 { return p.Revision + p.Next }

// Len is the number of messages.
func (p Position) Len() int { return int(p.Next - p.First) }

// Record is a session as a Store keeps it.
type Record struct {
	Position
	// Format is that of the last Write, or of the Append that made the session.
	Format int
	Head   []byte
	// Messages are the last ones of the session, oldest first.
	Messages []StoredMessage
}

// StoredMessage is a message as a Store keeps it.
type StoredMessage struct {
	// Seq is the sequence number. A store gives it: it is 0 in Append and Write.
	Seq uint64
	// ID is valid UTF-8 of 1 to MaxIDBytes bytes, unique in its session. NUL may be
	// in it.
	ID     string
	Tokens int64
	// Body is valid JSON in UTF-8.
	Body []byte
}

// Append is what Store.Append adds.
type Append struct {
	Messages []StoredMessage
	// Head is the head of the session if it is not there yet.
	Head []byte
	// Format is that of the messages and the head. A session of a later format is
	// not changed.
	Format int
	// TTL is how long the session lives from now, in full milliseconds at least 1;
	// 0 leaves a running expiry as it is; NoExpiry takes it away.
	TTL time.Duration
	// Window becomes Position.Window, unless it is 0.
	Window int64
	// Now becomes Position.UpdatedAt.
	Now time.Time
	// Due becomes Position.DueAt, down to the millisecond, where that is zero. The zero
	// time leaves it as it is.
	Due time.Time
}

// Condition says where a session must stand.
type Condition struct {
	// Revision is the one it must have; 0: there must be no session.
	Revision uint64
	// Next is what Position.Next must be; 0: messages may have been appended.
	Next uint64
}

// Write is what Store.Write changes.
type Write struct {
	If Condition
	// Head replaces the head.
	Head []byte
	// DropBefore is a sequence number: messages with a lower one leave. Numbers
	// beyond Position.Next count as that.
	DropBefore uint64
	// Messages are added then, as in Append, but also if their ids are remembered
	// of messages that left.
	Messages []StoredMessage
	// Format, TTL, Window and Now are as in Append.
	Format int
	TTL    time.Duration
	Window int64
	Now    time.Time
	// Due becomes Position.DueAt, down to the millisecond, the zero time too; nil
	// leaves it as it is.
	Due *time.Time
}

// Filter says which sessions List returns. Its zero value lets all pass.
type Filter struct {
	// Namespace, UserID and SessionID, if not nil, must be equal to the key's.
	Namespace, UserID, SessionID *string
	// Limit is how many keys to return at most, from the one at Offset on. A
	// negative Limit means no limit; 0 returns none, only the total. A negative
	// Offset counts as 0.
	Limit, Offset int
}

// Page is a part of a list.
type Page struct {
	Keys []Key
	// Total is the number of sessions that pass the filter.
	Total int
}
