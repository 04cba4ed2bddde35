package vendorapi

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// add adds a message.
func (r *Request) add(role, text string) {
	switch role {
	case "system", "developer":
		r.System = strings.TrimPrefix(r.System+"\n"+text, "\n")
		return
	case "model":
		role = "assistant"
	}
	r.Messages = append(r.Messages, prompt.Message{Role: role, Content: text})
}

// part is a part of a content, in any API.
type part struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"` // of a tool_result
	Input   json.RawMessage `json:"input"`   // of a tool_use
	// of Gemini
	FunctionCall     json.RawMessage `json:"functionCall"`
	FunctionResponse json.RawMessage `json:"functionResponse"`
}

// isResult reports whether the part is the result of a tool.
func (p *part) isResult() bool { return p.Type == "tool_result" || p.FunctionResponse != nil }

// contentOf returns the text of a content, which is a text or a list of parts, and its parts. Calls
// and results in it are text, too.
func contentOf(raw json.RawMessage) (text string, parts []part) {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		_ = json.Unmarshal(raw, &text) // is part of valid JSON
		return text, nil
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil // null, or none
	}
	var texts []string
	for _, p := range parts {
		switch {
		case p.Text != "":
			texts = append(texts, p.Text)
		case p.Content != nil:
			text, _ := contentOf(p.Content)
			texts = append(texts, text)
		default:
			for _, data := range []json.RawMessage{p.Input, p.FunctionCall, p.FunctionResponse} {
				if data != nil {
					texts = append(texts, string(data))
				}
			}
		}
	}
	return strings.Join(texts, "\n"), parts
}
