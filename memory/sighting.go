package memory

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// sighting is an entity as it enters: checked, cleaned and identified.
type sighting struct {
	ref    Ref
	entity Entity
}

// sight checks and cleans an entity. Errors: ErrNoID, ErrTooLong, ErrInvalidID.
func (o *ContextOptions) sight(e Entity, now time.Time) (sighting, error) {
	if e.Type == "" {
		e.Type = FallbackType
	}
	switch {
	case e.ID == "":
		return sighting{}, ErrNoID
	case len(e.ID) > MaxIDBytes || len(e.Type) > MaxTypeBytes:
		return sighting{}, ErrTooLong
	case !utf8.ValidString(e.ID) || !utf8.ValidString(e.Type):
		return sighting{}, ErrInvalidID
	}
	e.Name = realName(cleanText(e.Name), e.Type)
	e.Slug = cleanText(e.Slug)
	e.Description = cleanText(e.Description)
	e.Tool = cleanText(e.Tool)
	e.Path = cleanText(e.Path)
	e.Timestamp = cleanTime(e.Timestamp, now)
	e.Uses, e.Repeats = max(e.Uses, 0), max(e.Repeats, 0)
	if e.Role != RoleReference && e.Role != RoleAlias {
		e.Role = RoleRecord
	}
	return sighting{ref: o.identify(e.Type, e.ID), entity: e}, nil
}

// cleanText makes s valid UTF-8 of at most MaxTextBytes.
func cleanText(s string) string {
	const ellipsis = "…"
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= MaxTextBytes {
		return s
	}
	cut := MaxTextBytes - len(ellipsis)
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + ellipsis
}

// cleanTime returns t in UTC, without a monotonic reading: two such times are
// the same instant exactly if they are ==, and JSON gives them back unchanged.
// A time that JSON cannot express counts as unset.
func cleanTime(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return now
	}
	return t
}

// realName is name, or "" if it is only the placeholder of typ or of FallbackType.
func realName(name, typ string) string {
	if label, ok := strings.CutPrefix(name, placeholderPrefix); ok && (label == typ || label == FallbackType) {
		return ""
	}
	return name
}

// merge is what is known of an entity after another sighting of it. The newer
// one's values win and the older one's fill its gaps, also where all that the
// newer description says is a word ("ok") and the older one said more; but a sighting that is no
// record of the entity itself only fills the gaps of one that is.
func merge(old, newer Entity) Entity {
	first, second := newer, old
	if old.Role == RoleRecord && newer.Role != RoleRecord {
		first, second = old, newer
	}
	out := first
	if out.Type == FallbackType {
		out.Type = second.Type
	}
	out.Name = realName(first.Name, second.Type)
	if out.Name == "" {
		out.Name = realName(second.Name, first.Type)
	}
	fill(&out.Slug, second.Slug)
	fill(&out.Description, second.Description)
	if len(out.Description) < len(old.Description)/2 {
		out.Description = old.Description
	}
	fill(&out.Tool, second.Tool)
	fill(&out.Path, second.Path)
	out.Timestamp = newer.Timestamp
	out.Uses = max(old.Uses, newer.Uses)
	out.Repeats = increased(max(old.Repeats, newer.Repeats))
	return out
}

func fill(known *string, other string) {
	if *known == "" {
		*known = other
	}
}

// used is e after a tool call took its id as an argument.
func used(e Entity, now time.Time) Entity {
	e.Timestamp = now
	e.Uses = increased(e.Uses)
	return e
}

// increased is a count and one more, unless it would wrap.
func increased(n int) int {
	if n < math.MaxInt {
		n++
	}
	return n
}
