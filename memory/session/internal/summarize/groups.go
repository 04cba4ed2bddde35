package summarize

import (
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// countLeaving returns how many of the oldest messages leave so that the longest run of the
// others has at most limit tokens. The last message stays in any case, and none is
// taken from what it belongs to: the messages from a tool call to the last of its
// results stay together, whatever stands between them. Where what belongs to the
// last message has more tokens than the limit, it stays, alone.
//
// A call that has no result yet is awaited: what stands behind it stays with it, up
// to the next message of the user or until that has more tokens than the window.
// Results whose calls are not there belong to nothing.
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

// cuts reports for each message whether those before it may leave without it.
func cuts(messages []driver.Message, window int) []bool {
	ends := spans(messages)
	awaitFrom := awaited(messages, ends, window)
	may := make([]bool, len(messages))
	reach := 0 // the last message that one before belongs to
	for i := range messages {
		may[i] = i == 0 || i > reach && i <= awaitFrom
		reach = max(reach, ends[i].last)
	}
	return may
}

// span is what belongs to a message.
type span struct {
	last    int // the last of its results, or itself
	pending int // how many of its calls have no result
}

// spans finds the results of each message's calls. A call and its results have the
// same id; of several calls with one id a result belongs to the latest. Calls
// without an id have one result each: the next that has no id, of the same name if
// both have one, before the user speaks again.
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

// openCall is a call whose results are looked for.
type openCall struct {
	by   int // the message that asks for it
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

// answerNameless gives a result to the first call that it may be of, and returns
// the other calls.
func answerNameless(of []span, open []*openCall, result int, name string) []*openCall {
	for i, c := range open {
		if c.name == name || c.name == "" || name == "" {
			c.answered(of, result)
			copy(open[1:], open[:i]) // mostly the first: then nothing moves
			return open[1:]
		}
	}
	return open
}

// awaited returns the first message with a call whose result may still come, the
// last message if there is none.
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
