package prompt

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// MaxAppended limits the blocks that PlaceAppend leaves in a prompt: together they take
// at most this many times the bytes of the current block. Beyond that, they are removed
// and the whole block is placed.
const MaxAppended = 4

// RemoveStale returns messages without the blocks in their system messages if one of the
// blocks shows an entity that is not known. Otherwise it returns them unchanged. The
// input is not modified.
//
// Call it before PlaceAppend, which cannot distinguish a deleted entity from one that has
// no room in the block. With the entities of the working context as known, it removes
// deleted entities from earlier blocks.
//
// For notes see Renderer.RemoveForgotten.
func RemoveStale(messages []Message, known func(memory.Ref) bool) []Message {
	for e := range earlierBlocks(messages).labels {
		if !known(memory.Ref{Type: e.typ, ID: e.id}) {
			return withoutBlocks(messages)
		}
	}
	return slices.Clone(messages)
}

// RemoveForgotten is RemoveStale for notes. It returns messages without the blocks in
// their system messages if one of the blocks shows a note that is not one of items, as
// this renderer shows it. Otherwise it returns them unchanged. Pass all items of a store,
// in any order: a Deleted item counts as forgotten, like an evicted one. The input is not
// modified.
func (r *Renderer) RemoveForgotten(messages []Message, items iter.Seq[items.Item]) []Message {
	forgotten := earlierBlocks(messages).notes
	if len(forgotten) > 0 {
		for item := range items {
			if n, ok := noteOf(&item, r.opts.NoteRunes); ok {
				delete(forgotten, string(n.appendLine(nil)[len("\n"):]))
			}
		}
	}
	if len(forgotten) > 0 {
		return withoutBlocks(messages)
	}
	return slices.Clone(messages)
}

// appendEdits implements PlaceAppend.
func appendEdits(messages []Message, block string) (edits []Edit) {
	earlier := earlierBlocks(messages)
	added := withoutShown(block, earlier)
	if earlier.bytes+len(added) > MaxAppended*len(block) {
		_, _, edits = removeBlocks(messages)
		earlier, added = blocks{}, block
	}
	if added == "" {
		return edits
	}
	if earlier.end == 0 {
		added = WithGuidance(added)
	}
	at := max(tailStart(messages), earlier.end, lastAnswer(messages))
	return insert(edits, Edit{Op: EditInsert, Index: at, Text: added})
}

// lastAnswer returns the index of the last message of the assistant, or 0. All messages
// before it were part of an earlier prompt.
func lastAnswer(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == roleAssistant {
			return i
		}
	}
	return 0
}

// entityKey identifies the entity of a label in a block.
type entityKey struct{ typ, id string }

// blocks are the blocks in the system messages of a prompt.
type blocks struct {
	labels map[entityKey]string // the latest label of each entity
	notes  map[string]bool      // lines of notes
	bytes  int                  // size of all blocks
	end    int                  // the index after the last message with a block
}

func earlierBlocks(messages []Message) blocks {
	found := blocks{labels: make(map[entityKey]string), notes: make(map[string]bool)}
	for i, m := range messages {
		if !isSystem(m) {
			continue
		}
		text := m.Content
		for start, end, ok := Find(text); ok; start, end, ok = Find(text) {
			found.bytes += end - start
			found.end = i + 1
			entities, _ := Parse(text[start:end]) // Find returns only what Parse accepts
			addLabels(found.labels, entities)
			_, notes := splitNotes(text[start:end])
			for _, line := range notes {
				found.notes[line] = true
			}
			text = text[end:]
		}
	}
	return found
}

func addLabels(labels map[entityKey]string, entities []memory.Entity) {
	for _, e := range entities {
		labels[entityKey{e.Type, e.ID}] = e.Name
		for _, alias := range e.Aliases {
			labels[entityKey{e.Type, alias}] = e.Name
		}
	}
}

// withoutShown returns a block without the notes that were shown, and without the entities
// that were shown with equivalent labels, or "" if nothing is left. A text that is not a
// block is returned unchanged.
func withoutShown(block string, shown blocks) string {
	entities, err := Parse(block)
	if err != nil || shown.end == 0 {
		return block
	}
	rest, notes := splitNotes(block)
	lines := appendNewEntities([]string{Title}, rest, findNew(entities, shown.labels))
	lines = appendNewNotes(lines, notes, shown.notes)
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// appendNewEntities appends the lines of the new entities of a block without notes, and
// the headers above them.
func appendNewEntities(dst []string, block string, isNew []bool) []string {
	header := "" // of the group, until a line of it is kept
	for text := range strings.SplitSeq(block, "\n") {
		line, ok := strings.CutPrefix(text, entityPrefix)
		if !ok {
			header = text
			continue
		}
		if line, isNew = filterLine(line, isNew); line == "" {
			continue
		}
		if header != "" {
			dst = append(dst, header)
			header = ""
		}
		dst = append(dst, entityPrefix+line)
	}
	return dst
}

// findNew reports for each entity of a block whether it has to be shown.
func findNew(entities []memory.Entity, shown map[entityKey]string) []bool {
	labels := make(map[entityKey]string, len(entities))
	addLabels(labels, entities)
	isNew := make([]bool, len(entities))
	for i, e := range entities {
		key := entityKey{e.Type, e.ID}
		label, ok := shown[key]
		isNew[i] = !ok || !isEquivalent(label, labels[key], e.Type)
	}
	return isNew
}

// filterLine returns the entities of a line for which keep is true, and the part of keep
// for the lines after it.
func filterLine(line string, keep []bool) (string, []bool) {
	var kept []string
	for line != "" {
		_, rest, _ := cutEntity(line) // a line of a block holds nothing else
		if keep[0] {
			kept = append(kept, line[:len(line)-len(rest)])
		}
		keep = keep[1:]
		line = strings.TrimPrefix(rest, entitySeparator)
	}
	return strings.Join(kept, entitySeparator), keep
}

// isEquivalent reports whether a shown label serves as well as the current one, because
// one is the other shortened. An empty label serves only for an empty one.
func isEquivalent(shown, current, typ string) bool {
	if current == memory.Placeholder(typ) {
		current = ""
	}
	if shown == memory.Placeholder(typ) {
		shown = ""
	}
	return isShortened(current, shown) || shown != "" && isShortened(shown, current)
}

// isShortened reports whether text is label, or its beginning as labels are cut: after a
// fact, or anywhere with a mark.
func isShortened(text, label string) bool {
	if text == "" || text == label || strings.HasPrefix(label, text+factSeparator) {
		return true
	}
	begun, ok := strings.CutSuffix(text, cutMark)
	return ok && begun != "" && strings.HasPrefix(label, begun)
}
