package service

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// recent returns the last n messages by their time, in its order; those of one time keep
// theirs.
func recent(messages []session.Message, n int64) []session.Message {
	messages = slices.Clone(messages)
	slices.SortStableFunc(messages, func(a, b session.Message) int { return a.CreatedAt.Compare(b.CreatedAt) })
	if int64(len(messages)) <= n {
		return messages
	}
	return withoutOrphans(messages, len(messages)-int(n))
}

// fitting returns the last messages that have so many tokens together, at least one; all
// for 0.
func fitting(messages []session.Message, tokens int) []session.Message {
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

// withoutOrphans returns the messages from an index on, but for results of tool calls at
// their beginning, whose calls are left out. Where nothing else is there they stay.
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
