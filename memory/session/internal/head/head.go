// Package head reads and writes the heads of sessions: everything but the messages,
// decoded.
//
//	session.Manager ──┐              ┌── codec: JSON
//	summarize.Job ────┼──► Sessions ─┤
//	promote.Job ──────┘              └── driver.Store
//
// The jobs in the background see only Sessions, nothing of a Manager: they load a head, and
// compare and swap it.
package head

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Head holds everything of a session but its messages. Those read together with it are in
// Messages.
type Head struct {
	// At is the position of the session when the head was last read or written.
	At driver.Position
	// Encoded is the head as it was last read or written.
	Encoded []byte
	// Messages are the messages that were read, as stored: without the marks of Promotion.
	Messages []driver.Message

	CreatedAt time.Time
	// LastAccessed counts if it is later than At.UpdatedAt.
	LastAccessed time.Time
	Context      string
	Entities     *memory.WorkingContext
	Handles      *handle.Table
	Memories     []driver.Record
	Data         map[string]any
	Strategy     *driver.StrategyConfig
	TTL          time.Duration
	// ReportedTokens is the count of a client, and of the summaries since.
	ReportedTokens int64
	// SummaryLease is when the lease of a running summary expires.
	SummaryLease time.Time
	// SummaryFailed is when the last summary failed. It is zero after one that succeeded.
	SummaryFailed time.Time
	Promotion     Promotion
}

// Follows reports whether the head is a later one of the session that had a revision. A
// session that was deleted and created again has another, random revision.
func (h *Head) Follows(earlier uint64) bool {
	const changes = 1 << 16 // more than are made during a summary or a promotion
	return h.At.Revision-earlier < changes
}

// Marked returns a copy of the messages with the marks of Promotion.
func (h *Head) Marked() []driver.Message {
	messages := Clone(h.Messages)
	h.Promotion.Mark(messages)
	return messages
}
