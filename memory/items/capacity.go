package items

import (
	"context"
	"fmt"
	"strings"
)

// CapacityInfo describes the contents and the limits of a store.
type CapacityInfo struct {
	Items     int
	Tokens    int
	MaxItems  int
	MaxTokens int
	// FreeItems and FreeTokens can be added before an item is evicted.
	FreeItems  int
	FreeTokens int
	// Policy describes the order of eviction in English.
	Policy string
	// ByClass is the number of items of each class. It has an entry for every class.
	ByClass map[EvictionClass]int
}

// Capacity returns the contents and the limits of the store.
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
		Policy:    s.policy.describe(),
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

// describe returns a description of the policy in English.
func (p *itemPolicy) describe() string {
	order := []string{"deleted items"}
	if ttl := p.describeTTL(); ttl != "" {
		order = append(order, "items older than "+ttl)
	}
	if p.LowImportance > 0 {
		order = append(order, fmt.Sprintf("items of importance below %v", p.LowImportance))
	}
	order = append(order, fmt.Sprintf("items of importance below %v", p.HighImportance))
	if !p.KeepProtected {
		order = append(order, "all other items")
	}
	text := "When room is needed, items are evicted in this order: " + strings.Join(order, ", ") + "."
	if p.KeepProtected {
		text += " No other items are evicted."
	}
	if p.RecencyWindow > 0 {
		text += fmt.Sprintf(" Within a group, items of the last %d steps are evicted last.", p.RecencyWindow)
	}
	return text + " Otherwise the oldest item is evicted first."
}

// describeTTL describes when items expire. It returns "" if they do not.
func (p *itemPolicy) describeTTL() string {
	var ttls []string
	if p.StepTTL >= 0 {
		ttls = append(ttls, fmt.Sprintf("%d steps", p.StepTTL))
	}
	if p.WallTTL >= 0 {
		ttls = append(ttls, p.WallTTL.String())
	}
	return strings.Join(ttls, " or ")
}
