package service

import (
	"fmt"
	"math"
	"strconv"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// MemoryTypes returns the types of memories, in the order of agent-memory-server.
func MemoryTypes() []string {
	return []string{string(session.RecordEpisodic), string(session.RecordSemantic), string(session.RecordMessage)}
}

// memories checks memories. If named, each must have an id.
func (c *checks) memories(memories []session.Record, named bool) {
	for i := range memories {
		if c.full() {
			return
		}
		m := &memories[i]
		c.in()
		if named && m.ID == "" {
			c.add(Unfit, fmt.Sprintf("Memory at index %d has empty id", i), nil)
		}
		if m.Text == "" {
			c.add(Unfit, fmt.Sprintf("Memory at index %d has empty text", i), nil)
		}
		c.in("memories", strconv.Itoa(i))
		c.id(m.ID, "id")
		c.length(m.Text, MaxTextBytes, "text")
		if m.Type != "" {
			c.oneOf(string(m.Type), MemoryTypes(), "memory_type")
		}
		c.tags(m.Topics, "topics")
		c.tags(m.Entities, "entities")
		c.tags(m.ExtractedFrom, "extracted_from")
		c.id(m.Namespace, "namespace")
		c.id(m.UserID, "user_id")
		c.id(m.SessionID, "session_id")
		c.id(m.ExtractionStrategy, "extraction_strategy")
		checkRange(c, new(int64(m.AccessCount)), 0, math.MaxInt64, "access_count")
	}
}

func (p *MemoryPatch) check() error {
	var c checks
	if p.Text != nil {
		c.filled(*p.Text, "text")
		c.length(*p.Text, MaxTextBytes, "text")
	}
	if p.Type != nil {
		c.oneOf(*p.Type, MemoryTypes(), "memory_type")
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
	return c.invalid()
}

func (f *Forget) check() error {
	var c checks
	c.in("policy")
	checkRange(&c, f.MaxAgeDays, 0, math.MaxFloat64, "max_age_days")
	checkRange(&c, f.MaxInactiveDays, 0, math.MaxFloat64, "max_inactive_days")
	checkRange(&c, f.HardAgeMultiplier, 1, math.MaxFloat64, "hard_age_multiplier")
	checkRange(&c, f.Budget, 0, math.MaxInt64, "budget")
	if f.Types != nil {
		for i, one := range *f.Types {
			c.oneOf(one, MemoryTypes(), "memory_type_allowlist", strconv.Itoa(i))
		}
	}
	c.in()
	c.atMost(len(f.PinnedIDs), MaxIDs, "pinned_ids")
	return c.invalid()
}

// Check returns the mistakes of s, apart from its filter, which SearchMemories checks.
func (s *Search) Check() []Field {
	var c checks
	c.search(s)
	return c.found
}

func (c *checks) search(s *Search) {
	c.length(s.Text, MaxTextBytes, "text")
	if s.Mode != nil {
		c.oneOf(*s.Mode, []string{"semantic", "keyword", "hybrid"}, "search_mode")
	}
	checkRange(c, s.HybridAlpha, 0, 1, "hybrid_alpha")
	checkRange(c, s.Distance, 0, math.MaxFloat64, "distance_threshold")
	checkRange(c, s.Limit, 1, MaxPage, "limit")
	checkRange(c, s.Offset, 0, math.MaxInt32, "offset")
	checkRange(c, s.Semantic, 0, math.MaxFloat64, "recency_semantic_weight")
	checkRange(c, s.Recency, 0, math.MaxFloat64, "recency_recency_weight")
	checkRange(c, s.Freshness, 0, math.MaxFloat64, "recency_freshness_weight")
	checkRange(c, s.Novelty, 0, math.MaxFloat64, "recency_novelty_weight")
}
