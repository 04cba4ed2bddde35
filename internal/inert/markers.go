package inert

import (
	"slices"
	"strings"
)

// isMarker reports whether the character at i is the one to escape of a marker: the first
// bracket of [INST], the last one before the target of a Markdown link or image, the sign
// of the templates $(…) and %(…)s.
func isMarker(text string, i int) bool {
	switch text[i] {
	case '[':
		return isChatMarker(text[i+1:], ']')
	case ']', '$', '%':
		return strings.HasPrefix(text[i+1:], "(")
	}
	return false
}

// maxMarkerBytes is the length of the longest marker of a chat format.
const maxMarkerBytes = 40

// isChatMarker reports whether a text begins with the rest of a marker up to its closing
// bracket, such as INST], /INST] or TOOL_CALLS].
func isChatMarker(rest string, closing byte) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), maxMarkerBytes)], " /")
	end := strings.IndexFunc(rest, func(r rune) bool {
		return r != '_' && r != ' ' && r != '-' && (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9')
	})
	if end <= 0 || rest[end] != closing {
		return false
	}
	word := rest[:end]
	if i := strings.IndexAny(word, "_ -"); i > 0 {
		word = word[:i]
	}
	return slices.Contains(chatMarkers, strings.ToLower(word))
}

// chatMarkers are the first words of the bracketed markers of chat formats, and of the
// titles of the block.
var chatMarkers = []string{
	"inst", "sys", "s", "im", "system", "user", "human", "assistant", "tool", "tools", "available", "args", "call", "function", "functions",
	"think", "img", "audio", "begin", "transcribe", "prefix", "middle", "suffix", "control", "model", "end", "start", "stop",
	"bos", "eos", "pad", "unk", "sep", "cls", "mask", "gmask", "smask", "sop", "eop", "working", "notes",
}

// roleColon returns the index of the colon of a role that a text begins with, as in
// "Assistant: " or "### System:", or noColon.
func roleColon(text string) int {
	const longest = 32
	head := text[:min(len(text), longest)]
	colon := strings.IndexByte(head, ':')
	if colon < 0 {
		return noColon
	}
	word := strings.ToLower(strings.TrimSpace(strings.Trim(head[:colon], "#*_>- \t")))
	titled := strings.HasPrefix(strings.TrimLeft(head, " \t*"), "#")
	if slices.Contains(roles, word) || titled && slices.Contains(titledRoles, word) {
		return colon
	}
	return noColon
}

// roles are the names of turns in transcripts; titledRoles are those in headings of prompts.
var (
	roles       = []string{"human", "assistant", "system", "developer"}
	titledRoles = []string{"user", "instruction", "instructions", "input", "response", "output", "context", "tool", "prompt"}
)

// isLookAlike reports whether a rune is a bracket, brace, bar or quote in another width.
func isLookAlike(r rune) bool { return r >= '\u2774' && strings.ContainsRune(lookAlikes, r) }

const lookAlikes = "\uff02\u2774\u2775\u2983\u2984\ufe37\ufe38\ufe5b\ufe5c\ufe64\ufe65\uff1c\uff1e\uff3b\uff3d\uff5b\uff5c\uff5d"
