package middleware

import (
	"sync"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// version identifies the content that a block was rendered from.
type version struct {
	context            *memory.WorkingContext
	ofContext          uint64
	ofItems, ofRecalls uint64
	table              *handle.Table
	ofTable            uint64
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
	v := version{context: wc, ofContext: wc.Version(), ofRecalls: r.recollection.version, table: r.Handles()}
	v.ofTable = v.table.Version()
	if r.notes > 0 {
		v.ofItems = r.workspace.Items().Version()
	}
	return v
}

// snapshots pools the slices that entities are read into.
var snapshots = sync.Pool{New: func() any { return new([]memory.Entity) }}

// maxSnapshot is the largest capacity of a pooled slice.
const maxSnapshot = 4 * BudgetCapacity

// render renders entities, the first ones records and the others candidates.
func (r *Recorder) render(newestFirst []memory.Entity, records int) string {
	content := prompt.Content{Focus: r.focus, Entities: newestFirst[:records], Candidates: newestFirst[records:], Notes: r.noteworthy()}
	content = WithHandles(r.Handles(), content)
	if r.tracker == nil && r.observer == nil {
		return r.renderer.RenderContent(content)
	}
	block, verdicts := r.renderer.Explain(content)
	if r.tracker != nil {
		r.tracker.logBlock(newestFirst, verdicts)
	}
	if r.observer != nil {
		r.observeBlock(block, verdicts)
	}
	return block
}
