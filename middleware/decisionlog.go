package middleware

import (
	"iter"
	"slices"
	"sync"
	"time"
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
// out of the block, and why. It belongs to one Recorder; see Options.Decisions.
// It holds ids, types and paths, but no names and no contents, and writes
// nothing to any logger.
//
// It is safe for concurrent use. The zero value is an empty log with default
// options. It must not be copied.
type DecisionLog struct {
	opts DecisionLogOptions

	mu        sync.Mutex
	ring      []Decision // grows up to the capacity
	oldest    int        // where in a full ring the oldest is
	forgotten int
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
	for i := range l.ring {
		if d := l.at(i); d.ID == id {
			story = append(story, *d)
		}
	}
	return story
}

// All iterates over a snapshot of the log, oldest first. Each loop takes its
// own when it starts.
func (l *DecisionLog) All() iter.Seq[Decision] {
	return func(yield func(Decision) bool) {
		l.mu.Lock()
		all := slices.Concat(l.ring[l.oldest:], l.ring[:l.oldest])
		l.mu.Unlock()
		for _, d := range all {
			if !yield(d) {
				return
			}
		}
	}
}

// Forgotten returns how many decisions were forgotten to make room for newer ones.
func (l *DecisionLog) Forgotten() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forgotten
}

// at is the ith decision, from the oldest.
func (l *DecisionLog) at(i int) *Decision { return &l.ring[(l.oldest+i)%len(l.ring)] }

func (l *DecisionLog) add(d Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < l.capacity() {
		l.ring = append(l.ring, d)
		return
	}
	l.ring[l.oldest] = d
	l.oldest = (l.oldest + 1) % len(l.ring)
	l.forgotten++
}

func (l *DecisionLog) capacity() int {
	if l.opts.Capacity <= 0 {
		return DefaultDecisions
	}
	return l.opts.Capacity
}

func (l *DecisionLog) now() time.Time {
	if l.opts.Now == nil {
		return time.Now().UTC()
	}
	return l.opts.Now().UTC()
}
