package prompt

import (
	"slices"
	"strings"
)

// EditOp is what an Edit does.
type EditOp int

const (
	// EditInsert inserts a system message with the Edit's Text before the message at its
	// Index, or behind the last message.
	EditInsert EditOp = iota
	// EditExtend changes the text of the system message at the Edit's Index as InSystem
	// does: blocks in it are removed, and Text, if any, is appended.
	EditExtend
	// EditRemove removes the system message at the Edit's Index, which held only blocks.
	EditRemove
)

// Edit is one of the changes that Place makes to the messages of a prompt. Edits are for
// programs whose messages have more than a role and a text: see Apply.
type Edit struct {
	Op    EditOp
	Index int    // of a message, before any edit
	Text  string // the block behind the Guidance; may be "" in an EditExtend
}

// Edits returns what Place changes, in the order of their Index; an insertion precedes the
// edit of the message at the same Index. Only the contents of system messages are read.
func Edits(messages []Message, block string, at Placement) []Edit {
	if at == PlaceAppend {
		return appendEdits(messages, block)
	}
	kept, indexes, edits := removeBlocks(messages)
	if block == "" {
		return edits
	}
	own := Edit{Op: EditInsert, Text: WithGuidance(block)}
	var before int // index among the kept messages
	switch at {
	case PlaceAfterPrefix:
		before = prefixEnd(kept)
	case PlaceTail:
		before = tailStart(kept)
	default:
		if i := slices.IndexFunc(kept, isSystem); i >= 0 {
			return extend(edits, indexes[i], own.Text)
		}
	}
	own.Index = append(indexes, len(messages))[before]
	return insert(edits, own)
}

// Apply applies the edits of an outline to the messages that it outlines, which may be of any
// type. The function newMessage returns a system message with a text; extend returns a copy of a
// message whose texts are without blocks, and whose last text ends in block unless that is
// empty: see InSystem. The input is not modified.
func Apply[M any](messages []M, edits []Edit, newMessage func(text string) M, extend func(m M, block string) M) []M {
	if len(edits) == 0 {
		return messages
	}
	placed := slices.Grow([]M(nil), len(messages)+len(edits))
	next := 0
	for _, e := range edits {
		placed = append(placed, messages[next:e.Index]...)
		next = e.Index
		switch e.Op {
		case EditInsert:
			placed = append(placed, newMessage(e.Text))
		case EditExtend:
			placed = append(placed, extend(messages[next], e.Text))
			next++
		case EditRemove:
			next++
		}
	}
	return append(placed, messages[next:]...)
}

// removeBlocks returns the messages that are left if blocks are removed from system messages,
// their indexes among all messages, and the edits that remove the blocks.
func removeBlocks(messages []Message) (kept []Message, indexes []int, edits []Edit) {
	kept, indexes = make([]Message, 0, len(messages)), make([]int, 0, len(messages)+1)
	for i, m := range messages {
		if isSystem(m) && strings.Contains(m.Content, Title) {
			content := Remove(m.Content)
			if content == "" {
				edits = append(edits, Edit{Op: EditRemove, Index: i})
				continue
			}
			if content != m.Content {
				edits = append(edits, Edit{Op: EditExtend, Index: i})
				m.Content = content
			}
		}
		kept, indexes = append(kept, m), append(indexes, i)
	}
	return kept, indexes, edits
}

// extend adds text to the message at an index.
func extend(edits []Edit, index int, text string) []Edit {
	i, found := slices.BinarySearchFunc(edits, index, func(e Edit, index int) int { return e.Index - index })
	if found {
		edits[i].Text = text
		return edits
	}
	return slices.Insert(edits, i, Edit{Op: EditExtend, Index: index, Text: text})
}

// insert adds an insertion, before the edit of the message at its index.
func insert(edits []Edit, own Edit) []Edit {
	i, _ := slices.BinarySearchFunc(edits, own.Index, func(e Edit, index int) int { return e.Index - index })
	return slices.Insert(edits, i, own)
}
