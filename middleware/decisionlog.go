package middleware

import (
	"cmp"
	"iter"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// DefaultDecisions is the default capacity of a DecisionLog. It holds the decisions of
// more than 100 calls: on recorded traces a call causes 7 to 18 on average.
const DefaultDecisions = 2048

// DecisionLogOptions configures a DecisionLog. The zero value is useful.
type DecisionLogOptions struct {
	// Capacity is the number of decisions kept; the oldest are dropped first. A
	// decision takes some 200 bytes plus its texts, at most 2.5 KB. Memory is
	// allocated as needed. 0 or less means DefaultDecisions.
	Capacity int
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// DecisionLog explains why an id is in the block or not: when and by which call it was
// seen, used, removed or evicted, and when and why the block began or ceased to show it.
// It belongs to one Recorder, see Options.Decisions, or to one stored session, see
// SessionsOptions.Decisions. It holds ids, types and paths, but no names and no contents,
// and writes to no logger.
//
// It is safe for concurrent use. The zero value is an empty log with default options. It
// must not be copied.
type DecisionLog struct {
	opts DecisionLogOptions

	mu        sync.Mutex
	decisions slab.Ring[Decision] // oldest first
	forgotten int
	calls     int // added by addCalls
}

// NewDecisionLog returns an empty log. If opts is nil, the defaults are used.
func NewDecisionLog(opts *DecisionLogOptions) *DecisionLog {
	l := new(DecisionLog)
	if opts != nil {
		l.opts = *opts
	}
	return l
}

// Why returns the decisions on the entities with an id, of any type, oldest first. It
// returns none for an id that was never seen or whose decisions were dropped. The caller
// owns the slice.
func (l *DecisionLog) Why(id string) []Decision {
	var found []Decision
	l.mu.Lock()
	defer l.mu.Unlock()
	for d := range l.decisions.All {
		if d.ID == id {
			found = append(found, d)
		}
	}
	return found
}

// All iterates over a snapshot of the log, oldest first. The snapshot is taken when the
// loop starts.
func (l *DecisionLog) All() iter.Seq[Decision] {
	return func(yield func(Decision) bool) {
		l.mu.Lock()
		decisions := l.decisions.Share()
		l.mu.Unlock()
		defer decisions.Release()
		decisions.All(yield)
	}
}

// Forgotten returns the number of decisions that were dropped for newer ones.
func (l *DecisionLog) Forgotten() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forgotten
}

func (l *DecisionLog) add(d Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.push(d)
}

// addCalls adds the decisions of another log, whose calls are numbered from 1.
func (l *DecisionLog) addCalls(other *DecisionLog, calls int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for d := range other.All() {
		d.Call += l.calls
		l.push(d)
	}
	l.forgotten += other.Forgotten()
	l.calls += calls
}

func (l *DecisionLog) push(d Decision) {
	if l.decisions.Len() >= cmp.Or(max(l.opts.Capacity, 0), DefaultDecisions) {
		l.decisions.Drop(1)
		l.forgotten++
	}
	l.decisions.PushBack(d)
}

func (l *DecisionLog) now() time.Time {
	if l.opts.Now == nil {
		return time.Now().UTC()
	}
	return l.opts.Now().UTC()
}
