package summarize

import (
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// countLeaving returns how many of the oldest messages leave so that the longest possible rest
// has at most limit tokens. The last message always stays, and groups are not split: the
// messages from a tool call to its last result stay together, with all between them. If the
// group of the last message exceeds the limit, it stays alone.
//
// A call without a result is awaited: the messages after it stay with it, up to the next
// message of the user or until they exceed the window. Results without a call belong to no
// group.
func countLeaving(messages []driver.Message, limit, window int) int {
	if len(messages) == 0 {
		return 0
	}
	mayCut := cuts(messages, window)
	tokens, last := 0, -1
	for i := len(messages) - 1; i >= 0; i-- {
		tokens += messages[i].Tokens
		if tokens > limit && last >= 0 {
			break
		}
		if mayCut[i] {
			last = i
		}
	}
	return last
}

// cuts reports for each message whether the messages before it may leave without it.
func cuts(messages []driver.Message, window int) []bool {
	ends := spans(messages)
	awaitFrom := awaited(messages, ends, window)
	may := make([]bool, len(messages))
	reach := 0 // the last message of the groups so far
	for i := range messages {
		may[i] = i == 0 || i > reach && i <= awaitFrom
		reach = max(reach, ends[i].last)
	}
	return may
}

// span is the group of a message.
type span struct {
	last    int // the index of its last result, or its own
	pending int // the number of calls without a result
}

// spans finds the results of each message's calls. A result belongs to the latest call with
// its id. A call without an id has one result: the next one without an id, of the same name
// if both have one, before the next message of the user.
func spans(messages []driver.Message) []span {
	of := make([]span, len(messages))
	calls := map[string]*openCall{}
	var nameless []*openCall
	for i := range messages {
		m := &messages[i]
		of[i].last = i
		switch {
		case m.IsResult() && m.ToolCallID != "":
			calls[m.ToolCallID].answered(of, i)
		case m.IsResult():
			nameless = answerNameless(of, nameless, i, m.Name)
		case m.Role == driver.RoleUser:
			nameless = nil
		}
		for _, c := range m.ToolCalls {
			of[i].pending++
			call := &openCall{by: i, name: c.Name}
			if c.ID != "" {
				calls[c.ID] = call
			} else {
				nameless = append(nameless, call)
			}
		}
	}
	return of
}

// openCall is a call that may have further results.
type openCall struct {
	by   int // the index of the message
	name string
	done bool
}

func (c *openCall) answered(of []span, result int) {
	if c == nil {
		return
	}
	of[c.by].last = result
	if !c.done {
		c.done = true
		of[c.by].pending--
	}
}

// answerNameless assigns a result to the first matching call, and returns the others.
func answerNameless(of []span, open []*openCall, result int, name string) []*openCall {
	for i, c := range open {
		if c.name == name || c.name == "" || name == "" {
			c.answered(of, result)
			copy(open[1:], open[:i]) // i is usually 0
			return open[1:]
		}
	}
	return open
}

// awaited returns the index of the first message with an awaited call, or of the last message.
func awaited(messages []driver.Message, of []span, window int) int {
	first, tokens := len(messages)-1, 0
	for i := len(messages) - 1; i >= 0; i-- {
		tokens += messages[i].Tokens
		if tokens > window || messages[i].Role == driver.RoleUser && !messages[i].IsResult() {
			break
		}
		if of[i].pending > 0 {
			first = i
		}
	}
	return first
}
