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

// maxResult is how many bytes of a tool's result are kept as a message: 1 MiB, which
// is more than windows of models have room for.
const maxResult = 1 << 20

// turn is what a chain does between loading its memory and saving to it. The zero
// value is none.
type turn struct {
	mu     sync.Mutex
	open   bool
	input  string // what the user said
	stored bool   // input was given to be stored
	before []llms.ChatMessage
	ending []session.Message // what was last to be saved
}

// begin begins a turn in which the user says input after some messages.
func (t *turn) begin(input string, before []llms.ChatMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open, t.input, t.stored, t.before, t.ending = true, input, false, before, nil
}

var _ prompts.MessageFormatter = (*turn)(nil)

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

// isStored reports whether what the user said was given to be stored already.
func (t *turn) isStored(input string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stored && t.input == input
}

// identified gives ids to the messages that end a turn: those of before where the
// same are saved again.
func (t *turn) identified(messages []session.Message) []session.Message {
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

// fromPromptKey marks the context of the recording of a call that was found in a
// prompt: who wrote the prompt keeps the messages.
type fromPromptKey struct{}

// messages is the middleware.SessionsOptions.Messages of a session: the call and its
// result, and before the first ones of a turn what the user said.
func (t *turn) messages(ctx context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open || ctx.Value(fromPromptKey{}) != nil {
		return nil
	}
	messages := callMessages(call) // which may panic, as what a tool returned may
	if !t.stored {
		t.stored = true
		messages = slices.Insert(messages, 0, userMessage(t.input))
	}
	return messages
}

func userMessage(text string) session.Message {
	return session.Message{Role: session.RoleUser, Content: valid(text)}
}

// callMessages are a tool call and its result, joined by an id.
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
		{Role: session.RoleTool, ToolCallID: id, Name: name, Content: valid(shortened(result))},
	}
}

// jsonArguments are a tool's arguments as providers want to see them again: an
// object. Text stands in it as langchaingo's functions agent has models write it.
func jsonArguments(text string) string {
	text = valid(shortened(text))
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)) {
		return text
	}
	wrapped, _ := json.Marshal(map[string]string{"__arg1": text}) // a map of strings always marshals
	return string(wrapped)
}

// plainText is what a tool was called with, or returned, as text.
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
		return fmt.Sprintf("(%T)", value) // what it has may be a circle
	}
	return string(text)
}

func shortened(text string) string {
	if len(text) <= maxResult {
		return text
	}
	return text[:maxResult] + "…"
}
