package promotion

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Defaults of Options.
const (
	// DefaultWorkers is the default number of workers.
	DefaultWorkers = 2
	// DefaultDelay is the default delay of new messages and entities.
	DefaultDelay = 30 * time.Second
	// DefaultPoll is the default interval of polling the store.
	DefaultPoll = time.Second
	// DefaultLease is the default duration of a lease.
	DefaultLease = time.Minute
	// DefaultRetryAfter is the default wait after a first failure.
	DefaultRetryAfter = 5 * time.Second
	// DefaultBatch is the default number of messages promoted in one step.
	DefaultBatch = 100
)

// Options configures how a session.Manager promotes sessions to its long-term memory. The
// zero value is useful.
type Options struct {
	// Off leaves promoting to other processes that share the store: the Manager only
	// records what is due. session.Manager.Promote still promotes, and a summary still
	// promotes the messages that it drops.
	Off bool
	// Workers is the number of sessions promoted at once. 0 means DefaultWorkers.
	Workers int
	// Delay is how long new messages and entities wait to be promoted together with those
	// that follow, so that a model is asked once for several messages. They wait in the
	// store, and for half of the remaining time to live at most; an Append without a TTL
	// does not consider a running one. session.Session.Memories do not wait, and
	// session.Manager.Close ends the delay of the sessions that its manager wrote, up to
	// 65,536. 0 means DefaultDelay, a negative number no delay.
	Delay time.Duration
	// Poll is how often the store is asked for due sessions: those that other processes
	// left behind, and those whose delay has ended. 0 means DefaultPoll.
	Poll time.Duration
	// Lease is how long a session that is being promoted is reserved for its worker, which
	// renews the lease after each step. It limits the duration of a step, such as a call of
	// a model. 0 means DefaultLease.
	Lease time.Duration
	// RetryAfter is how long a session waits after a failure. The wait doubles with each
	// further one, up to 64 times, but is never more than half of the remaining time to
	// live. 0 means DefaultRetryAfter.
	RetryAfter time.Duration
	// Batch is the number of messages, and of memories, promoted in one step. 0 means
	// DefaultBatch.
	Batch int
	// OnPromoted is called with the outcome of each promotion, by the worker. A panic is
	// logged. If nil, it is not called.
	OnPromoted func(key driver.Key, outcome Outcome)
}
