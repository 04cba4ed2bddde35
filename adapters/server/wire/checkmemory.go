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
		m := &memories[i]
		c.in("body", "memories", i)
		if named && m.ID == "" {
			c.add(emptyField(i, "id"))
		}
		if m.Text == "" {
			c.add(emptyField(i, "text"))
		}
		c.id(m.ID, "id")
		c.length(m.Text, MaxTextBytes, "text")
		if m.Type != "" {
			c.oneOf(m.Type, types(), "memory_type")
		}
		c.tags(m.Topics, "topics")
		c.tags(m.Entities, "entities")
		c.tags(m.ExtractedFrom, "extracted_from")
		c.optID(m.Namespace, "namespace")
		c.optID(m.UserID, "user_id")
		c.optID(m.SessionID, "session_id")
		c.id(m.ExtractionStrategy, "extraction_strategy")
		c.within(&m.AccessCount, 0, math.MaxInt64, "access_count")
	}
}

// Check returns what is wrong.
func (p *MemoryPatch) Check() []FieldError {
	var c checks
	c.in("body")
	if p.Text != nil {
		if *p.Text == "" {
			c.add(Field("string_too_short", "String should have at least 1 character", "", "body", "text"))
		}
		c.length(*p.Text, MaxTextBytes, "text")
	}
	if p.Type != nil {
		c.oneOf(*p.Type, types(), "memory_type")
	}
	if p.Topics != nil {
		c.tags(*p.Topics, "topics")
	}
	if p.Entities != nil {
		c.tags(*p.Entities, "entities")
	}
	c.optID(p.Namespace, "namespace")
	c.optID(p.UserID, "user_id")
	c.optID(p.SessionID, "session_id")
	return c.found
}

// Check returns what is wrong.
func (f *Forget) Check() []FieldError {
	var c checks
	if f.Policy == nil {
		c.add(Field("missing", "Field required", nil, "body", "policy"))
		return c.found
	}
	c.in("body", "policy")
	c.between(f.Policy.MaxAgeDays, 0, math.MaxFloat64, "max_age_days")
	c.between(f.Policy.MaxInactiveDays, 0, math.MaxFloat64, "max_inactive_days")
	c.between(f.Policy.HardAgeMultiplier, 1, math.MaxFloat64, "hard_age_multiplier")
	c.within(f.Policy.Budget, 0, math.MaxInt64, "budget")
	if f.Policy.Types != nil {
		for i, one := range *f.Policy.Types {
			if !slices.Contains(types(), one) {
				c.add(notOneOf(one, types(), c.loc("memory_type_allowlist", i)))
			}
		}
	}
	return append(c.found, AtMost(len(f.PinnedIDs), MaxIDs, "body", "pinned_ids")...)
}
