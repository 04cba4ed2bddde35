package strategy

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// line is a message, or a part of one, as the model sees it.
type line struct {
	text, source string // source is the message's id
	tokens       int
}

// maxLines limits the messages of a prompt, because each memory lists the ids of all of them.
const maxLines = 50

// parts divides messages so that each request fits what the model reads: the prompt, the known
// memories, the messages with a quarter more for quoting, and the answer.
func (s *Prompted) parts(messages []driver.Message) [][]line {
	count := s.opts.Counter.CountTokens
	room := s.opts.InputTokens*7/8 - s.opts.AnswerTokens - count(s.template.Format(prompt.ExtractionData{}))
	room = max(room*4/5, s.opts.InputTokens/20)
	var parts [][]line
	used := 0
	for i := range messages {
		for _, l := range s.splitLines(&messages[i], room) {
			if len(parts) == 0 || used+l.tokens > room || len(parts[len(parts)-1]) == maxLines {
				parts, used = append(parts, nil), 0
			}
			parts[len(parts)-1] = append(parts[len(parts)-1], l)
			used += l.tokens
		}
	}
	return parts
}

// splitLines returns the lines of a message: several if it exceeds the room.
func (s *Prompted) splitLines(m *driver.Message, room int) []line {
	count := s.opts.Counter.CountTokens
	label := m.CreatedAt.UTC().Format(prompt.DateLayout) + " " + firstRunes(m.Role)
	if m.Name != "" {
		label += " (" + firstRunes(m.Name) + ")"
	}
	label += ": "
	var lines []line
	for i, text := range plaintext.SplitTokens(m.Content, max(room-count(label)-2, room/2), count) {
		if i > 0 {
			text = "… " + text
		}
		lines = append(lines, line{text: label + text, source: m.ID, tokens: count(label + text)})
	}
	return lines
}

// firstRunes shortens a text that is not bounded elsewhere, such as a role.
func firstRunes(text string) string {
	const most = 40
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

func textsOf(part []line) []string {
	texts := make([]string, len(part))
	for i := range part {
		texts[i] = part[i].text
	}
	return texts
}

// sourcesOf returns the ids of the messages of a part, each once.
func sourcesOf(part []line) []string {
	var ids []string
	for i := range part {
		ids = append(ids, part[i].source)
	}
	return slices.Compact(ids)
}
