package service

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// strategies returns the names that the strategy of a session may have.
func strategies() []string {
	return []string{"discrete", "summary", "preferences", "custom", "entities"}
}

// check returns an Invalid with the mistakes of the view and those that more collects.
func (v *WriteView) check(more func(*checks)) error {
	var c checks
	c.optID(v.Namespace, "namespace")
	c.optID(v.UserID, "user_id")
	checkRange(&c, v.TTLSeconds, 1, MaxTTLSeconds, "ttl_seconds")
	more(&c)
	return c.invalid()
}

// session checks a session. It accepts blank messages, which are Bad and not Invalid.
func (c *checks) session(w *SessionWrite, now time.Time) {
	if w.Strategy != nil && w.Strategy.Name != "" {
		c.oneOf(w.Strategy.Name, strategies(), "long_term_memory_strategy", "strategy")
	}
	c.messages(w.Messages, now)
	c.memories(w.Memories, false)
	if w.Entities != nil {
		c.entities(*w.Entities)
	}
}

func (c *checks) messages(messages []session.Message, now time.Time) {
	latest := now.Add(Ahead)
	for i := range messages {
		if c.full() {
			return
		}
		m := &messages[i]
		c.in("messages", strconv.Itoa(i))
		c.filled(m.Role, "role")
		c.id(m.Role, "role")
		c.id(m.ID, "id")
		c.id(m.Name, "name")
		c.id(m.ToolCallID, "tool_call_id")
		if m.CreatedAt.After(latest) {
			c.add(Unfit, fmt.Sprintf("created_at cannot be more than 300 seconds in the future. Received: %s, Max allowed (with 300s tolerance): %s",
				m.CreatedAt.UTC().Format(time.RFC3339Nano), latest.UTC().Format(time.RFC3339)), nil)
		}
		for k, call := range m.ToolCalls {
			c.in("messages", strconv.Itoa(i), "tool_calls", strconv.Itoa(k))
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
		c.in("entities", strconv.Itoa(i))
		c.filled(entities[i].ID, "id")
		c.id(entities[i].ID, "id")
		if entities[i].Uses < 0 || entities[i].Repeats < 0 {
			c.add(Unfit, "uses and repeats cannot be negative", nil)
		}
	}
}

// Check returns the mistakes of p.
func (p *PromptRequest) Check() []Field {
	var c checks
	if p.Session != nil {
		c.in("session")
		c.filled(p.Session.SessionID, "session_id")
		c.id(p.Session.SessionID, "session_id")
		c.optID(p.Session.Namespace, "namespace")
		c.optID(p.Session.UserID, "user_id")
		checkRange(&c, &p.Session.Window, 0, math.MaxInt64, "context_window_max")
	}
	if p.Search != nil {
		c.in("long_term_search")
		c.search(p.Search)
	}
	return c.found
}
