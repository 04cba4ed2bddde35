package driver

import "time"

// Format is the format in which this version writes sessions, and the latest that
// it reads. It grows with each change of what is written, also with a new field: a
// version that does not know a field would lose it.
//
// Format 2 brought progress to heads.
const Format = 2

// RememberedIDs is how many ids of messages that left a session a store remembers
// at least, so that one which is appended once more is not added again.
const RememberedIDs = 1000

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

// StoredSession is a session as a Store keeps it.
type StoredSession struct {
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
