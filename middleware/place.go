package middleware

import (
	"hash/maphash"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Place places the current block as prompt.Place does. For prompt.PlaceAppend it also
// replaces all earlier blocks by the current one if one of them shows something that
// memory no longer has: a deleted entity, a forgotten item, or a memory that was not
// recalled again.
//
// Place is for programs that continue with the messages that it returns. For those that keep
// messages of their own see Edits.
func (r *Recorder) Place(messages []prompt.Message, at prompt.Placement) []prompt.Message {
	if at == prompt.PlaceAppend {
		messages = r.removeStale(messages)
	}
	return prompt.Place(messages, r.Block(), at)
}

// removeStale returns messages without their blocks if one of these shows something that
// memory no longer has.
func (r *Recorder) removeStale(messages []prompt.Message) []prompt.Message {
	wc, handles := r.Context(), r.Handles()
	messages = prompt.RemoveStale(messages, func(ref memory.Ref) bool {
		ref.ID = handles.Decode(ref.ID)
		_, known := wc.Get(ref)
		return known
	})
	if r.notes > 0 || r.recollection.recall != nil {
		messages = r.renderer.RemoveForgotten(messages, r.shownNotes)
	}
	return messages
}

// Edits returns what Place changes (see prompt.Edits), for programs that give their own messages
// each time, without the blocks or with them. Outline has a message for each of theirs, in which
// only the contents of system messages are read, and the others are compared.
//
// With prompt.PlaceAppend, if the messages begin with those that were given before, the
// earlier blocks among them are restored, for the last four different conversations of the
// recorder, so that the prompt begins with the whole of the previous one. Blocks behind a
// changed or removed message are dropped, and all blocks if one shows something that memory no
// longer has.
func (r *Recorder) Edits(outline []prompt.Message, at prompt.Placement) []prompt.Edit {
	block := r.Block()
	if at != prompt.PlaceAppend {
		return prompt.Edits(outline, block, at)
	}
	removals := prompt.Edits(outline, "", prompt.PlaceSystem)
	kept, indexes := afterRemoval(outline, removals)
	var edits []prompt.Edit // insertions precede the edits of the messages at their indexes
	for _, a := range r.ledger.anchor(r, kept, block) {
		edits = append(edits, prompt.Edit{Op: prompt.EditInsert, Index: indexes[a.after], Text: a.block})
	}
	edits = append(edits, removals...)
	slices.SortStableFunc(edits, func(a, b prompt.Edit) int { return a.Index - b.Index })
	return edits
}

// afterRemoval returns the messages that are left by edits that only remove blocks, and their
// indexes, behind which is the number of all messages.
func afterRemoval(outline []prompt.Message, removals []prompt.Edit) (kept []prompt.Message, indexes []int) {
	all := make([]int, len(outline), len(outline)+1)
	for i := range all {
		all[i] = i
	}
	asIs := func(i int, _ string) int { return i }
	indexes = append(prompt.Apply(all, removals, nil, asIs), len(outline))
	withoutBlock := func(m prompt.Message, _ string) prompt.Message {
		m.Content = prompt.Remove(m.Content)
		return m
	}
	return prompt.Apply(outline, removals, nil, withoutBlock), indexes
}

// maxPrompts is the number of growing prompts that a ledger distinguishes: those of an agent,
// and of other callers of models on the same memory.
const maxPrompts = 4

// anchor is the position of a block that PlaceAppend put among a program's messages.
type anchor struct {
	after  int    // the number of messages before the block
	digest uint64 // of these messages
	block  string
}

// anchor returns the blocks for messages without blocks, with the current one.
func (l *ledger) anchor(r *Recorder, messages []prompt.Message, block string) []anchor {
	l.mu.Lock()
	defer l.mu.Unlock()
	digests := l.digests(messages)
	at, kept := l.longest(digests)
	anchored, origin := withAnchors(messages, kept)
	grown := r.removeStale(anchored)
	stale := len(grown) < len(anchored)
	if stale {
		grown, origin, kept = messages, nil, nil
	}
	anchors := slices.Clone(kept)
	edits := prompt.Edits(grown, block, prompt.PlaceAppend)
	if slices.ContainsFunc(edits, func(e prompt.Edit) bool { return e.Op == prompt.EditRemove }) {
		anchors = nil
	}
	for _, e := range edits {
		if e.Op != prompt.EditInsert {
			continue
		}
		after := e.Index
		if origin != nil {
			after = append(origin, len(messages))[e.Index]
		}
		anchors = append(anchors, anchor{after: after, digest: digests[after], block: e.Text})
	}
	if at >= 0 && (stale || len(kept) == len(l.placed[at])) {
		l.placed = slices.Delete(l.placed, at, at+1) // the one below continues it
	}
	if len(anchors) > 0 {
		l.placed = append(l.placed, anchors)
	}
	if len(l.placed) > maxPrompts {
		l.placed = slices.Delete(l.placed, 0, 1)
	}
	return anchors
}

// withAnchors returns messages with blocks among them, and the number of the messages before
// each of the results.
func withAnchors(messages []prompt.Message, anchors []anchor) (all []prompt.Message, origin []int) {
	for i, m := range messages {
		for ; len(anchors) > 0 && anchors[0].after == i; anchors = anchors[1:] {
			all, origin = append(all, prompt.Message{Role: "system", Content: anchors[0].block}), append(origin, i)
		}
		all, origin = append(all, m), append(origin, i)
	}
	for _, a := range anchors {
		all, origin = append(all, prompt.Message{Role: "system", Content: a.block}), append(origin, len(messages))
	}
	return all, origin
}

// longest returns the index of the prompt that has the most anchors among messages with these
// digests, and these anchors. It prefers the latest prompt, and returns -1 if no prompt has any.
func (l *ledger) longest(digests []uint64) (at int, kept []anchor) {
	at = -1
	for i, anchors := range l.placed {
		n := slices.IndexFunc(anchors, func(a anchor) bool {
			return a.after >= len(digests) || digests[a.after] != a.digest
		})
		if n < 0 {
			n = len(anchors)
		}
		if n > 0 && n >= len(kept) {
			at, kept = i, anchors[:n]
		}
	}
	return at, kept
}

// digests returns the digest of the first n messages, for each n from 0.
func (l *ledger) digests(messages []prompt.Message) []uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	out := make([]uint64, 1, len(messages)+1)
	for _, m := range messages {
		maphash.WriteComparable(&h, m)
		out = append(out, h.Sum64())
	}
	return out
}
