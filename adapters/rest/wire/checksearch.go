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
		loc := []any{"body", "session"}
		c.name(p.Session.SessionID, join(loc, "session_id")...)
		c.optID(p.Session.Namespace, join(loc, "namespace")...)
		c.optID(p.Session.UserID, join(loc, "user_id")...)
		c.within(p.Session.ContextWindowMax, 0, math.MaxInt64, join(loc, "context_window_max")...)
	}
	if p.LongTerm != nil && p.LongTerm.Search != nil {
		c.search(p.LongTerm.Search, "body", "long_term_search")
	}
	return c.found
}

func (c *checks) search(s *Search, loc ...any) {
	if s.Text != nil {
		c.length(*s.Text, MaxTextBytes, join(loc, "text")...)
	}
	if modes := []string{"semantic", "keyword", "hybrid"}; s.Mode != nil && !slices.Contains(modes, *s.Mode) {
		c.add(Field("enum", "Input should be "+choice(modes), *s.Mode, join(loc, "search_mode")...))
	}
	c.between(s.HybridAlpha, 0, 1, join(loc, "hybrid_alpha")...)
	c.between(s.Distance, 0, math.MaxFloat64, join(loc, "distance_threshold")...)
	c.within(s.Limit, 1, 100, join(loc, "limit")...)
	c.within(s.Offset, 0, math.MaxInt32, join(loc, "offset")...)
	for _, w := range []struct {
		name   string
		weight *Float
	}{
		{"recency_semantic_weight", s.Semantic}, {"recency_recency_weight", s.Recency},
		{"recency_freshness_weight", s.Freshness}, {"recency_novelty_weight", s.Novelty},
	} {
		c.between(w.weight, 0, math.MaxFloat64, join(loc, w.name)...)
	}
	for _, f := range []struct {
		name   string
		filter *TextFilter
	}{
		{"session_id", s.SessionID}, {"namespace", s.Namespace}, {"user_id", s.UserID}, {"topics", s.Topics},
		{"entities", s.Entities}, {"memory_type", s.Type}, {"extraction_strategy", s.Strategy},
	} {
		if f.filter != nil {
			c.textFilter(f.filter, f.name == "memory_type", join(loc, f.name)...)
		}
	}
	c.timeFilter(s.CreatedAt, join(loc, "created_at")...)
	c.timeFilter(s.LastAccessed, join(loc, "last_accessed")...)
	c.timeFilter(s.EventDate, join(loc, "event_date")...)
}

// textFilter checks a filter; that of a type of memories may name only those there are.
func (c *checks) textFilter(f *TextFilter, ofTypes bool, loc ...any) {
	c.twice(f, loc...)
	eq, ne, some, all := f.Eq != nil, f.Ne != nil || f.NotEq != nil, f.Any != nil || f.In != nil, f.All != nil
	c.apart(eq && ne, "eq and ne", loc...)
	c.apart(some && all, "any and all", loc...)
	if f.StartsWith != nil {
		c.apart(eq, "startswith and eq", loc...)
		c.apart(ne, "startswith and ne", loc...)
		c.apart(some, "startswith and any", loc...)
		c.apart(all, "startswith and all", loc...)
		if *f.StartsWith == "" {
			c.add(valueError("startswith cannot be an empty string", nil, loc...))
		}
	}
	for _, one := range []named[*string]{{"eq", f.Eq}, {"ne", f.Ne}, {"not_eq", f.NotEq}} {
		if ofTypes && one.value != nil {
			c.ofTypes(one.name, []string{*one.value}, loc...)
		}
	}
	for _, list := range []named[*[]string]{{"any", f.Any}, {"in_", f.In}, {"all", f.All}, {"none", f.None}, {"not_in", f.NotIn}} {
		if list.value == nil {
			continue
		}
		if len(*list.value) == 0 {
			c.add(valueError(list.name+" cannot be an empty list", nil, loc...))
		}
		if ofTypes {
			c.ofTypes(list.name, *list.value, loc...)
		}
	}
}

type named[T any] struct {
	name  string
	value T
}

// twice finds conditions that are given by both of their names, and differ.
func (c *checks) twice(f *TextFilter, loc ...any) {
	lists := func(a, b *[]string) bool { return a != nil && b != nil && !slices.Equal(*a, *b) }
	c.apart(lists(f.Any, f.In), "any and in_", loc...)
	c.apart(lists(f.None, f.NotIn), "none and not_in", loc...)
	c.apart(f.Ne != nil && f.NotEq != nil && *f.Ne != *f.NotEq, "ne and not_eq", loc...)
}

// apart notes that two conditions are given that exclude each other.
func (c *checks) apart(both bool, which string, loc ...any) {
	if both {
		c.add(valueError(which+" cannot both be set", nil, loc...))
	}
}

// ofTypes finds what is no type of memories.
func (c *checks) ofTypes(name string, values []string, loc ...any) {
	for _, value := range values {
		if !slices.Contains(types(), value) {
			c.add(valueError(fmt.Sprintf("%s value '%s' not in valid enum values: ['%s']", name, short(value), strings.Join(types(), "', '")), nil, loc...))
			return
		}
	}
}

func (c *checks) timeFilter(f *TimeFilter, loc ...any) {
	if f == nil || f.Between == nil {
		return
	}
	if len(*f.Between) != 2 {
		c.add(valueError("between must be a list of two datetimes", nil, loc...))
	}
	for _, one := range []named[*Time]{{"eq", f.Eq}, {"ne", f.Ne}, {"gt", f.Gt}, {"lt", f.Lt}, {"gte", f.Gte}, {"lte", f.Lte}} {
		c.apart(one.value != nil, "between and "+one.name, loc...)
	}
}
