package session

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Session is a conversation with all that is kept of it, as it was when it was
// read. It is a plain value for one goroutine: changes count when they are given to
// Manager.Save, or made in Manager.Update.
type Session struct {
	// Key names the session. It is not to be changed.
	Key Key
	// Messages are those that were read, oldest first.
	Messages []Message
	// Context is the summary of messages that left, with the identifiers that they
	// mentioned.
	Context string
	// Entities are what tools returned, for the block. It is never nil.
	Entities *memory.WorkingContext
	// Memories are what is to be remembered beyond the session.
	Memories []Memory
	// Data is whatever belongs to the session, any JSON object. Numbers are
	// json.Number when they are read, so that no digit is lost.
	Data map[string]any
	// Strategy says how memories are extracted from the messages. nil: by the default.
	Strategy *Strategy
	// CreatedAt is when the session was made; the zero time becomes that of the write.
	// LastAccessed is when it was last written, or whatever later time was set.
	CreatedAt, LastAccessed time.Time
	// Progress says how far the session was promoted to long-term memory. Changing it
	// does nothing.
	Progress Progress
	// TTL is the time to live that was last given to a write of the whole session or
	// its head, 0 if none was. Setting it does nothing: see WriteOptions.
	TTL time.Duration

	from origin
}

// origin is what a session was when it was read.
type origin struct {
	at     Position
	format int
	head   []byte
	// messages are those that were read, without what marks say of them. complete says
	// that they are all that the session had, none that they were not asked for.
	messages       []Message
	complete, none bool
	lease, failed  time.Time // of summaries
	progress       progress
	accessed       time.Time
	ttl            time.Duration
	summary        SummaryOutcome
}

// Version changes with each change of the session in its store. It is 0 for a
// session that was not read from one.
func (s *Session) Version() uint64 {
	if s.from.at.Revision == 0 {
		return 0
	}
	return s.from.at.Version()
}

// Len is how many messages the session had in its store, read or not.
func (s *Session) Len() int { return s.from.at.Len() }

// Tokens is how many tokens those had.
func (s *Session) Tokens() int { return int(s.from.at.Tokens) }

// Window is the context window last given, in tokens, 0 if none was.
func (s *Session) Window() int { return int(s.from.at.Window) }

// UpdatedAt is when the session was last changed, to the millisecond. Promoting it is
// no change.
func (s *Session) UpdatedAt() time.Time { return s.from.at.UpdatedAt }

// ExpiresAt is when the session expires, to the millisecond; zero: never.
func (s *Session) ExpiresAt() time.Time { return s.from.at.ExpiresAt }

// Progress is how far a session was promoted to long-term memory. The Manager keeps
// it; callers read it.
type Progress struct {
	// Due is when the Manager looks at the session, at the earliest; zero: there is
	// nothing to do.
	Due time.Time
	// Kept and Extracted are numbers (Message.Seq) below which the messages were kept
	// in long-term memory, and memories were extracted.
	Kept, Extracted uint64
	// Failures is how often promoting has failed in a row.
	Failures int
}
