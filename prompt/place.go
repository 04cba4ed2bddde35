package prompt

import "slices"

// Placement says where in a prompt the block goes. What follows a block that
// changed is new to a provider's prompt cache, so the later the block, the more
// is reused; the earlier, the better it fits APIs that know one system prompt.
type Placement int

const (
	// PlaceSystem appends the block to the first system message, or puts a
	// system message in front where there is none. The default. Every API can
	// do this; a changed block makes the whole conversation new to the cache.
	PlaceSystem Placement = iota
	// PlaceAfterPrefix puts the block in a system message of its own, right
	// after the system messages that the conversation begins with. The cache
	// keeps these, whole, and nothing after them.
	PlaceAfterPrefix
	// PlaceTail puts the block in a system message of its own: behind the last
	// tool result or before the last user message, whichever is later; at the
	// end where there is neither. The cache keeps all that stands before the
	// last user message, and in a run of tool calls everything but the block.
	// A user's question remains the last thing a model reads before it answers.
	PlaceTail
	// PlaceAppend lets earlier blocks stand where they are and appends, in a
	// system message of its own, only what they do not show yet, where PlaceTail
	// would put it: an entity that is new or whose label says something else, and
	// a note that does not stand there word for word. A label that only goes on
	// behind a comma, or where the other one was cut, counts as the same: Paris
	// and Paris, Texas.
	// Later labels replace earlier ones. The cache keeps everything that stands
	// before the new block, and blocks that were shown are part of that.
	//
	// It needs a history that only grows: the caller goes on from the messages
	// that Place returned, and appends to them the model's answer, tool results
	// and what the user says. Then each prompt begins with the whole of the one
	// before it. Where nothing is new, messages stay as they are.
	//
	// A model sees the union of the blocks: all of the current one, and what
	// earlier ones showed. That is at most MaxAppended times what the current one
	// takes: beyond that, and for the empty block, all earlier blocks are removed
	// and the current one is placed whole, which costs the cache once. An entity
	// that was deleted and a note that was forgotten still stand in an earlier
	// block: see RemoveStale and Renderer.RemoveForgotten.
	PlaceAppend
)

// String returns the placement's name: system, after-prefix, tail or append.
func (p Placement) String() string {
	switch p {
	case PlaceAfterPrefix:
		return "after-prefix"
	case PlaceTail:
		return "tail"
	case PlaceAppend:
		return "append"
	default:
		return "system"
	}
}

// The roles of messages that placement knows.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// blankLine separates the block from text around it.
const blankLine = "\n\n"

// Message is a prompt message in the vocabulary most APIs share: role is
// "system", "user", "assistant" or "tool".
type Message struct {
	Role    string
	Content string
}

// Place returns messages with the block, as a Renderer gives it, in its place;
// the input is not changed. Blocks that an earlier Place or InSystem left in
// system messages are gone afterwards, also where the new block is empty; only
// PlaceAppend goes on from them. Messages of other roles are never touched. An
// unknown placement is PlaceSystem.
func Place(messages []Message, block string, at Placement) []Message {
	if at == PlaceAppend {
		return placeAppended(messages, block)
	}
	placed := withoutBlocks(messages)
	if block == "" {
		return placed
	}
	own := Message{Role: roleSystem, Content: block}
	switch at {
	case PlaceAfterPrefix:
		return slices.Insert(placed, prefixEnd(placed), own)
	case PlaceTail:
		return slices.Insert(placed, tailStart(placed), own)
	default:
		i := slices.IndexFunc(placed, isSystem)
		if i < 0 {
			return slices.Insert(placed, 0, own)
		}
		placed[i].Content = InSystem(placed[i].Content, block)
		return placed
	}
}

// InSystem is a system prompt with the block, as a Renderer gives it, after a
// blank line at its end. A block that the prompt has already is removed first,
// also where the new one is empty; a prompt without a block and an empty block
// give the prompt as it is.
func InSystem(system, block string) string {
	system = Remove(system)
	if system == "" || block == "" {
		return system + block
	}
	return system + blankLine + block
}

// withoutBlocks is a copy of messages without blocks in system messages, and
// without system messages that were nothing else.
func withoutBlocks(messages []Message) []Message {
	kept := make([]Message, 0, len(messages)+1)
	for _, m := range messages {
		if isSystem(m) {
			content := Remove(m.Content)
			if content == "" && m.Content != "" {
				continue
			}
			m.Content = content
		}
		kept = append(kept, m)
	}
	return kept
}

// prefixEnd is the index after the system messages that messages begin with.
func prefixEnd(messages []Message) int {
	i := slices.IndexFunc(messages, func(m Message) bool { return !isSystem(m) })
	if i < 0 {
		return len(messages)
	}
	return i
}

// tailStart is where PlaceTail puts the block.
func tailStart(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		switch m.Role {
		case roleTool:
			return i + 1
		case roleUser:
			return i
		}
	}
	return len(messages)
}

func isSystem(m Message) bool { return m.Role == roleSystem }
