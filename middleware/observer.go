package middleware

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// observer fills a DecisionLog. It compares what is in the context before and
// after each call, and predicts nothing: what it says is what happened, also in
// contexts that the program changes itself.
type observer struct {
	log     *DecisionLog
	context *memory.WorkingContext

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

// presence is an entity that is in the context.
type presence struct {
	ref           memory.Ref // owned
	rank          int        // its place, newest first
	look          int        // the last one that found it
	uses, repeats int
}

func newObserver(log *DecisionLog, wc *memory.WorkingContext) *observer {
	return &observer{log: log, context: wc, present: make(map[memory.Ref]*presence), shown: make(map[memory.Ref]bool)}
}

// apply makes the change that a call calls for, and logs what became of it.
func (o *observer) apply(call ToolCall, found extractor.Extraction, change memory.Change) error {
	o.applying.Lock()
	defer o.applying.Unlock()
	o.begin()
	defer o.end(call, found)
	return o.context.Apply(change)
}

func (o *observer) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.catchUp()
	o.busy = true
}

func (o *observer) end(call ToolCall, found extractor.Extraction) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy = false
	o.calls++
	eff := o.effectOf(o.calls)
	eff.cause.CallID, eff.cause.Tool = bounded(call.ID), bounded(call.Name)
	eff.found, eff.removed = found.Entities, found.Removed
	o.look(eff)
}

