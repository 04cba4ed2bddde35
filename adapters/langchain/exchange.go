package langchain

import (
	"errors"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/llms"
)

// ErrNoToolCall is returned for the result of a tool call that is not in the window.
// No provider accepts a prompt with such a result.
var ErrNoToolCall = errors.New("langchain: tool result without its call")

// ErrNoMessage is returned for a nil message.
var ErrNoMessage = errors.New("langchain: message is nil")

// Exchange is the unit that a Window keeps or evicts: a single message, or a message
// of the model that calls tools together with the results. It is safe for concurrent
// use.
type Exchange struct {
	mu       sync.Mutex
	messages []llms.ChatMessage
}

// NewExchange returns an exchange of messages, such as a summary that replaces older
// messages in a compaction.
func NewExchange(messages ...llms.ChatMessage) *Exchange {
	return &Exchange{messages: slices.Clone(messages)}
}

// Messages returns the messages so far, in their order. The slice is the caller's.
func (e *Exchange) Messages() []llms.ChatMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

// addResult adds the result of a tool call if the call is in the exchange, and reports
// whether it is. A result with an id replaces an earlier one for the same call.
func (e *Exchange) addResult(result llms.ChatMessage) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.messages) == 0 || !hasCall(e.messages[0], result) {
		return false
	}
	id := callID(result)
	earlier := slices.IndexFunc(e.messages, func(m llms.ChatMessage) bool { return id != "" && callID(m) == id })
	if earlier >= 0 {
		e.messages[earlier] = result
	} else {
		e.messages = append(e.messages, result)
	}
	return true
}

// exchangesOf groups messages into exchanges.
func exchangesOf(messages []llms.ChatMessage) ([]*Exchange, error) {
	var exchanges []*Exchange
	for _, m := range messages {
		switch {
		case m == nil:
			return nil, ErrNoMessage
		case !isResult(m):
			exchanges = append(exchanges, NewExchange(m))
		case !addToExchange(m, exchanges):
			return nil, ErrNoToolCall
		}
	}
	return exchanges, nil
}

// addToExchange adds a result to the latest exchange that has its call, and reports
// whether there is one.
func addToExchange(result llms.ChatMessage, exchanges []*Exchange) bool {
	for _, e := range slices.Backward(exchanges) {
		if e.addResult(result) {
			return true
		}
	}
	return false
}

// isResult reports whether a message is the result of a tool call.
func isResult(m llms.ChatMessage) bool {
	return m.GetType() == llms.ChatMessageTypeTool || m.GetType() == llms.ChatMessageTypeFunction
}

// hasCall reports whether a message has the call of a result. A result without an
// id matches any call of its function; without a name too, it matches any call.
func hasCall(m, result llms.ChatMessage) bool {
	var ai llms.AIChatMessage
	switch m := m.(type) {
	case llms.AIChatMessage:
		ai = m
	case *llms.AIChatMessage:
		ai = *m
	default:
		return false
	}
	if id := callID(result); id != "" {
		return slices.ContainsFunc(ai.ToolCalls, func(c llms.ToolCall) bool { return c.ID == id })
	}
	named, _ := result.(llms.Named)
	isOf := func(f *llms.FunctionCall) bool {
		return f == nil || named == nil || named.GetName() == "" || named.GetName() == f.Name
	}
	return ai.FunctionCall != nil && isOf(ai.FunctionCall) ||
		slices.ContainsFunc(ai.ToolCalls, func(c llms.ToolCall) bool { return isOf(c.FunctionCall) })
}

// callID returns the id of the call whose result a message is, or "".
func callID(m llms.ChatMessage) string {
	if result, ok := m.(interface{ GetID() string }); ok {
		return result.GetID()
	}
	return ""
}
