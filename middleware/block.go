package middleware

import (
	"sync"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// version identifies the content that a block was rendered from.
type version struct {
	context            *memory.WorkingContext
	ofContext          uint64
	ofItems, ofRecalls uint64
}

// Block returns the block for the next prompt, or "" if there is nothing to show. It is
// rendered again only after the context, the shown items or the recalled memories have
// changed or UpdateFocus was called, so that unchanged content is the same string.
func (r *Recorder) Block() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	current := r.currentVersion()
	if r.fresh && current == r.version {
		return r.block
	}
	entities := snapshots.Get().(*[]memory.Entity)
	*entities = current.context.AppendRecent((*entities)[:0], current.context.Capacity())
	records := len(*entities)
	*entities = current.context.AppendCandidates(*entities, current.context.CandidateCapacity())
	r.block = r.render(*entities, records)
	clear(*entities)
	if cap(*entities) <= maxSnapshot {
		snapshots.Put(entities)
	}
	r.version, r.fresh = current, true
	return r.block
}

// currentVersion returns the version of the current content.
func (r *Recorder) currentVersion() version {
	wc := r.Context()
	v := version{context: wc, ofContext: wc.Version(), ofRecalls: r.recollection.version}
	if r.notes > 0 {
		v.ofItems = r.workspace.Items().Version()
	}
	return v
}

// snapshots pools the slices that entities are read into.
var snapshots = sync.Pool{New: func() any { return new([]memory.Entity) }}

// maxSnapshot is the largest capacity of a pooled slice.
const maxSnapshot = 4 * BudgetCapacity

// Place places the current block as prompt.Place does. For prompt.PlaceAppend it also
// replaces all earlier blocks by the current one if one of them shows something that
// memory no longer has: a deleted entity, a forgotten item, or a memory that was not
// recalled again.
func (r *Recorder) Place(messages []prompt.Message, at prompt.Placement) []prompt.Message {
	if at == prompt.PlaceAppend {
		wc := r.Context()
		messages = prompt.RemoveStale(messages, func(ref memory.Ref) bool {
			_, known := wc.Get(ref)
			return known
		})
		if r.notes > 0 || r.recollection.recall != nil {
			messages = r.renderer.RemoveForgotten(messages, r.remembered)
		}
	}
	return prompt.Place(messages, r.Block(), at)
}

// render renders entities, the first ones records and the others candidates.
func (r *Recorder) render(newestFirst []memory.Entity, records int) string {
	content := prompt.Content{Focus: r.focus, Entities: newestFirst[:records], Candidates: newestFirst[records:], Notes: r.noteworthy()}
	if r.tracker == nil {
		return r.renderer.RenderContent(content)
	}
	block, verdicts := r.renderer.Explain(content)
	r.tracker.logBlock(newestFirst, verdicts)
	return block
}

// UpdateFocus adds a message of the conversation. With a token budget, entities that the
// last messages refer to count as up to 24 calls newer than they are: those whose label
// or type has words of the user's message, and those whose id the user's or the
// assistant's message mentions. The messages themselves are not kept. See prompt.Focus.
//
// Entities that the user names are held in the context as those whose id is mentioned, and
// candidates whose id is mentioned become references: see memory.Change. A message of the
// assistant with more than 4 ids does neither. In a stored session this lasts until the session
// is read again.
//
// The next Refresh passes the user's message to Options.Recall, without the blocks in it
// and at most its last 8 KiB.
//
// Without UpdateFocus, or without a budget, the block depends on the tool calls only.
func (r *Recorder) UpdateFocus(m prompt.Message) {
	focus, wc := r.updateFocus(m), r.Context()
	if mentioned := focus.Mentioned(wc.Recent(wc.Capacity())); len(mentioned) > 0 {
		_ = wc.Apply(memory.Change{Mention: mentioned}) // adds nothing that could be refused
	}
}

// updateFocus implements UpdateFocus but for the context, whose callbacks may call the
// recorder. It returns the focus.
func (r *Recorder) updateFocus(m prompt.Message) prompt.Focus {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.focus, r.fresh = r.focus.After(m), false
	r.recollection.updateSaid(m)
	return r.focus
}
