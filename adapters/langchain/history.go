package langchain

import (
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// validHistory returns a session's messages as providers accept them: results follow
// their call, and results without a call and calls without a result are omitted. If
// awaited, the calls of the last message are kept.
func validHistory(stored []session.Message, awaited bool) []llms.ChatMessage {
	var exchanges []*Exchange
	for i := range stored {
		m := fromStored(&stored[i])
		if isResult(m) {
			addToExchange(m, exchanges)
			continue
		}
		exchanges = append(exchanges, NewExchange(m))
	}
	var messages []llms.ChatMessage
	for i, e := range exchanges {
		if awaited && i == len(exchanges)-1 {
			messages = append(messages, e.messages...)
		} else {
			messages = append(messages, answered(e.messages)...)
		}
	}
	return messages
}

// answered returns the messages of an exchange without calls that have no result.
func answered(messages []llms.ChatMessage) []llms.ChatMessage {
	ai, ok := messages[0].(llms.AIChatMessage)
	if !ok || ai.FunctionCall == nil && len(ai.ToolCalls) == 0 {
		return messages
	}
	results := messages[1:]
	if len(results) == 0 {
		ai.FunctionCall = nil
	}
	ai.ToolCalls = slices.DeleteFunc(ai.ToolCalls, func(call llms.ToolCall) bool {
		return !slices.ContainsFunc(results, func(result llms.ChatMessage) bool {
			id := callID(result)
			return id == call.ID || id == ""
		})
	})
	if len(ai.ToolCalls) == 0 {
		ai.ToolCalls = nil
	}
	if ai.Content == "" && ai.FunctionCall == nil && ai.ToolCalls == nil {
		return results
	}
	return append([]llms.ChatMessage{ai}, results...)
}

// replaceMessages returns the messages after, in which the messages of before at the
// beginning and at the end keep their ids and times if they are unchanged.
func replaceMessages(before, after []session.Message) []session.Message {
	begin := 0
	for begin < min(len(before), len(after)) && sameMessage(&before[begin], &after[begin]) {
		after[begin] = before[begin]
		begin++
	}
	for i, j := len(before)-1, len(after)-1; i >= begin && j >= begin && sameMessage(&before[i], &after[j]); i, j = i-1, j-1 {
		after[j] = before[i]
	}
	return after
}

// sameMessage compares the fields of messages that langchaingo has.
func sameMessage(a, b *session.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.Name == b.Name && a.Reasoning == b.Reasoning &&
		a.ToolCallID == b.ToolCallID && slices.Equal(a.ToolCalls, b.ToolCalls)
}
