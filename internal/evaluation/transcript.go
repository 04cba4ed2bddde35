package evaluation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrMessage is returned for an item of a conversation that is no message.
var ErrMessage = errors.New("message is not an object with a role or a type")

// message is a message of a conversation in any of these forms, or a line of the session of a coding
// agent that holds one:
//
//	{"role": "assistant", "tool_calls": [{"id", "function": {"name", "arguments"}}]}, {"role": "tool", "tool_call_id", "content"}
//	{"role": "assistant", "content": [{"type": "tool_use", "id", "name", "input"}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id", "content"}]}
//	{"type": "function_call", "call_id", "name", "arguments"}, {"type": "function_call_output", "call_id", "output"}
//	{"type": "assistant", "sessionId", "message": {…}}, {"type": "response_item", "payload": {…}}
type message struct {
	Role, Type string
	// ID and CallID are those of a call; ToolUseID and ToolCallID are those of the call that a result is of.
	ID         any
	CallID     string `json:"call_id"`
	ToolUseID  string `json:"tool_use_id"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct {
			Name      string
			Arguments json.RawMessage
		}
	} `json:"tool_calls"`
	Name                     string
	Text                     any
	Arguments, Input, Action json.RawMessage // of a call
	Content, Output          json.RawMessage
	Message, Payload         json.RawMessage // of a line of a session
	SessionID                string          `json:"sessionId"`
}

// transcript collects the steps of a conversation.
type transcript struct {
	id    string
	steps []Step
	calls map[string]int // step of a call by its id
}

// episode returns the conversation, whose id is the given one unless its lines tell another.
func (t *transcript) episode(id string) *Episode {
	if t.id != "" {
		id = t.id
	}
	quoted, _ := json.Marshal(id)
	return &Episode{ID: ID{Text: id, JSON: string(quoted)}, Steps: t.steps}
}

// add adds a message. Those of other types, such as a summary, are ignored.
func (t *transcript) add(raw json.RawMessage) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) || m.Role == "" && m.Type == "" {
		return ErrMessage
	}
	if t.id == "" {
		t.id = m.SessionID
	}
	for _, inner := range []json.RawMessage{m.Message, m.Payload} {
		if len(inner) > 0 && inner[0] == '{' {
			m = message{}
			_ = json.Unmarshal(inner, &m) // what it can: it may be anything
			break
		}
	}
	switch {
	case m.Role == KindTool:
		t.result(m.ToolCallID, m.Content)
	case m.Role == KindUser || m.Role == KindAssistant:
		t.content(m.Role, m.Content)
	default:
		t.block("", &m)
	}
	for i := range m.ToolCalls {
		t.call(m.ToolCalls[i].ID, m.ToolCalls[i].Function.Name, m.ToolCalls[i].Function.Arguments)
	}
	return nil
}

// content adds what a message of the user or the assistant holds: a text, or blocks.
func (t *transcript) content(role string, raw json.RawMessage) {
	var text string
	var blocks []json.RawMessage
	if json.Unmarshal(raw, &text) == nil {
		t.say(role, text)
	}
	_ = json.Unmarshal(raw, &blocks)
	for _, block := range blocks {
		var m message
		_ = json.Unmarshal(block, &m) // what it can
		t.block(role, &m)
	}
}

// block adds a block of a message, or an item of a conversation.
func (t *transcript) block(role string, m *message) {
	id, _ := m.ID.(string)
	if m.CallID != "" {
		id = m.CallID
	}
	switch {
	case m.Type == "tool_use":
		t.call(id, m.Name, m.Input)
	case m.Type == "tool_result":
		t.result(m.ToolUseID, m.Content)
	case strings.HasSuffix(m.Type, "_call_output"):
		t.result(id, m.Output)
	case strings.HasSuffix(m.Type, "_call") && m.CallID != "":
		name := strings.TrimSuffix(m.Type, "_call")
		if m.Name != "" {
			name = m.Name
		}
		t.call(id, name, slices.Concat(m.Arguments, m.Input, m.Action)) // one of them
	case role != "" && (m.Type == "text" || m.Type == "input_text" || m.Type == "output_text"):
		text, _ := m.Text.(string)
		t.say(role, text)
	}
}

func (t *transcript) say(role, text string) {
	if strings.TrimSpace(text) != "" {
		t.steps = append(t.steps, Step{Kind: role, Text: text})
	}
}

// call adds a call, whose arguments may be JSON in a string.
func (t *transcript) call(id, name string, arguments json.RawMessage) {
	var text string
	if json.Unmarshal(arguments, &text) == nil && json.Valid([]byte(text)) {
		arguments = json.RawMessage(text)
	}
	if name == "" {
		return
	}
	if len(arguments) == 0 {
		arguments = json.RawMessage("null")
	}
	if t.calls == nil {
		t.calls = map[string]int{}
	}
	t.calls[id] = len(t.steps)
	t.steps = append(t.steps, Step{Kind: KindTool, Tool: name, Args: arguments, Result: json.RawMessage("null")})
}

// result gives a call its result. One of a call that the conversation does not have is ignored.
func (t *transcript) result(id string, raw json.RawMessage) {
	at, ok := t.calls[id]
	if !ok || len(raw) == 0 {
		return
	}
	var blocks []message
	if json.Unmarshal(raw, &blocks) == nil {
		var texts []string
		for _, b := range blocks {
			if text, ok := b.Text.(string); ok {
				texts = append(texts, text)
			}
		}
		if len(texts) > 0 {
			raw, _ = json.Marshal(strings.Join(texts, "\n"))
		}
	}
	t.steps[at].Result = raw
}

// parseDocument parses a whole file that is a conversation: a list of messages, or an object that holds
// one. It returns the line of an error.
func parseDocument(data []byte) (ep *Episode, line int, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, 1, ErrNotJSON
		}
		ep, err := parseConversation(fields, string(data), "session")
		if ep == nil && err == nil {
			err = ErrForm
		}
		return ep, 1, err
	}
	var t transcript
	_, err = d.Token() // the bracket
	for i := 0; err == nil && d.More(); i++ {
		var raw json.RawMessage
		if err = d.Decode(&raw); err != nil {
			err = ErrNotJSON
		} else if err = t.add(raw); err != nil {
			err = fmt.Errorf("message %d: %w", i, err)
		}
	}
	if _, open := d.Token(); err == nil && (open != nil || len(bytes.TrimSpace(data[d.InputOffset():])) > 0) {
		err = ErrNotJSON
	}
	return t.episode("session"), 1 + bytes.Count(data[:min(int(d.InputOffset()), len(data))], []byte("\n")), err
}

// parseConversation parses an object that is an episode, or a conversation. It returns nil for others.
func parseConversation(fields map[string]json.RawMessage, text, id string) (*Episode, error) {
	if _, ok := fields["steps"]; ok {
		return parseEpisode(text)
	}
	if _, ok := fields["messages"]; ok {
		return parseMessages(fields, id)
	}
	return nil, nil
}

// parseMessages parses an object with a list of messages. Its id is the given one if it has none.
func parseMessages(fields map[string]json.RawMessage, id string) (*Episode, error) {
	var messages []json.RawMessage
	if json.Unmarshal(fields["messages"], &messages) != nil {
		return nil, ErrMessage
	}
	var t transcript
	for i, raw := range messages {
		if err := t.add(raw); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
	}
	ep := t.episode(id)
	if given, err := parseID(fields["id"]); err == nil {
		ep.ID = given
	}
	return ep, nil
}
