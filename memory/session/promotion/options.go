package promotion

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Defaults of Options.
const (
	// DefaultWorkers is how many sessions are promoted at once.
	DefaultWorkers = 2
	// DefaultDelay is how long new messages and entities wait for more to come.
	DefaultDelay = 30 * time.Second
	// DefaultPoll is how often the store is asked for sessions that are due.
	DefaultPoll = time.Second
	// DefaultLease is how long a session is left to whoever took it on.
	DefaultLease = time.Minute
	// DefaultRetryAfter is when the first failure is tried again.
	DefaultRetryAfter = 5 * time.Second
	// DefaultBatch is how many messages are promoted in one step.
	DefaultBatch = 100
)

// Options configure how a session.Manager promotes sessions to its long-term memory.
// The zero value is useful.
type Options struct {
	// Off: this Manager notes what is due, and leaves it to other processes that share
	// the store. session.Manager.Promote still promotes, and so does a summary with what
	// is about to leave.
	Off bool
	// Workers is how many sessions are promoted at once. 0 means
	// DefaultWorkers.
	Workers int
	// Delay is how long new messages and entities wait, for more to come, before they
	// are promoted together: a model that extracts memories is then asked once for a
	// piece of the conversation, not for each message by itself. They wait in the store,
	// and no longer than half the time that the session has to live; but an Append
	// without a TTL does not know of one that runs. session.Session.Memories do not wait,
	// and session.Manager.Close ends the delay of all sessions that its manager wrote, up to
	// 65,536. 0 means DefaultDelay, a negative number no delay.
	Delay time.Duration
	// Poll is how often the store is asked for sessions that are due: work that a
	// process left behind, or another Manager made. What this Manager writes it sees at
	// once. 0 means DefaultPoll.
	Poll time.Duration
	// Lease is how long nobody else takes on a session that is being promoted. It is
	// renewed between the steps, so that it is to be longer than one of them, such as
	// a call of a model: such a call is given no more time. 0 means DefaultLease.
	Lease time.Duration
	// RetryAfter is how long a session waits after a failure; twice as long after each
	// further one, up to 64 times; but no longer than half of what it has to live. 0 means
	// DefaultRetryAfter.
	RetryAfter time.Duration
	// Batch is how many messages, and how many memories, are promoted in one step. 0
	// means DefaultBatch.
	Batch int
	// OnPromoted is told of each promotion, by the goroutine that did it. If it
	// panics, the Logger is told. nil means that nobody is told.
	OnPromoted func(key driver.Key, outcome Outcome)
}
