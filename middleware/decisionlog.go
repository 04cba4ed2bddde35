package middleware

import (
	"cmp"
	"iter"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// DefaultDecisions is how many decisions a DecisionLog keeps by default: those of
// more than 100 calls, of which on recorded traces each makes 7 to 18 on average.
const DefaultDecisions = 2048

// DecisionLogOptions configures a DecisionLog. The zero value is useful.
type DecisionLogOptions struct {
	// Capacity is how many decisions are kept; the oldest are forgotten first. A
	// decision takes some 200 bytes and its texts, at most 2.5 KB. Memory is
	// taken as they come. 0 or less means DefaultDecisions.
	Capacity int
	// Now is the clock. nil means time.Now.
	Now func() time.Time
}

// DecisionLog says of any id why it is, or is not, in the block: when it was
// seen, used, removed or evicted, by which call, and when it came into or fell
// out of the block, and why. It belongs to one Recorder, see Options.Decisions, or to
// one stored session, see SessionsOptions.Decisions.
// It holds ids, types and paths, but no names and no contents, and writes
// nothing to any logger.
//
// It is safe for concurrent use. The zero value is an empty log with default
// options. It must not be copied.
type DecisionLog struct {
	opts DecisionLogOptions

	mu        sync.Mutex
	decisions slab.Ring[Decision] // the oldest in front
	forgotten int
	calls     int // of a stored session, that addCalls added
}

// NewDecisionLog makes an empty log. nil options mean the defaults.
func NewDecisionLog(opts *DecisionLogOptions) *DecisionLog {
	l := new(DecisionLog)
	if opts != nil {
		l.opts = *opts
	}
	return l
}

// Why returns what is known of an id, oldest first: of the entities of all
// types that have it. It is empty for an id that was never seen, or so long ago
// that it was forgotten. The slice is the caller's.
func (l *DecisionLog) Why(id string) []Decision {
	var story []Decision
	l.mu.Lock()
	defer l.mu.Unlock()
	for d := range l.decisions.All {
		if d.ID == id {
			story = append(story, d)
		}
	}
	return story
}

// All iterates over a snapshot of the log, oldest first. Each loop takes its
// own when it starts.
func (l *DecisionLog) All() iter.Seq[Decision] {
	return func(yield func(Decision) bool) {
		l.mu.Lock()
		decisions := l.decisions.Share()
		l.mu.Unlock()
		defer decisions.Release()
		decisions.All(yield)
	}
}

// Forgotten returns how many decisions were forgotten to make room for newer ones.
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

// addCalls adds the decisions that another log has of so many calls, numbered from 1.
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
