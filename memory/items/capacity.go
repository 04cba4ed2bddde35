package items

import (
	"context"
	"fmt"
	"strings"
)

// CapacityInfo is what a store holds, and how much it could.
type CapacityInfo struct {
	Items     int
	Tokens    int
	MaxItems  int
	MaxTokens int
	// FreeItems and FreeTokens are what can be added before an item leaves.
	FreeItems  int
	FreeTokens int
	// Policy says in words what leaves when room is needed.
	Policy string
	// ByClass is how many items there are of each class; it has all of them.
	ByClass map[EvictionClass]int
}

// Capacity returns what the store holds, and how much it could.
func (s *Store) Capacity(ctx context.Context) CapacityInfo {
	op := s.begin(ctx, opCapacity)
	info := s.capacity(op.now)
	op.record.Items, op.record.Tokens = info.Items, info.Tokens
	op.end(nil)
	return info
}

func (s *Store) capacity(now moment) CapacityInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(now)
	info := CapacityInfo{
		Items:     s.items.len(),
		Tokens:    s.items.tokens,
		MaxItems:  s.policy.MaxItems,
		MaxTokens: s.policy.MaxTokens,
		Policy:    s.policy.words(),
		ByClass:   make(map[EvictionClass]int, len(classes)),
	}
	info.FreeItems, info.FreeTokens = info.MaxItems-info.Items, info.MaxTokens-info.Tokens
	for _, c := range classes {
		info.ByClass[c] = 0
	}
	for _, it := range s.items.all() {
		info.ByClass[classes[s.policy.classify(it, s.items.now)]]++
	}
	return info
}

// words is the policy for a reader.
func (p *itemPolicy) words() string {
	order := []string{"those forgotten softly"}
	if ttl := p.ttlWords(); ttl != "" {
		order = append(order, "those older than "+ttl)
	}
	if p.LowImportance > 0 {
		order = append(order, fmt.Sprintf("those of an importance below %v", p.LowImportance))
	}
	order = append(order, fmt.Sprintf("those below %v", p.HighImportance))
	if !p.KeepProtected {
		order = append(order, "all others")
	}
	text := "When room is needed, items leave in this order: " + strings.Join(order, ", ") + "."
	if p.KeepProtected {
		text += " No other one leaves for a new item."
	}
	if p.RecencyWindow > 0 {
		text += fmt.Sprintf(" Of each group, those of the last %d steps leave last.", p.RecencyWindow)
	}
	return text + " Otherwise the oldest leaves first."
}

// ttlWords is when items expire, "" if they never do.
func (p *itemPolicy) ttlWords() string {
	var ttls []string
	if p.StepTTL >= 0 {
		ttls = append(ttls, fmt.Sprintf("%d steps", p.StepTTL))
	}
	if p.WallTTL >= 0 {
		ttls = append(ttls, p.WallTTL.String())
	}
	return strings.Join(ttls, " or ")
}
