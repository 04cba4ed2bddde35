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
	c.optID(b.Namespace, "body", "namespace")
	c.optID(b.UserID, "body", "user_id")
	c.within(b.TTLSeconds, 1, MaxTTLSeconds, "body", "ttl_seconds")
	if b.Strategy != nil {
		c.oneOf(b.Strategy.Strategy, strategies(), "body", "long_term_memory_strategy", "strategy")
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
		m, loc := &messages[i], []any{"body", "messages", i}
		c.name(m.Role, join(loc, "role")...)
		c.id(m.ID, join(loc, "id")...)
		c.id(m.Name, join(loc, "name")...)
		c.id(m.ToolCallID, join(loc, "tool_call_id")...)
		for k, call := range m.ToolCalls {
			c.id(call.ID, join(loc, "tool_calls", k, "id")...)
			c.id(call.Name, join(loc, "tool_calls", k, "name")...)
		}
		if at := m.CreatedAt; at != nil && at.After(latest) {
			c.add(valueError(fmt.Sprintf("created_at cannot be more than 300 seconds in the future. Received: %s, Max allowed (with 300s tolerance): %s",
				at.UTC().Format(time.RFC3339Nano), latest.UTC().Format(time.RFC3339)), nil, loc...))
		}
	}
}

// join adds to a place what leads further.
func join(loc []any, further ...any) []any { return slices.Concat(loc, further) }

func (c *checks) entities(entities []memory.Entity) {
	for i := range entities {
		if c.full() {
			return
		}
		c.name(entities[i].ID, "body", "entities", i, "id")
		if entities[i].Uses < 0 || entities[i].Repeats < 0 {
			c.add(valueError("uses and repeats cannot be negative", nil, "body", "entities", i))
		}
	}
}

// Check returns what is wrong.
func (r *RecordedCall) Check() []FieldError {
	var c checks
	c.id(r.ID, "body", "id")
	c.name(r.Name, "body", "name")
	return c.found
}
