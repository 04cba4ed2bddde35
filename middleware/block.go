package middleware

import (
	"sync"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// version is what a block was rendered from.
type version struct {
	of                       *memory.WorkingContext
	context, items, recalled uint64
}

// Block is the block for the next prompt; "" while nothing is known. It is
// rendered anew only after the context has changed, or with notes the item store or
// what was recalled, or UpdateFocus was called, so that unchanged content is the same string.
func (r *Recorder) Block() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	current := r.current()
	if r.fresh && current == r.version {
		return r.block
	}
	entities := snapshots.Get().(*[]memory.Entity)
	*entities = current.of.AppendRecent((*entities)[:0], current.of.Capacity())
	r.block = r.render(*entities)
	clear(*entities)
	if cap(*entities) <= maxSnapshot {
		snapshots.Put(entities)
	}
	r.version, r.fresh = current, true
	return r.block
}

// current is the version of what the block shows.
func (r *Recorder) current() version {
	wc := r.Context()
	v := version{of: wc, context: wc.Version(), recalled: r.recollection.version}
	if r.notes > 0 {
		v.items = r.workspace.Items().Version()
	}
	return v
}

// snapshots are slices that entities are read into, used again by all
// recorders, and empty in between.
var snapshots = sync.Pool{New: func() any { return new([]memory.Entity) }}

// maxSnapshot is how long a slice may be that is kept.
const maxSnapshot = 4 * BudgetCapacity

// Place is prompt.Place of the current block. Use it for prompt.PlaceAppend, too:
// where an earlier block shows what memory no longer has, such as a page that was
// deleted, an item that was forgotten, or one that was not recalled again and may no
// longer be remembered, all of them are replaced by the current one.
func (r *Recorder) Place(messages []prompt.Message, at prompt.Placement) []prompt.Message {
	if at == prompt.PlaceAppend {
		wc := r.Context()
		messages = prompt.RemoveStale(messages, func(ref memory.Ref) bool {
			_, known := wc.Get(ref)
			return known
		})
		if r.notes > 0 || r.recollection.ask != nil {
			messages = r.renderer.RemoveForgotten(messages, r.remembered)
		}
	}
	return prompt.Place(messages, r.Block(), at)
}

func (r *Recorder) render(newestFirst []memory.Entity) string {
	content := prompt.Content{Focus: r.focus, Entities: newestFirst, Notes: r.noteworthy()}
	if r.tracker == nil {
		return r.renderer.RenderContent(content)
	}
	block, verdicts := r.renderer.Explain(content)
	r.tracker.logBlock(newestFirst, verdicts)
	return block
}

// UpdateFocus takes in a message of the conversation, when it is said. For a token
// budget, what was said last then counts as newer than it is, by up to 24 calls:
// of the user's last message the words count, as far as they stand in labels and
// types, and the ids that it mentions; of the assistant's last one the ids. The
// messages themselves are not kept. See prompt.Focus.
//
// What the user says is also what Options.Recall receives, at the next Refresh: of
// a message of more than 8 KiB the end, without blocks that are in it.
//
// Without UpdateFocus, and without a budget, a block goes by the tool calls alone.
func (r *Recorder) UpdateFocus(m prompt.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.focus, r.fresh = r.focus.After(m), false
	r.recollection.updateSaid(m)
}
