package service

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// lastByTime returns the last n messages, sorted by time. The sort is stable.
func lastByTime(messages []session.Message, n int64) []session.Message {
	messages = slices.Clone(messages)
	slices.SortStableFunc(messages, func(a, b session.Message) int { return a.CreatedAt.Compare(b.CreatedAt) })
	if int64(len(messages)) <= n {
		return messages
	}
	return withoutOrphans(messages, len(messages)-int(n))
}

// lastWithin returns the last messages with so many tokens in all, at least one message. 0
// tokens means no limit.
func lastWithin(messages []session.Message, tokens int) []session.Message {
	if tokens <= 0 || len(messages) == 0 {
		return messages
	}
	begin := len(messages) - 1
	for sum := messages[begin].Tokens; begin > 0; begin-- {
		if sum += messages[begin-1].Tokens; sum > tokens {
			break
		}
	}
	return withoutOrphans(messages, begin)
}

// withoutOrphans returns the messages from begin on, without leading results of tool calls
// whose calls come before begin. If only results remain, it returns them.
func withoutOrphans(messages []session.Message, begin int) []session.Message {
	first := begin
	for begin > 0 && first < len(messages) && messages[first].IsResult() {
		first++
	}
	if first == len(messages) {
		first = begin
	}
	return messages[first:]
}
