package middleware

import (
	"context"
	"maps"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// tracker is a local backing that fills a DecisionLog. It compares what is in the
// context before and after each call, and predicts nothing: what it logs is what
// happened, also in contexts that the program changes itself.
type tracker struct {
	local
	log *DecisionLog

	// applying is held while a call is applied, so that what changes is that
	// call's doing. The functions of memory.ContextOptions run under it.
	applying sync.Mutex

	mu      sync.Mutex
	busy    bool // a call is being applied
	calls   int
	version uint64 // of the context when it was looked at last
	looks   int    // how often it was
	present map[memory.Ref]*presence
	shown   map[memory.Ref]bool // verdicts of the last block
}

var _ backing = (*tracker)(nil)

// presence is an entity that is in the context.
type presence struct {
	ref           memory.Ref // owned
	rank          int        // its place, newest first
	look          int        // the last one that found it
	uses, repeats int
}

func newTracker(log *DecisionLog, wc *memory.WorkingContext) *tracker {
	return &tracker{local: local{wc}, log: log, present: make(map[memory.Ref]*presence), shown: make(map[memory.Ref]bool)}
}

// newAttempt returns a tracker of one attempt to write a session, whose decisions wait for
// the attempt to succeed. What is in the session already is not logged.
func newAttempt(log *DecisionLog, wc *memory.WorkingContext) *tracker {
	t := newTracker(new(DecisionLog), wc)
	t.compare(t.effectOf(byProgram))
	t.log = NewDecisionLog(&log.opts)
	return t
}

// apply changes the context, and logs what happened to its entities.
func (t *tracker) apply(ctx context.Context, call ToolCall, found extractor.Extraction) error {
	t.applying.Lock()
	defer t.applying.Unlock()
	t.begin()
	defer t.end(call, found)
	return t.local.apply(ctx, call, found)
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

// logBlock logs which entities came into the block and which fell out of it.
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

// byProgram stands for the number of a call where no call did something.
const byProgram = 0

// catchUp logs what the program did to the context itself.
func (t *tracker) catchUp() {
	if t.context.Version() != t.version {
		t.compare(t.effectOf(byProgram))
	}
}

// effect is what a call did to the context, or the program itself.
type effect struct {
	log     *DecisionLog
	cause   Decision // what all decisions of the call have in common
	found   []memory.Entity
	removed []memory.Ref
	paths   map[memory.Ref]string // of what was found; see path
}

// effectOf is the effect of a call, by its number.
func (t *tracker) effectOf(call int) *effect {
	return &effect{log: t.log, cause: Decision{Time: t.log.now(), Call: call}}
}

// add logs a decision on an entity, whose Kind, Path, Reason, ByType and ByID d has.
func (eff *effect) add(ref memory.Ref, d Decision) {
	d.Time, d.Call, d.CallID, d.Tool = eff.cause.Time, eff.cause.Call, eff.cause.CallID, eff.cause.Tool
	d.Type, d.ID = ref.Type, ref.ID
	eff.log.add(d)
}
