package genkit

import (
	"slices"
	"strings"

	"github.com/firebase/genkit/go/ai"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// placement changes the messages of a request, which are not modified, and removes the changes
// again: models and Genkit copy requests, and put parts into other messages, but keep the parts.
type placement struct {
	original map[*ai.Part]*ai.Part // of each part that was made here; nil if there was none
}

func newPlacement() *placement { return &placement{original: make(map[*ai.Part]*ai.Part)} }

// place applies edits to messages.
func (p *placement) place(messages []*ai.Message, edits []prompt.Edit) []*ai.Message {
	return prompt.Apply(messages, edits, p.newMessage, p.extend)
}

func (p *placement) newPart(text string) *ai.Part {
	part := ai.NewTextPart(text)
	p.original[part] = nil
	return part
}

func (p *placement) newMessage(text string) *ai.Message {
	return ai.NewSystemMessage(p.newPart(text))
}

// extend returns a copy of a system message whose texts are without blocks, and whose last text
// ends in block. Parts that had only a block are left out.
func (p *placement) extend(m *ai.Message, block string) *ai.Message {
	c := m.Clone()
	c.Content = c.Content[:0]
	last := -1
	for _, part := range m.Content {
		if part.IsText() && strings.Contains(part.Text, prompt.Title) {
			text := prompt.Remove(part.Text)
			if text == "" {
				continue
			}
			part = p.withText(part, text)
		}
		if part.IsText() {
			last = len(c.Content)
		}
		c.Content = append(c.Content, part)
	}
	switch {
	case block == "":
	case last >= 0:
		part := c.Content[last]
		c.Content[last] = p.withText(part, prompt.InSystem(part.Text, block))
	default:
		c.Content = append(c.Content, p.newPart(prompt.WithGuidance(block)))
	}
	return c
}

// withText returns a copy of a part with another text.
func (p *placement) withText(part *ai.Part, text string) *ai.Part {
	original, made := p.original[part]
	if !made {
		original = part
	}
	c := part.Clone()
	c.Text = text
	p.original[c] = original
	return c
}

// undo returns a response whose request is without the changes.
func (p *placement) undo(response *ai.ModelResponse) *ai.ModelResponse {
	if response == nil || response.Request == nil || len(p.original) == 0 {
		return response
	}
	request := *response.Request
	request.Messages = make([]*ai.Message, 0, len(response.Request.Messages))
	for _, m := range response.Request.Messages {
		if m = p.restore(m); m != nil {
			request.Messages = append(request.Messages, m)
		}
	}
	r := *response
	r.Request = &request
	return &r
}

// restore returns a message with the original parts, or nil if there were none.
func (p *placement) restore(m *ai.Message) *ai.Message {
	if m == nil || !slices.ContainsFunc(m.Content, p.isMade) {
		return m
	}
	c := m.Clone()
	c.Content = c.Content[:0]
	for _, part := range m.Content {
		if p.isMade(part) {
			part = p.original[part]
		}
		if part != nil {
			c.Content = append(c.Content, part)
		}
	}
	if len(c.Content) == 0 {
		return nil
	}
	return c
}

func (p *placement) isMade(part *ai.Part) bool {
	_, made := p.original[part]
	return made
}
