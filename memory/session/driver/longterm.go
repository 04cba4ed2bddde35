package driver

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// LongTerm is the long-term memory that a session.Manager promotes to, given in
// session.Options; longterm.Promoter is one. The Manager decides when and by whom
// something is promoted, and keeps account of it in the session; a LongTerm only does
// it. It must be safe for concurrent use and give up when the context ends. What it
// panics with is an error. The texts of its errors are logged: they are to have no
// contents.
type LongTerm interface {
	// Wants says what is to be done for sessions with a strategy, nil where they have
	// none. With any it is true of what some sessions want, whatever their strategy.
	Wants(strategy *StrategyConfig, any bool) Wants

	// Extract returns the memories that messages and entities of a session hold. The
	// Manager adds them to the session's, each id once, and notes that they were extracted,
	// in one write, so that none is extracted twice. One whose id is there already is left
	// out, unless its UpdatedAt is later: then it replaces that. With an error, which is
	// retried later and with fewer messages, nothing was extracted. A message that fails
	// again and again, while the one behind it does not, is passed over.
	Extract(ctx context.Context, r ExtractRequest) ([]Record, error)

	// Promote keeps memories and messages. Keeping the same again changes nothing, so
	// that it can be repeated after a crash. With an error, which is retried later,
	// what the result names is kept nevertheless.
	Promote(ctx context.Context, r PromoteRequest) (PromoteResult, error)

	// Messages returns the messages of a session that were kept, oldest first, as they
	// were. Without any it returns none.
	Messages(ctx context.Context, key Key) ([]Message, error)

	// DeleteMessages removes them: those of the session that was made at a time
	// (PromoteRequest.CreatedAt), or all, for the zero time.
	DeleteMessages(ctx context.Context, key Key, made time.Time) error
}

// Wants says what a LongTerm does for a session.
type Wants struct {
	// Messages: its messages are kept, and it is rebuilt of them when it has expired.
	Messages bool
	// Extract: memories are extracted from its messages.
	Extract bool
	// Entities: memories are extracted from its entities.
	Entities bool
}

// ExtractRequest holds the arguments of LongTerm.Extract.
type ExtractRequest struct {
	Key      Key
	Strategy *StrategyConfig // nil: the session has none
	// Messages are those of which nothing was extracted yet, oldest first.
	Messages []Message
	// Entities are the session's, newest first, if it is about these: they changed since
	// the last extraction. There are no messages then.
	Entities []memory.Entity
	// Known are the session's memories.
	Known []Record
	Now   time.Time
}

// PromoteRequest is what LongTerm.Promote is to keep.
type PromoteRequest struct {
	Key Key
	// Memories have no PersistedAt yet. Owner and session id are filled in.
	Memories []Record
	// Messages were not kept yet, oldest first, with their Seq.
	Messages []Message
	// CreatedAt is when the session was made: Seq counts from there.
	CreatedAt time.Time
	Now       time.Time
}

// PromoteResult is what LongTerm.Promote kept.
type PromoteResult struct {
	// Memories are the ids of those that were kept, Refused of those that never will be,
	// as they are: too large, say.
	Memories, Refused []string
	// Messages is how many were kept, from the first on.
	Messages int
}