// rendered logs which entities came into the block and which fell out of it.
func (o *observer) rendered(entities []memory.Entity, verdicts []prompt.Verdict) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.busy {
		o.catchUp()
	}
	if len(o.shown) > len(o.present) {
		maps.DeleteFunc(o.shown, func(ref memory.Ref, _ bool) bool { return o.present[ref] == nil })
	}
	block := o.effectOf(o.calls)
	for i := range entities {
		ref := refOf(&entities[i])
		shown := verdicts[i] == prompt.VerdictShown
		if before, known := o.shown[ref]; known && before == shown {
			continue
		}
		ref = owned(ref)
		o.shown[ref] = shown
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
func (o *observer) catchUp() {
	if o.context.Version() != o.version {
		o.look(o.effectOf(byProgram))
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
func (o *observer) effectOf(call int) *effect {
	return &effect{log: o.log, cause: Decision{Time: o.log.now(), Call: call}}
}

// add logs a decision on an entity, of which it says Kind, Path, Reason, ByType and ByID.
func (eff *effect) add(ref memory.Ref, d Decision) {
	d.Time, d.Call, d.CallID, d.Tool = eff.cause.Time, eff.cause.Call, eff.cause.CallID, eff.cause.Tool
	d.Type, d.ID = ref.Type, ref.ID
	eff.log.add(d)
}

// look compares the context with what was in it at the last look.
func (o *observer) look(eff *effect) {
	o.looks++
	o.version = o.context.Version() // before the content, so that no change is overlooked
	entities := o.context.Recent(o.context.Capacity())

	left := o.merged(eff, o.missing(entities))
	o.arrivals(eff, entities)
	left = o.neverKept(eff, left)
	o.departures(eff, left, entities)
}

// missing takes what is no longer there out of present, the least recently used first.
func (o *observer) missing(entities []memory.Entity) []*presence {
	there := 0
	for i := range entities {
		if p := o.present[refOf(&entities[i])]; p != nil && p.look != o.looks {
			p.look = o.looks
			there++
		}
	}
	if there == len(o.present) {
		return nil
	}
	var gone []*presence
	for ref, p := range o.present {
		if p.look != o.looks {
			gone = append(gone, p)
			delete(o.present, ref)
		}
	}
	slices.SortFunc(gone, func(a, b *presence) int { return cmp.Compare(b.rank, a.rank) })
	return gone
}

// merged finds, among what is no longer there, what goes on under another type
// or another spelling of its id. It returns the rest.
func (o *observer) merged(eff *effect, gone []*presence) (left []memory.Ref) {
	for _, p := range gone {
		e, ok := o.context.Get(p.ref)
		into := refOf(&e)
		if !ok || o.present[into] != nil {
			left = append(left, p.ref)
			continue
		}
		into = owned(into)
		o.present[into] = &presence{ref: into, uses: p.uses, repeats: p.repeats}
		if shown, known := o.shown[p.ref]; known {
			delete(o.shown, p.ref)
			o.shown[into] = shown
		}
		eff.add(p.ref, Decision{Kind: DecisionMerged, ByType: into.Type, ByID: into.ID})
	}
	return left
}

// arrivals logs what is new, and what was used or came again.
func (o *observer) arrivals(eff *effect, entities []memory.Entity) {
	for i := range entities {
		e := &entities[i]
		p := o.present[refOf(e)]
		if p == nil {
			p = &presence{ref: owned(refOf(e))}
			o.present[p.ref] = p
			eff.add(p.ref, Decision{Kind: DecisionSeen, Path: eff.path(p.ref)})
		} else {
			if e.Uses > p.uses {
				eff.add(p.ref, Decision{Kind: DecisionUsed})
			}
			if e.Repeats > p.repeats {
				eff.add(p.ref, Decision{Kind: DecisionRepeated, Path: eff.path(p.ref)})
			}
		}
		p.rank, p.look, p.uses, p.repeats = i, o.looks, e.Uses, e.Repeats
	}
}

// path is where in the call's result an entity stood. One whose type was not
// known there goes by its id.
func (eff *effect) path(ref memory.Ref) string {
	if eff.paths == nil {
		eff.paths = make(map[memory.Ref]string, 2*len(eff.found))
		for i := range slices.Backward(eff.found) {
			e := &eff.found[i]
			eff.paths[refOf(e)], eff.paths[memory.Ref{ID: e.ID}] = e.Path, e.Path
		}
	}
	path, ok := eff.paths[ref]
	if !ok {
		path = eff.paths[memory.Ref{ID: ref.ID}]
	}
	return bounded(path)
}

// neverKept logs what was found and is not in the context all the same. It
// returns what is gone with what left: also what fell off, or was removed, by
// the very call that brought it.
func (o *observer) neverKept(eff *effect, left []memory.Ref) []memory.Ref {
	gone := make(map[string][]memory.Ref, len(left)) // by id
	for _, ref := range left {
		gone[ref.ID] = append(gone[ref.ID], ref)
	}
	for i := range eff.found {
		e := &eff.found[i]
		ref := refOf(e)
		if o.present[ref] != nil || slices.ContainsFunc(gone[ref.ID], func(other memory.Ref) bool { return mayBeSame(other, ref) }) {
			continue
		}
		if kept, ok := o.context.Get(ref); ok {
			if kept.ID != ref.ID {
				eff.add(owned(ref), Decision{Kind: DecisionMerged, ByType: strings.Clone(kept.Type), ByID: strings.Clone(kept.ID)})
			}
			continue
		}
		if err := new(memory.WorkingContext).Add(*e); err != nil { // every context refuses the same
			eff.refused(ref, err)
			continue
		}
		ref = owned(ref)
		eff.add(ref, Decision{Kind: DecisionSeen, Path: bounded(e.Path)})
		gone[ref.ID] = append(gone[ref.ID], ref)
		left = append(left, ref)
	}
	return left
}

// refused logs an entity that the context did not take. What has no id, or one
// too long to be kept, cannot be asked for.
func (eff *effect) refused(ref memory.Ref, err error) {
	if ref.ID != "" && len(ref.ID) <= memory.MaxIDBytes {
		ref = memory.Ref{Type: bounded(ref.Type), ID: strings.Clone(ref.ID)}
		eff.add(ref, Decision{Kind: DecisionRefused, Reason: err.Error()})
	}
}

// departures logs why entities left the context.
func (o *observer) departures(eff *effect, left []memory.Ref, entities []memory.Entity) {
	full := len(entities) >= o.context.Capacity()
	for _, ref := range left {
		delete(o.shown, ref)
		switch {
		case eff.removes(ref):
			eff.add(ref, Decision{Kind: DecisionRemoved})
		case eff.cause.Call != byProgram && full:
			by := o.present[refOf(&entities[0])].ref
			eff.add(ref, Decision{Kind: DecisionEvicted, ByType: by.Type, ByID: by.ID})
		default:
			eff.add(ref, Decision{Kind: DecisionDropped})
		}
	}
}

// removes reports whether a call deleted an entity.
func (eff *effect) removes(ref memory.Ref) bool {
	return slices.ContainsFunc(eff.removed, func(r memory.Ref) bool { return mayBeSame(r, ref) })
}

// mayBeSame reports whether two refs can name the same entity: a type that is
// not known stands for any.
func mayBeSame(a, b memory.Ref) bool {
	if a.ID != b.ID {
		return false
	}
	unknown := func(typ string) bool { return typ == "" || typ == memory.FallbackType }
	return unknown(a.Type) || unknown(b.Type) || memory.DefaultIdentity(a.Type, a.ID) == memory.DefaultIdentity(b.Type, b.ID)
}

// refOf names an entity as it is, and not as memory.WorkingContext.Get might find it.
func refOf(e *memory.Entity) memory.Ref {
	return memory.Ref{Type: cmp.Or(e.Type, memory.FallbackType), ID: e.ID}
}

// owned is a ref that shares no memory with what it was found in.
func owned(ref memory.Ref) memory.Ref {
	return memory.Ref{Type: strings.Clone(ref.Type), ID: strings.Clone(ref.ID)}
}

// bounded is the beginning of a text, as much of it as a context keeps, in
// memory of its own.
func bounded(text string) string {
	return strings.ToValidUTF8(strings.Clone(text[:min(len(text), memory.MaxTextBytes)]), "\uFFFD")
}
