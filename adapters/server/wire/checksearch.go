package wire

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Check returns what is wrong.
func (s *Search) Check() []FieldError {
	var c checks
	c.search(s, "body")
	return c.found
}

// Check returns what is wrong.
func (p *PromptRequest) Check() []FieldError {
	var c checks
	if p.Session != nil {
		c.in("body", "session")
		c.filled(p.Session.SessionID, "session_id")
		c.optID(p.Session.Namespace, "namespace")
		c.optID(p.Session.UserID, "user_id")
		c.within(p.Session.ContextWindowMax, 0, math.MaxInt64, "context_window_max")
	}
	if p.LongTerm != nil && p.LongTerm.Search != nil {
		c.search(p.LongTerm.Search, "body", "long_term_search")
	}
	return c.found
}

// search checks a search at a place.
func (c *checks) search(s *Search, loc ...any) {
	c.in(loc...)
	if s.Text != nil {
		c.length(*s.Text, MaxTextBytes, "text")
	}
	if s.Mode != nil {
		c.oneOf(*s.Mode, []string{"semantic", "keyword", "hybrid"}, "search_mode")
	}
	c.between(s.HybridAlpha, 0, 1, "hybrid_alpha")
	c.between(s.Distance, 0, math.MaxFloat64, "distance_threshold")
	c.within(s.Limit, 1, MaxPage, "limit")
	c.within(s.Offset, 0, math.MaxInt32, "offset")
	for _, w := range []named[*Float]{
		{"recency_semantic_weight", s.Semantic}, {"recency_recency_weight", s.Recency},
		{"recency_freshness_weight", s.Freshness}, {"recency_novelty_weight", s.Novelty},
	} {
		c.between(w.value, 0, math.MaxFloat64, w.name)
	}
	for _, f := range []named[*TextFilter]{
		{"session_id", s.SessionID}, {"namespace", s.Namespace}, {"user_id", s.UserID}, {"topics", s.Topics},
		{"entities", s.Entities}, {"memory_type", s.Type}, {"extraction_strategy", s.Strategy},
	} {
		if f.value != nil {
			c.in(slices.Concat(loc, []any{f.name})...)
			c.textFilter(f.value, f.name == "memory_type")
		}
	}
	for _, f := range []named[*TimeFilter]{{"created_at", s.CreatedAt}, {"last_accessed", s.LastAccessed}, {"event_date", s.EventDate}} {
		if f.value != nil {
			c.in(slices.Concat(loc, []any{f.name})...)
			c.timeFilter(f.value)
		}
	}
}

// textFilter checks a filter; that of a type of memories may name only those there are.
func (c *checks) textFilter(f *TextFilter, ofTypes bool) {
	c.twice(f)
	eq, ne, some, all := f.Eq != nil, f.Ne != nil || f.NotEq != nil, f.Any != nil || f.In != nil, f.All != nil
	c.apart(eq && ne, "eq and ne")
	c.apart(some && all, "any and all")
	if f.StartsWith != nil && *f.StartsWith == "" {
		c.add(valueError("startswith cannot be an empty string", nil, c.loc()...))
	}
	for _, one := range []named[*string]{{"eq", f.Eq}, {"ne", f.Ne}, {"not_eq", f.NotEq}} {
		if ofTypes && one.value != nil {
			c.ofTypes(one.name, []string{*one.value})
		}
	}
	for _, list := range []named[*[]string]{{"any", f.Any}, {"in_", f.In}, {"all", f.All}, {"none", f.None}, {"not_in", f.NotIn}} {
		if list.value == nil {
			continue
		}
		if len(*list.value) == 0 {
			c.add(valueError(list.name+" cannot be an empty list", nil, c.loc()...))
		}
		if ofTypes {
			c.ofTypes(list.name, *list.value)
		}
	}
}

type named[T any] struct {
	name  string
	value T
}

// twice finds conditions that are given by both of their names, and differ.
func (c *checks) twice(f *TextFilter) {
	lists := func(a, b *[]string) bool { return a != nil && b != nil && !slices.Equal(*a, *b) }
	c.apart(lists(f.Any, f.In), "any and in_")
	c.apart(lists(f.None, f.NotIn), "none and not_in")
	c.apart(f.Ne != nil && f.NotEq != nil && *f.Ne != *f.NotEq, "ne and not_eq")
}

// apart notes that two conditions are given that exclude each other.
func (c *checks) apart(both bool, which string) {
	if both {
		c.add(valueError(which+" cannot both be set", nil, c.loc()...))
	}
}

// ofTypes finds what is no type of memories.
func (c *checks) ofTypes(name string, values []string) {
	for _, value := range values {
		if !slices.Contains(types(), value) {
			c.add(valueError(fmt.Sprintf("%s value '%s' not in valid enum values: ['%s']", name, short(value), strings.Join(types(), "', '")), nil, c.loc()...))
			return
		}
	}
}

func (c *checks) timeFilter(f *TimeFilter) {
	c.apart(f.Eq != nil && f.Ne != nil, "eq and ne")
	if f.Between != nil && len(*f.Between) != 2 {
		c.add(valueError("between must be a list of two datetimes", nil, c.loc()...))
	}
}
