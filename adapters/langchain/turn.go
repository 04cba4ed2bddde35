package langchain

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// maxResult is how many bytes of a tool's result are stored in a message: 1 MiB, more
// than the context windows of models hold.
const maxResult = 1 << 20

// turn is a chain's turn, between LoadMemoryVariables and SaveContext. In the zero value
// no turn is open.
type turn struct {
	large *middleware.ResultsOptions // nil if results are not stored

	mu     sync.Mutex
	open   bool
	input  string             // the user's message
	stored bool               // input was passed on to be stored
	before []llms.ChatMessage // as the prompt of the turn shows them
	ending []session.Message  // the last messages passed to assignIDs
}

var _ prompts.MessageFormatter = (*turn)(nil)

// begin opens a turn in which the user says input after some messages.
func (t *turn) begin(input string, before []llms.ChatMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open, t.input, t.stored, t.before, t.ending = true, input, false, before, nil
}

// drop closes the turn, if one is open.
func (t *turn) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open, t.input, t.stored, t.before, t.ending = false, "", false, nil, nil
}

// FormatMessages implements prompts.MessageFormatter: see SessionMemory.History.
func (t *turn) FormatMessages(map[string]any) ([]llms.ChatMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.before), nil
}

// GetInputVariables implements prompts.MessageFormatter. There are none.
func (t *turn) GetInputVariables() []string { return nil }

// isStored reports whether the user's message was already passed on to be stored.
func (t *turn) isStored(input string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stored && t.input == input
}

// assignIDs gives ids to the messages that end a turn. The same messages get the same ids
// again, so that saving them twice adds them once.
func (t *turn) assignIDs(messages []session.Message) []session.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.EqualFunc(t.ending, messages, func(a, b session.Message) bool { return sameMessage(&a, &b) }) {
		return t.ending
	}
	for i := range messages {
		messages[i].ID = rand.Text()
	}
	t.ending = messages
	return messages
}

// fromPromptKey marks the context in which a call found in a prompt is recorded: its
// messages are kept by the author of the prompt.
type fromPromptKey struct{}

// messages implements middleware.SessionsOptions.Messages: it returns the call and its
// result, preceded by the user's message at the first call of a turn.
func (t *turn) messages(ctx context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open || ctx.Value(fromPromptKey{}) != nil {
		return nil
	}
	if excerpt, large := t.large.Excerpt(call); large {
		call.Result = excerpt
	}
	messages := callMessages(call) // may panic in a method of the tool's result
	if !t.stored {
		t.stored = true
		messages = slices.Insert(messages, 0, userMessage(t.input))
	}
	return messages
}

func userMessage(text string) session.Message {
	return session.Message{Role: session.RoleUser, Content: valid(text)}
}

// callMessages returns the messages of a tool call and its result, joined by an id.
func callMessages(call middleware.ToolCall) []session.Message {
	id := valid(call.ID)
	if id == "" {
		id = "call_" + rand.Text()
	}
	result := plainText(call.Result)
	if call.Err != nil {
		result = "error: " + call.Err.Error()
	}
	name := valid(call.Name)
	asked := session.ToolCall{ID: id, Type: "function", Name: name, Arguments: jsonArguments(plainText(call.Arguments))}
	return []session.Message{
		{Role: session.RoleAssistant, ToolCalls: []session.ToolCall{asked}},
		{Role: session.RoleTool, ToolCallID: id, Name: name, Content: valid(shorten(result))},
	}
}

// jsonArguments returns a tool's arguments as the JSON object that providers require.
// Text is wrapped as by the models of langchaingo's functions agent.
func jsonArguments(text string) string {
	text = valid(shorten(text))
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)) {
		return text
	}
	wrapped, _ := json.Marshal(map[string]string{"__arg1": text}) // a map of strings always marshals
	return string(wrapped)
}

// plainText returns a tool's arguments or result as text.
func plainText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case queue.ContextItem:
		return v.Content
	case *queue.ContextItem:
		if v == nil {
			return ""
		}
		return v.Content
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("(%T)", value) // the value may be cyclic
	}
	return string(text)
}

func shorten(text string) string {
	if len(text) <= maxResult {
		return text
	}
	return text[:maxResult] + "…"
}
