package driver

import "time"

// Format is the format in which this version writes sessions, and the latest that it reads.
// Every change of what is written increments it, even a new field, which an earlier version
// would lose.
//
// Format 2 added progress to heads, format 3 handles, format 4 ReportedTokens and the
// ExtractionConfig of memories.
const Format = 4

// RememberedIDs is the minimum number of ids of messages that left a session that a store
// remembers, so that the messages are not appended again.
const RememberedIDs = 1000

// Position is the state of a session in its store.
type Position struct {
	// Revision is the revision of the head. Each Write increments it. It starts at a random
	// number (NewRevision), so that a session that is deleted and created again is not
	// taken for the old one.
	Revision uint64
	// First is the sequence number of the oldest message, Next that of the next message to
	// be appended: there are Next-First messages. The first message of a session gets 1.
	// A number is never used twice in a session.
	First, Next uint64
	// Tokens is the sum of the tokens of the messages in the session.
	Tokens int64
	// Window is the context window last given, in tokens. It is 0 if none was given.
	Window int64
	// UpdatedAt is the Now of the last Append or Write, to the millisecond.
	UpdatedAt time.Time
	// ExpiresAt is when the session expires, to the millisecond. The zero time means never.
	ExpiresAt time.Time
	// DueAt is when the session is due for promotion, to the millisecond. The zero time
	// means never.
	DueAt time.Time
}

// Version returns a number that grows with every Append of a message and with every Write.
func (p Position) Version() uint64 { return p.Revision + p.Next }

// Len returns the number of messages.
func (p Position) Len() int { return int(p.Next - p.First) }

// StoredSession is a session as a Store returns it.
type StoredSession struct {
	Position
	// Format is that of the last Write, or of the Append that created the session.
	Format int
	Head   []byte
	// Messages are the last messages of the session, oldest first.
	Messages []StoredMessage
}

// StoredMessage is a message as a Store keeps it.
type StoredMessage struct {
	// Seq is the sequence number. The store assigns it: it is 0 in Append and Write.
	Seq uint64
	// ID is unique in its session: valid UTF-8 of 1 to MaxIDBytes bytes, which may include
	// NUL.
	ID     string
	Tokens int64
	// Body is valid JSON in UTF-8.
	Body []byte
}
