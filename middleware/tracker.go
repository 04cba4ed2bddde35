package middleware

import (
	"context"
	"maps"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// tracker is a local backing that fills a DecisionLog. It compares the context before and
// after each call instead of predicting changes, so that the log is right even if the
// program changes the context itself.
type tracker struct {
	local
	log *DecisionLog

	// applying is held while a call is applied, so that changes are attributed to it. The
	// callbacks of memory.ContextOptions run while it is held.
	applying sync.Mutex

	mu      sync.Mutex
	busy    bool // a call is being applied
	calls   int
	version uint64 // of the context at the last comparison
	looks   int    // number of comparisons
	present map[memory.Ref]*presence
	shown   map[memory.Ref]bool // verdicts of the last block
}

var _ backing = (*tracker)(nil)

// presence is an entity that is in the context.
type presence struct {
	ref           memory.Ref // owned
	rank          int        // its index, newest first
	look          int        // the last comparison that found it
	uses, repeats int
	candidate     bool
}

func newTracker(log *DecisionLog, l local) *tracker {
	return &tracker{local: l, log: log, present: make(map[memory.Ref]*presence), shown: make(map[memory.Ref]bool)}
}

// newAttempt returns a tracker for one attempt to write a session. Its log is separate,
// to be added to log, which may be nil, if the attempt succeeds. It does not log what is
// already in the session.
func newAttempt(log *DecisionLog, l local) *tracker {
	t := newTracker(new(DecisionLog), l)
	t.compare(t.effectOf(byProgram))
	t.log = new(DecisionLog)
	if log != nil {
		t.log.opts.Now = log.opts.Now
	}
	return t
}

// apply changes the context, and logs what happened to its entities.
func (t *tracker) apply(ctx context.Context, call ToolCall, eff effects) error {
	t.applying.Lock()
	defer t.applying.Unlock()
	t.begin()
	defer t.end(call, eff.found)
	return t.local.apply(ctx, call, eff)
}

func (t *tracker) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.catchUp()
	t.busy = true
}

func (t *tracker) end(call ToolCall, found extractor.Extraction) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy = false
	t.calls++
	eff := t.effectOf(t.calls)
	eff.cause.CallID, eff.cause.Tool = bounded(call.ID), bounded(call.Name)
	eff.found, eff.removed = found.Entities, found.Removed
	t.compare(eff)
}

// logBlock logs which entities the block began or ceased to show.
func (t *tracker) logBlock(entities []memory.Entity, verdicts []prompt.Verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.busy {
		t.catchUp()
	}
	if len(t.shown) > len(t.present) {
		maps.DeleteFunc(t.shown, func(ref memory.Ref, _ bool) bool { return t.present[ref] == nil })
	}
	block := t.effectOf(t.calls)
	for i := range entities {
		ref := refOf(&entities[i])
		shown := verdicts[i] == prompt.VerdictShown
		if before, known := t.shown[ref]; known && before == shown {
			continue
		}
		ref = owned(ref)
		t.shown[ref] = shown
		if shown {
			block.add(ref, Decision{Kind: DecisionShown})
		} else {
			block.add(ref, Decision{Kind: DecisionHidden, Reason: string(verdicts[i])})
		}
	}
}

// byProgram is the call number of changes that no call caused.
const byProgram = 0

// catchUp logs changes that the program made to the context itself.
func (t *tracker) catchUp() {
	if t.context.Version() != t.version {
		t.compare(t.effectOf(byProgram))
	}
}

// effect is the effect of a call, or of the program itself, on the context.
type effect struct {
	log     *DecisionLog
	cause   Decision // the common fields of the call's decisions
	found   []memory.Entity
	removed []memory.Ref
	paths   map[memory.Ref]string // of found; see path
}

// effectOf returns the effect of a call, given its number.
func (t *tracker) effectOf(call int) *effect {
	return &effect{log: t.log, cause: Decision{Time: t.log.now(), Call: call}}
}

// add logs a decision on an entity. d has its Kind, Path, Reason, ByType and ByID.
func (eff *effect) add(ref memory.Ref, d Decision) {
	d.Time, d.Call, d.CallID, d.Tool = eff.cause.Time, eff.cause.Call, eff.cause.CallID, eff.cause.Tool
	d.Type, d.ID = ref.Type, ref.ID
	eff.log.add(d)
}
