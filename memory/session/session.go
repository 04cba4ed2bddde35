package session

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
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
	Memories []driver.Record
	// Data is whatever belongs to the session, any JSON object. Numbers are
	// json.Number when they are read, so that no digit is lost.
	Data map[string]any
	// Strategy says how memories are extracted from the messages. nil: by the default.
	Strategy *StrategyConfig
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

// origin is what a session was when it was read or written last.
type origin struct {
	head.Head
	// complete: the messages are all that the session had. none: they were not asked
	// for.
	complete, none bool
	summary        summary.Outcome
}

// newSession makes a session of its head.
func newSession(key Key, h *head.Head) *Session {
	s := &Session{
		Key: key, Messages: h.Marked(), Context: h.Context, Entities: h.Entities, Memories: h.Memories, Data: h.Data,
		Strategy: h.Strategy, CreatedAt: h.CreatedAt, LastAccessed: h.LastAccessed, TTL: h.TTL,
		from: origin{Head: *h, complete: len(h.Messages) == h.At.Len()},
	}
	s.accessed()
	return s
}

// accessed sets what the position of a session says: of its last access and its
// progress.
func (s *Session) accessed() {
	at, p := s.from.At, &s.from.Promotion
	if s.LastAccessed.Before(at.UpdatedAt) {
		s.LastAccessed = at.UpdatedAt
	}
	s.Progress = Progress{Due: at.DueAt, Kept: p.Kept, Extracted: p.Extracted, Failures: p.Failures}
}

// head returns the head of a session as it is to be written.
func (s *Session) head() head.Head {
	h := s.from.Head
	if s.LastAccessed.After(h.At.UpdatedAt) { // it was set
		h.LastAccessed = s.LastAccessed
	}
	h.Context, h.Entities, h.Memories, h.Data = s.Context, s.Entities, s.Memories, s.Data
	h.Strategy, h.CreatedAt, h.TTL = s.Strategy, s.CreatedAt, s.TTL
	return h
}

// Version changes with each change of the session in its store. It is 0 for a
// session that was not read from one.
func (s *Session) Version() uint64 {
	if s.from.At.Revision == 0 {
		return 0
	}
	return s.from.At.Version()
}

// Len is how many messages the session had in its store, read or not.
func (s *Session) Len() int { return s.from.At.Len() }

// Tokens is how many tokens those had.
func (s *Session) Tokens() int { return int(s.from.At.Tokens) }

// Window is the context window last given, in tokens, 0 if none was.
func (s *Session) Window() int { return int(s.from.At.Window) }

// UpdatedAt is when the session was last changed, to the millisecond. Promoting it is
// no change.
func (s *Session) UpdatedAt() time.Time { return s.from.At.UpdatedAt }

// ExpiresAt is when the session expires, to the millisecond; zero: never.
func (s *Session) ExpiresAt() time.Time { return s.from.At.ExpiresAt }

// Summary reports the outcome of the summarization that the last write of s started.
func (s *Session) Summary() summary.Outcome { return s.from.summary }

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
