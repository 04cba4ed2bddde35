package adk

import (
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// message is a content of a request, or its system instruction.
type message struct {
	*genai.Content
	system bool
}

// place puts the block of a recorder into a request. What it changes it copies before: the
// application and ADK's sessions may share the contents.
func place(rec *middleware.Recorder, req *model.LLMRequest, at prompt.Placement) {
	messages := messagesOf(req)
	edits := rec.Edits(outline(messages, at == prompt.PlaceAppend), at)
	if len(edits) == 0 {
		return
	}
	inSystem := at != prompt.PlaceTail && at != prompt.PlaceAppend
	var config genai.GenerateContentConfig
	if req.Config != nil {
		config = *req.Config
	}
	config.SystemInstruction, req.Contents = nil, make([]*genai.Content, 0, len(req.Contents)+1)
	placed := prompt.Apply(messages, edits,
		func(text string) message { return message{genai.NewContentFromText(text, genai.RoleUser), inSystem} },
		func(m message, block string) message { return message{withBlock(m.Content, block), m.system} })
	for _, m := range placed {
		if m.system {
			config.SystemInstruction = join(config.SystemInstruction, m.Content)
		} else {
			req.Contents = append(req.Contents, m.Content)
		}
	}
	req.Config = &config
}

// messagesOf returns the system instruction of a request, if any, and its contents.
func messagesOf(req *model.LLMRequest) []message {
	messages := make([]message, 0, len(req.Contents)+1)
	if req.Config != nil && req.Config.SystemInstruction != nil && len(req.Config.SystemInstruction.Parts) > 0 {
		messages = append(messages, message{req.Config.SystemInstruction, true})
	}
	for _, c := range req.Contents {
		messages = append(messages, message{c, false})
	}
	return messages
}

// outline returns what Recorder.Edits reads of messages. If messages are compared, those that
// differ have different contents.
func outline(messages []message, compared bool) []prompt.Message {
	out := make([]prompt.Message, len(messages))
	for i, m := range messages {
		switch {
		case m.system:
			out[i] = prompt.Message{Role: "system", Content: textOf(m.Content)}
			continue
		case m.Content == nil:
			continue
		case m.Role == genai.RoleModel:
			out[i].Role = "assistant"
		case slices.ContainsFunc(m.Parts, func(p *genai.Part) bool { return p != nil && p.FunctionResponse != nil }):
			out[i].Role = "tool"
		default:
			out[i].Role = "user"
		}
		if compared {
			encoded, _ := json.Marshal(m.Content)
			out[i].Content = string(encoded)
		}
	}
	return out
}

// withBlock returns a copy of a system instruction whose texts are without blocks, and whose last
// text ends in block. Parts that had only a block are left out.
func withBlock(c *genai.Content, block string) *genai.Content {
	placed := &genai.Content{Role: c.Role}
	last := -1
	for _, p := range c.Parts {
		if p != nil && strings.Contains(p.Text, prompt.Title) {
			text := prompt.Remove(p.Text)
			if text == "" {
				continue
			}
			p = withText(p, text)
		}
		if p != nil && p.Text != "" {
			last = len(placed.Parts)
		}
		placed.Parts = append(placed.Parts, p)
	}
	switch {
	case block == "":
	case last >= 0:
		p := placed.Parts[last]
		placed.Parts[last] = withText(p, prompt.InSystem(p.Text, block))
	default:
		placed.Parts = append(placed.Parts, genai.NewPartFromText(prompt.WithGuidance(block)))
	}
	return placed
}

// withText returns a copy of a part with another text.
func withText(p *genai.Part, text string) *genai.Part {
	c := *p
	c.Text = text
	return &c
}

// join returns a system instruction with the parts of a, which may be nil, and of b.
func join(a, b *genai.Content) *genai.Content {
	if a == nil {
		return b
	}
	return &genai.Content{Role: a.Role, Parts: slices.Concat(a.Parts, b.Parts)}
}
