package langchain

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// maxPrompts is how many growing prompts a ledger distinguishes: those of an
// agent, and of other callers of models on the same memory.
const maxPrompts = 4

// anchor is the position of a block that PlaceAppend put among a caller's messages.
// Callers send their own history each time, without blocks; the anchors restore the
// blocks, so that the prompt begins with the whole of the previous one.
type anchor struct {
	after  int    // the number of the caller's messages before the block
	digest uint64 // of these messages
	block  string
}

// place calls the recorder's Place with prompt.PlaceAppend for messages without
// blocks, after it has restored the blocks of the same messages. Blocks behind a
// change of the history are not restored.
func (l *ledger) place(messages []llms.MessageContent, rec *middleware.Recorder) []llms.MessageContent {
	digests := l.digests(messages)
	l.mu.Lock()
	defer l.mu.Unlock()
	at, kept := l.longest(digests)
	grown := rec.Place(withAnchors(outline(messages), kept), prompt.PlaceAppend)
	placed, anchors := fromOutline(grown, messages, digests)
	if at >= 0 && len(kept) == len(l.prompts[at]) {
		l.prompts = slices.Delete(l.prompts, at, at+1) // the one below continues it
	}
	if len(anchors) > 0 {
		l.prompts = append(l.prompts, anchors)
	}
	if len(l.prompts) > maxPrompts {
		l.prompts = slices.Delete(l.prompts, 0, 1)
	}
	return placed
}

// longest returns the index of the prompt that has the most anchors among messages
// with these digests, and these anchors. It prefers the latest prompt, and returns -1
// if no prompt has any.
func (l *ledger) longest(digests []uint64) (at int, kept []anchor) {
	at = -1
	for i, anchors := range l.prompts {
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
func (l *ledger) digests(messages []llms.MessageContent) []uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	out := make([]uint64, 1, len(messages)+1)
	for _, msg := range messages {
		maphash.WriteComparable(&h, msg.Role)
		for _, part := range msg.Parts {
			writePart(&h, part)
		}
		out = append(out, h.Sum64())
	}
	return out
}

// writePart writes the content of a part. Markers for a provider's cache are not
// content: they move as a conversation grows.
func writePart(h *maphash.Hash, part llms.ContentPart) {
	switch part := part.(type) {
	case llms.CachedContent:
		writePart(h, part.ContentPart)
	case llms.TextContent, llms.ImageURLContent, llms.ToolCallResponse:
		maphash.WriteComparable(h, part)
	case llms.ToolCall:
		var call llms.FunctionCall
		if part.FunctionCall != nil {
			call, part.FunctionCall = *part.FunctionCall, nil
		}
		maphash.WriteComparable(h, part)
		maphash.WriteComparable(h, call)
	case llms.BinaryContent:
		maphash.WriteComparable(h, part.MIMEType)
		maphash.WriteComparable(h, len(part.Data))
		h.Write(part.Data)
	default: // langchaingo has no others
		maphash.WriteComparable(h, fmt.Sprintf("%T", part))
	}
}

// outline returns messages for prompt.Place that have the roles of the given ones and
// their indexes as contents.
func outline(messages []llms.MessageContent) []prompt.Message {
	out := make([]prompt.Message, len(messages))
	for i, msg := range messages {
		out[i] = prompt.Message{Role: roleOf(msg.Role), Content: strconv.Itoa(i)}
	}
	return out
}

func withAnchors(outline []prompt.Message, anchors []anchor) []prompt.Message {
	for i, a := range anchors {
		outline = slices.Insert(outline, a.after+i, prompt.Message{Role: "system", Content: a.block})
	}
	return outline
}

// fromOutline returns the messages that an outline represents, with its blocks, and
// the positions of the blocks.
func fromOutline(
	outline []prompt.Message, messages []llms.MessageContent, digests []uint64,
) (placed []llms.MessageContent, anchors []anchor) {
	placed = make([]llms.MessageContent, 0, len(outline))
	n := 0
	for _, msg := range outline {
		if n < len(messages) && msg.Content == strconv.Itoa(n) {
			placed = append(placed, messages[n])
			n++
			continue
		}
		placed = append(placed, llms.TextParts(llms.ChatMessageTypeSystem, msg.Content))
		anchors = append(anchors, anchor{after: n, digest: digests[n], block: msg.Content})
	}
	return placed, anchors
}
