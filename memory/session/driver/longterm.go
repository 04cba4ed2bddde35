package driver

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// LongTerm is a long-term memory that a session.Manager promotes to; see
// session.Options.LongTerm. longterm.Promoter is one. The Manager schedules promotions and
// records their progress in the session. A LongTerm must be safe for concurrent use and
// give up when the context ends. A panic counts as an error. The texts of errors are logged
// and must not quote contents.
type LongTerm interface {
	// Wants returns what to promote of sessions with a strategy, which is nil if they have
	// none. With any, it returns what any session may want, whatever its strategy.
	Wants(strategy *StrategyConfig, any bool) Wants

	// Extract returns memories extracted from messages or entities. The Manager adds them
	// to the session and records the progress in one write, so that none is extracted
	// twice. A memory whose id the session has already is ignored, unless its UpdatedAt is
	// later: then it replaces the other. After an error, the Manager tries again later
	// with fewer messages. A message that fails repeatedly while the next one does not is
	// skipped.
	Extract(ctx context.Context, r ExtractRequest) ([]Record, error)

	// Promote keeps memories and messages. Keeping the same again must change nothing, as
	// it is repeated after a crash. After an error, which is retried later, what the
	// result names counts as kept.
	Promote(ctx context.Context, r PromoteRequest) (PromoteResult, error)

	// Messages returns the kept messages of a session, oldest first. It returns none, and
	// no error, if there are none.
	Messages(ctx context.Context, key Key) ([]Message, error)

	// DeleteMessages removes the kept messages of the session that was created at a time
	// (PromoteRequest.CreatedAt), or all of them if the time is zero.
	DeleteMessages(ctx context.Context, key Key, made time.Time) error
}

// Wants describes what a LongTerm does for a session.
type Wants struct {
	// Messages: messages are kept, and an expired session is rebuilt from them.
	Messages bool
	// Extract: memories are extracted from messages.
	Extract bool
	// Entities: memories are extracted from entities.
	Entities bool
}

// ExtractRequest holds the arguments of LongTerm.Extract.
type ExtractRequest struct {
	Key      Key
	Strategy *StrategyConfig // nil if the session has none
	// Messages are those that were not extracted from yet, oldest first.
	Messages []Message
	// Entities are those of the session, newest first, if they have changed since the last
	// extraction. There are no messages then.
	Entities []memory.Entity
	// Known are the session's memories.
	Known []Record
	Now   time.Time
}

// PromoteRequest holds the arguments of LongTerm.Promote.
type PromoteRequest struct {
	Key Key
	// Memories have no PersistedAt yet. Their owner and session id are filled in.
	Memories []Record
	// Messages were not kept yet. They come with their Seq, oldest first.
	Messages []Message
	// CreatedAt is when the session was created. Seq counts from there.
	CreatedAt time.Time
	Now       time.Time
}

// PromoteResult is the result of LongTerm.Promote.
type PromoteResult struct {
	// Memories are the ids of those that were kept, Refused the ids of those that can never
	// be kept as they are, because they are too large, for instance.
	Memories, Refused []string
	// Messages is the number of messages kept, counted from the first.
	Messages int
}
