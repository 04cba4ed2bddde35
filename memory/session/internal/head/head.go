// Package head reads and writes the heads of sessions: all of a session but its
// messages, decoded.
//
//	session.Manager ──┐              ┌── codec: JSON
//	summarize.Job ────┼──► Sessions ─┤
//	promote.Job ──────┘              └── driver.Store
//
// The jobs that work in the background see Sessions and nothing else of a Manager:
// they load a head, and compare and swap it.
package head

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Head is all of a session but its messages, and those that were read with it.
type Head struct {
	// At is the session's position when the head was last read or written.
	At driver.Position
	// Encoded is the head as it was then.
	Encoded []byte
	// Messages are those that were read, as they are stored: without what Promotion
	// says of them.
	Messages []driver.Message

	CreatedAt time.Time
	// LastAccessed counts where it is later than At.UpdatedAt.
	LastAccessed time.Time
	Context      string
	Entities     *memory.WorkingContext
	Memories     []driver.Record
	Data         map[string]any
	Strategy     *driver.StrategyConfig
	TTL          time.Duration
	// SummaryLease is until when a summary is being written.
	SummaryLease time.Time
	// SummaryFailed is when a summary last failed, until one is written.
	SummaryFailed time.Time
	Promotion     Promotion
}

// Follows reports whether the head is of the session that had an earlier revision: one
// that was deleted and made again has another, random number.
func (h *Head) Follows(earlier uint64) bool {
	const changes = 1 << 16 // more than others make during a summary or a promotion
	return h.At.Revision-earlier < changes
}

// Marked returns a copy of the messages with what Promotion says of them.
func (h *Head) Marked() []driver.Message {
	messages := Clone(h.Messages)
	h.Promotion.Mark(messages)
	return messages
}
