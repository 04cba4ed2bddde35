package prompt

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// MaxAppended bounds what PlaceAppend leaves in a prompt: all its blocks together
// take at most this many times the bytes of the current block. Where more would
// stand there, they are removed and the whole block is placed.
const MaxAppended = 4

// RemoveStale returns messages as they are while all that the blocks in their
// system messages show is known, and without any of these blocks where one shows
// what is not. The input is not changed.
//
// It is for PlaceAppend, which cannot tell what was deleted from what merely has
// no room in the block: before Place, with what the working context knows, it
// keeps a deleted page from staying in an earlier block.
//
// Notes are not asked about: see Renderer.RemoveForgotten.
func RemoveStale(messages []Message, known func(memory.Ref) bool) []Message {
	for e := range earlierBlocks(messages).labels {
		if !known(memory.Ref{Type: e.typ, ID: e.id}) {
			return withoutBlocks(messages)
		}
	}
	return slices.Clone(messages)
}

// RemoveForgotten is RemoveStale for notes: it returns messages as they are while
// each note that the blocks in their system messages show is one of items, as
// this renderer shows it, and without any of these blocks where one is not. Give
// it all items of a store, in any order: one that is Deleted counts as forgotten,
// as does one that was evicted. The input is not changed.
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

// placeAppended is Place with PlaceAppend.
func placeAppended(messages []Message, block string) []Message {
	earlier := earlierBlocks(messages)
	news := leaveOut(block, earlier)
	placed := slices.Clone(messages)
	if earlier.bytes+len(news) > MaxAppended*len(block) {
		placed, news = withoutBlocks(messages), block
		earlier = blocks{}
	}
	if news == "" {
		return placed
	}
	at := max(tailStart(placed), earlier.end, lastAnswer(placed))
	return slices.Insert(placed, at, Message{Role: roleSystem, Content: news})
}

// lastAnswer is the index of the last message of the assistant, else 0. All that
// stands before it has been in a prompt.
func lastAnswer(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == roleAssistant {
			return i
		}
	}
	return 0
}

// entityKey is what a label in a block belongs to.
type entityKey struct{ typ, id string }

// blocks are the blocks in the system messages of a prompt.
type blocks struct {
	labels map[entityKey]string // the latest one wins
	notes  map[string]bool      // their lines
	bytes  int                  // of all blocks
	end    int                  // the index behind the last message that holds one
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
			entities, _ := Parse(text[start:end]) // Find takes only what Parse takes
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
	}
}

// leaveOut returns a block without the entities that were shown, under labels
// that serve as well as the block's own, and without the notes that were; "" if
// there are no others. What is not a block is returned as it is.
func leaveOut(block string, shown blocks) string {
	entities, err := Parse(block)
	if err != nil || shown.end == 0 {
		return block
	}
	rest, notes := splitNotes(block)
	lines := appendNewEntities([]string{Title}, rest, newsAmong(entities, shown.labels))
	lines = appendNewNotes(lines, notes, shown.notes)
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// appendNewEntities appends the lines of a block without notes, with the
// entities that are news, and the headers above them.
func appendNewEntities(dst []string, block string, news []bool) []string {
	header := "" // of the group, until a line of it is kept
	for text := range strings.SplitSeq(block, "\n") {
		line, ok := strings.CutPrefix(text, entityPrefix)
		if !ok {
			header = text
			continue
		}
		if line, news = keepOf(line, news); line == "" {
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

// newsAmong says of each entity of a block whether it has to be shown.
func newsAmong(entities []memory.Entity, shown map[entityKey]string) []bool {
	labels := make(map[entityKey]string, len(entities))
	addLabels(labels, entities)
	news := make([]bool, len(entities))
	for i, e := range entities {
		key := entityKey{e.Type, e.ID}
		label, ok := shown[key]
		news[i] = !ok || !tells(label, labels[key], e.Type)
	}
	return news
}

// keepOf returns those entities of a line that are to be kept, "" for none, and
// what keep says of the lines after it.
func keepOf(line string, keep []bool) (string, []bool) {
	var kept []string
	for line != "" {
		_, _, rest, _ := cutEntity(line) // a line of a block holds nothing else
		if keep[0] {
			kept = append(kept, line[:len(line)-len(rest)])
		}
		keep = keep[1:]
		line = strings.TrimPrefix(rest, entitySeparator)
	}
	return strings.Join(kept, entitySeparator), keep
}

// tells reports whether a label that was shown serves as well as the label of
// now: where one is the other one shortened. A label that says nothing serves
// only for another.
func tells(shown, now, typ string) bool {
	if now == memory.Placeholder(typ) {
		now = ""
	}
	if shown == memory.Placeholder(typ) {
		shown = ""
	}
	return shortened(now, shown) || shown != "" && shortened(shown, now)
}

// shortened reports whether text is label, or its beginning as labels are cut:
// behind a fact, or anywhere with a mark.
func shortened(text, label string) bool {
	if text == "" || text == label || strings.HasPrefix(label, text+factSeparator) {
		return true
	}
	begun, ok := strings.CutSuffix(text, cutMark)
	return ok && begun != "" && strings.HasPrefix(label, begun)
}
