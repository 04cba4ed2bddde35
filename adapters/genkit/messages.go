package genkit

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/firebase/genkit/go/ai"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// view is the middleware.History.View of this package.
const view = "genkit"

// historyOf returns the calls in messages.
func historyOf(messages []*ai.Message) *middleware.History {
	h := &middleware.History{View: view}
	for _, m := range messages {
		if m == nil {
			continue
		}
		if m.Role == ai.RoleModel {
			h.AddRequests(requestsOf(m)...)
		}
		for _, p := range m.Content {
			if r := responseOf(p); r != nil {
				h.AddResult(middleware.ToolCall{ID: r.Ref, Name: r.Name, Result: resultOf(r.Output, r.Content)})
			}
		}
	}
	return h
}

// requestsOf returns the calls that a message of the model requests.
func requestsOf(m *ai.Message) (calls []middleware.ToolCall) {
	for _, p := range m.Content {
		if p.IsToolRequest() && p.ToolRequest != nil {
			calls = append(calls, callOf(p.ToolRequest))
		}
	}
	return calls
}

func callOf(r *ai.ToolRequest) middleware.ToolCall {
	return middleware.ToolCall{ID: r.Ref, Name: r.Name, Arguments: r.Input}
}

// responseOf returns the result of a tool in a part, or nil. A partial one is not a result.
func responseOf(p *ai.Part) *ai.ToolResponse {
	if p.IsToolResponse() && !p.IsPartial() {
		return p.ToolResponse
	}
	return nil
}

// resultOf returns the result of a tool: its output, its texts, or both.
func resultOf(output any, content []*ai.Part) any {
	return middleware.ResultOf(output, textsOf(content)...)
}

// textsOf returns the texts of parts.
func textsOf(parts []*ai.Part) (texts []string) {
	for _, p := range parts {
		if p.IsText() {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// roles are the roles of Genkit in the terms of package prompt.
var roles = map[ai.Role]string{ai.RoleSystem: "system", ai.RoleUser: "user", ai.RoleModel: "assistant", ai.RoleTool: "tool"}

// lastSaid returns the last message of a role that has text.
func lastSaid(messages []*ai.Message, role ai.Role) prompt.Message {
	for _, m := range slices.Backward(messages) {
		if m == nil || m.Role != role {
			continue
		}
		said := slices.DeleteFunc(slices.Clone(m.Content), isAddition)
		if text := strings.Join(textsOf(said), "\n"); text != "" {
			return prompt.Message{Role: roles[role], Content: text}
		}
	}
	return prompt.Message{}
}

// isAddition reports whether Genkit added a part to a message: documents, or instructions for the
// output.
func isAddition(p *ai.Part) bool {
	return p != nil && (p.Metadata["purpose"] == "context" || p.Metadata["purpose"] == "output")
}

// outline returns what prompt.Edits reads of messages. If messages are compared, those that
// differ have different contents.
func outline(messages []*ai.Message, compared bool) []prompt.Message {
	out := make([]prompt.Message, len(messages))
	for i, m := range messages {
		switch {
		case m == nil:
			continue
		case m.Role == ai.RoleSystem:
			out[i].Content = strings.Join(textsOf(m.Content), "\n")
		case compared:
			out[i].Content = identity(m)
		}
		out[i].Role = roles[m.Role]
	}
	return out
}

// identity returns the content of a message without its metadata, which Genkit changes between two
// calls of a model.
func identity(m *ai.Message) string {
	var b strings.Builder
	for _, p := range m.Content {
		if p == nil {
			continue
		}
		c := *p
		c.Metadata = nil
		if text, err := json.Marshal(&c); err == nil {
			b.Write(text)
		}
	}
	return b.String()
}
