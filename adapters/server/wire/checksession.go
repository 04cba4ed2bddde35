package wire

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// strategies are the names that Strategy.Strategy has.
func strategies() []string {
	return []string{"discrete", "summary", "preferences", "custom", "entities"}
}

// Check returns what is wrong, at the time now. Blank contents of messages are not looked
// for: they are mistakes of another kind.
func (b *SessionBody) Check(now time.Time) []FieldError {
	var c checks
	c.in("body")
	c.optID(b.Namespace, "namespace")
	c.optID(b.UserID, "user_id")
	c.within(b.TTLSeconds, 1, MaxTTLSeconds, "ttl_seconds")
	if s := b.Strategy; s != nil && s.Strategy != "" && !slices.Contains(strategies(), s.Strategy) {
		c.add(notOneOf(s.Strategy, strategies(), c.loc("long_term_memory_strategy", "strategy")))
	}
	c.messages(b.Messages, now)
	c.memories(b.Memories, false)
	if b.Entities != nil {
		c.entities(*b.Entities)
	}
	return c.found
}

// Check returns what is wrong, at the time now. Blank contents of messages are not looked
// for: they are mistakes of another kind.
func (a *Append) Check(now time.Time) []FieldError {
	var c checks
	c.messages(a.Messages, now)
	return c.found
}

func (c *checks) messages(messages []Message, now time.Time) {
	latest := now.Add(Ahead)
	for i := range messages {
		if c.full() {
			return
		}
		m := &messages[i]
		c.in("body", "messages", i)
		c.filled(m.Role, "role")
		c.id(m.ID, "id")
		c.id(m.Name, "name")
		c.id(m.ToolCallID, "tool_call_id")
		if at := m.CreatedAt; at != nil && at.After(latest) {
			c.add(valueError(fmt.Sprintf("created_at cannot be more than 300 seconds in the future. Received: %s, Max allowed (with 300s tolerance): %s",
				at.UTC().Format(time.RFC3339Nano), latest.UTC().Format(time.RFC3339)), nil, c.loc()...))
		}
		for k, call := range m.ToolCalls {
			c.in("body", "messages", i, "tool_calls", k)
			c.id(call.ID, "id")
			c.id(call.Name, "name")
		}
	}
}

func (c *checks) entities(entities []memory.Entity) {
	for i := range entities {
		if c.full() {
			return
		}
		c.in("body", "entities", i)
		c.filled(entities[i].ID, "id")
		if entities[i].Uses < 0 || entities[i].Repeats < 0 {
			c.add(valueError("uses and repeats cannot be negative", nil, c.loc()...))
		}
	}
}

// Check returns what is wrong.
func (r *RecordedCall) Check() []FieldError {
	var c checks
	c.in("body")
	c.id(r.ID, "id")
	c.filled(r.Name, "name")
	return c.found
}
