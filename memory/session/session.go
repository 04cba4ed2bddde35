package session

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Session is a conversation with its data, as it was when it was read. It is a plain value
// for one goroutine: to store changes, pass it to Manager.Save or change it in
// Manager.Update.
type Session struct {
	// Key identifies the session. It must not be changed.
	Key Key
	// Messages are those that were read, oldest first.
	Messages []Message
	// Context is the summary of messages that left, followed by the identifiers that it
	// does not mention.
	Context string
	// Entities are those that tools returned. It is never nil.
	Entities *memory.WorkingContext
	// Handles are the short handles of ids. It is never nil.
	Handles *handle.Table
	// Memories are facts to remember beyond the session.
	Memories []driver.Record
	// Data is any JSON object. Its numbers are read as json.Number, so that no digit is
	// lost.
	Data map[string]any
	// Strategy configures how memories are extracted from the messages. If nil, the default
	// of the LongTerm applies.
	Strategy *StrategyConfig
	// CreatedAt is when the session was created. The zero time means the time of the write.
	// LastAccessed is the time of the last write, or a later time set by a program.
	CreatedAt, LastAccessed time.Time
	// Progress reports the progress of promotion. It is read only.
	Progress Progress
	// TTL is the time to live last given to a write other than an Append, 0 if none was. It
	// is read only: see WriteOptions.
	TTL time.Duration
	// ReportedTokens is a token count that a client reported and sees again; summaries add their
	// own tokens to it. Nothing depends on it: see Tokens for the count of the messages.
	ReportedTokens int64

	from origin
}

// origin is the state of a session when it was last read or written.
type origin struct {
	head.Head
	// complete reports whether all messages were read, none whether none were asked for.
	complete, none bool
	summary        summary.Outcome
}

// newSession returns the session of a head.
func newSession(key Key, h *head.Head) *Session {
	s := &Session{
		Key: key, Messages: h.Marked(), Context: h.Context, Entities: h.Entities, Handles: h.Handles, Memories: h.Memories, Data: h.Data,
		Strategy: h.Strategy, CreatedAt: h.CreatedAt, LastAccessed: h.LastAccessed, TTL: h.TTL, ReportedTokens: h.ReportedTokens,
		from: origin{Head: *h, complete: len(h.Messages) == h.At.Len()},
	}
	s.accessed()
	return s
}

// accessed updates LastAccessed and Progress from the position of the session.
func (s *Session) accessed() {
	at, p := s.from.At, &s.from.Promotion
	if s.LastAccessed.Before(at.UpdatedAt) {
		s.LastAccessed = at.UpdatedAt
	}
	s.Progress = Progress{Due: at.DueAt, Kept: p.Kept, Extracted: p.Extracted, Failures: p.Failures}
}

// head returns the head to write.
func (s *Session) head() head.Head {
	h := s.from.Head
	if s.LastAccessed.After(h.At.UpdatedAt) { // set by the program
		h.LastAccessed = s.LastAccessed
	}
	h.Context, h.Entities, h.Handles, h.Memories, h.Data = s.Context, s.Entities, s.Handles, s.Memories, s.Data
	h.Strategy, h.CreatedAt, h.TTL, h.ReportedTokens = s.Strategy, s.CreatedAt, s.TTL, s.ReportedTokens
	return h
}

// Revision changes with every change of the session in its store, except that messages are
// appended. It is 0 for a session that was not read from the store.
func (s *Session) Revision() uint64 { return s.from.At.Revision }

// Version changes with every change of the session in its store. It is 0 for a session that
// was not read from the store.
func (s *Session) Version() uint64 {
	if s.from.At.Revision == 0 {
		return 0
	}
	return s.from.At.Version()
}

// Len is the number of messages of the session in its store, read or not.
func (s *Session) Len() int { return s.from.At.Len() }

// Tokens is the number of tokens of these messages.
func (s *Session) Tokens() int { return int(s.from.At.Tokens) }

// Window is the context window last given, in tokens. It is 0 if none was given.
func (s *Session) Window() int { return int(s.from.At.Window) }

// UpdatedAt is the time of the last change, to the millisecond. Promoting is not a change.
func (s *Session) UpdatedAt() time.Time { return s.from.At.UpdatedAt }

// ExpiresAt is when the session expires, to the millisecond. The zero time means never.
func (s *Session) ExpiresAt() time.Time { return s.from.At.ExpiresAt }

// Summary reports the outcome of the summarization started by the last write.
func (s *Session) Summary() summary.Outcome { return s.from.summary }

// Progress is the progress of promoting a session to long-term memory.
type Progress struct {
	// Due is the earliest time of the next promotion. It is zero if there is
	// nothing to promote.
	Due time.Time
	// Kept and Extracted are the numbers (Message.Seq) below which messages were kept in
	// long-term memory, and extracted from.
	Kept, Extracted uint64
	// Failures is the number of failures in a row.
	Failures int
}
