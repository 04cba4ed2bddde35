package wire

import (
	"fmt"
	"math"
	"slices"
)

// types are the types of memories, as agent-memory-server lists them.
func types() []string { return []string{"episodic", "semantic", "message"} }

// Check returns what is wrong.
func (b *MemoryBody) Check() []FieldError {
	var c checks
	c.memories(b.Memories, true)
	return c.found
}

// emptyField says that a memory has an empty id or text.
func emptyField(index int, field string) FieldError {
	return valueError(fmt.Sprintf("Memory at index %d has empty %s", index, field), nil, "body")
}

// memories checks memories, which must have ids if they are to go into long-term memory at
// once. An id that is empty, not missing, is found where it is read.
func (c *checks) memories(memories []Memory, named bool) {
	for i := range memories {
		if c.full() {
			return
		}
		m, loc := &memories[i], []any{"body", "memories", i}
		if named && m.ID == "" {
			c.add(emptyField(i, "id"))
		}
		if m.Text == "" {
			c.add(emptyField(i, "text"))
		}
		c.id(m.ID, join(loc, "id")...)
		c.length(m.Text, MaxTextBytes, join(loc, "text")...)
		c.oneOf(m.Type, types(), join(loc, "memory_type")...)
		c.tags(m.Topics, "topics", join(loc, "topics")...)
		c.tags(m.Entities, "entities", join(loc, "entities")...)
		c.tags(m.ExtractedFrom, "extracted_from", join(loc, "extracted_from")...)
		c.optID(m.Namespace, join(loc, "namespace")...)
		c.optID(m.UserID, join(loc, "user_id")...)
		c.optID(m.SessionID, join(loc, "session_id")...)
		c.id(m.ExtractionStrategy, join(loc, "extraction_strategy")...)
		c.within(&m.AccessCount, 0, math.MaxInt64, join(loc, "access_count")...)
	}
}

// Check returns what is wrong.
func (p *MemoryPatch) Check() []FieldError {
	var c checks
	if p.Text != nil {
		if *p.Text == "" {
			c.add(Field("string_too_short", "String should have at least 1 character", "", "body", "text"))
		}
		c.length(*p.Text, MaxTextBytes, "body", "text")
	}
	if p.Type != nil && !slices.Contains(types(), *p.Type) {
		c.add(Field("enum", "Input should be "+choice(types()), *p.Type, "body", "memory_type"))
	}
	if p.Topics != nil {
		c.tags(*p.Topics, "topics", "body", "topics")
	}
	if p.Entities != nil {
		c.tags(*p.Entities, "entities", "body", "entities")
	}
	c.optID(p.Namespace, "body", "namespace")
	c.optID(p.UserID, "body", "user_id")
	c.optID(p.SessionID, "body", "session_id")
	return c.found
}

// Check returns what is wrong.
func (f *Forget) Check() []FieldError {
	var c checks
	if f.Policy == nil {
		c.add(Field("missing", "Field required", nil, "body", "policy"))
		return c.found
	}
	loc := []any{"body", "policy"}
	c.between(f.Policy.MaxAgeDays, 0, math.MaxFloat64, join(loc, "max_age_days")...)
	c.between(f.Policy.MaxInactiveDays, 0, math.MaxFloat64, join(loc, "max_inactive_days")...)
	c.between(f.Policy.HardAgeMultiplier, 0, math.MaxFloat64, join(loc, "hard_age_multiplier")...)
	c.within(f.Policy.Budget, 0, math.MaxInt64, join(loc, "budget")...)
	if f.Policy.Types != nil {
		for i, one := range *f.Policy.Types {
			if !slices.Contains(types(), one) {
				c.add(Field("enum", "Input should be "+choice(types()), one, join(loc, "memory_type_allowlist", i)...))
			}
		}
	}
	return c.found
}
