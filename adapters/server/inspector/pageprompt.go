package inspector

import (
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// outlined is the number of messages that are shown around each place in a prompt.
const outlined = 3

// promptSection returns the conversation up to the step with the block at its place.
func (s *view) promptSection() part {
	messages, tokens, numbers := s.conversation()
	edits := prompt.Edits(messages, s.after.text, s.place)
	placed := place(messages, tokens, numbers, edits)
	kept, all, behind := 0, 0, false
	for i := range placed {
		m := &placed[i]
		m.behind = behind
		if !behind {
			kept += m.tokens - m.added
		}
		behind = behind || m.block
		all += m.tokens
	}
	items := []part{class("prompt")}
	for i := range placed {
		switch near := isNear(placed, i); {
		case near:
			items = append(items, promptItem(&placed[i]))
		case i > 0 && isNear(placed, i-1):
			items = append(items, el("li", class("gap"), txt("…")))
		}
	}
	share := "none"
	if all > 0 {
		share = fmt.Sprintf("%d of about %d tokens (%.0f %%)", kept, all, 100*float64(kept)/float64(all))
	}
	return folded("prompt", txtf("In the prompt: %s", s.place),
		el("p", class("hint"), txt("The messages up to this step, with the block where it is placed. When the block changes, a prompt cache keeps what is before it: "+share+".")),
		el("ol", items...))
}

// conversation returns the messages up to the step.
func (s *view) conversation() (messages []prompt.Message, tokens, numbers []int) {
	for n := range s.n + 1 {
		st := &s.steps[n]
		m := prompt.Message{Role: st.kind, Content: st.text}
		switch st.kind {
		case kindNow:
			continue
		case kindCall:
			m = prompt.Message{Role: "tool", Content: st.tool}
		}
		messages, tokens, numbers = append(messages, m), append(tokens, st.tokens), append(numbers, n)
	}
	return messages, tokens, numbers
}

// promptMessage is a message of a prompt.
type promptMessage struct {
	role, text string
	tokens     int
	added      int // tokens of the block in it
	step       int // -1 for one that is added
	block      bool
	behind     bool // the block
}

// place applies edits to the messages of a conversation.
func place(messages []prompt.Message, tokens, numbers []int, edits []prompt.Edit) []promptMessage {
	all := make([]promptMessage, len(messages))
	for i, m := range messages {
		all[i] = promptMessage{role: m.Role, text: m.Content, tokens: tokens[i], step: numbers[i]}
	}
	size := func(text string) int { return prompt.Estimator{}.CountTokens(text) }
	return prompt.Apply(all, edits,
		func(text string) promptMessage {
			return promptMessage{role: "system", text: text, tokens: size(text), added: size(text), step: -1, block: true}
		},
		func(m promptMessage, block string) promptMessage {
			m.text, m.tokens, m.added, m.block = prompt.InSystem(m.text, block), m.tokens+size(block), size(block), block != ""
			return m
		})
}

// isNear reports whether a message is at the begin or the end of a prompt, or beside the block.
func isNear(placed []promptMessage, i int) bool {
	if i < outlined || i >= len(placed)-outlined {
		return true
	}
	for j := max(0, i-1); j <= min(len(placed)-1, i+1); j++ {
		if placed[j].block {
			return true
		}
	}
	return false
}

func promptItem(m *promptMessage) part {
	names, text := "kept", excerptOf(m.text)
	if m.block {
		names, text = "block", excerptOf(strings.TrimPrefix(m.text, prompt.Guidance))
	} else if m.behind {
		names = "again"
	}
	step := part(txt("added"))
	if m.step >= 0 {
		step = txtf("step %d", m.step)
	}
	return el("li", class(names), el("span", class("kind"), txt(m.role)), txt(" "), el("span", class("hint"), step, txtf(", %d tokens", m.tokens)), el("p", txt(text)))
}
