package memory

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"
)

// cleanText returns s as valid UTF-8 of at most MaxTextBytes.
func cleanText(s string) string {
	const ellipsis = "…"
	if s == "" {
		return ""
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) <= MaxTextBytes {
		return s
	}
	cut := MaxTextBytes - len(ellipsis)
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + ellipsis
}

// realName returns name, or "" if name is the placeholder of typ or of FallbackType.
func realName[T string | []byte](name, typ T) T {
	const n = len(placeholderPrefix)
	if len(name) > n && string(name[:n]) == placeholderPrefix &&
		(string(name[n:]) == string(typ) || string(name[n:]) == FallbackType) {
		return name[:0]
	}
	return name
}

// merge combines what is known of an entity with another sighting of it. Values of the
// newer one win, and the older one fills its gaps. A much longer older description also
// wins over a word such as "ok". A sighting that is not the entity's own record only
// fills the gaps of one that is. The identity of the older one is kept.
func merge(old, newer *facts) facts {
	first, second := newer, old
	if roles[old.role] == RoleRecord && roles[newer.role] != RoleRecord {
		first, second = old, newer
	}
	out := *first
	for i := textSlug; i < texts; i++ {
		fill(&out.text[i], second.text[i])
	}
	out.text[textAliases] = united(old, newer)
	if !old.sameID(newer) { // found by an alias
		out.text[textID], out.packed = old.text[textID], old.packed
	}
	if string(out.text[textType]) == FallbackType {
		out.text[textType] = second.text[textType]
	}
	out.text[textName] = realName(first.text[textName], second.text[textType])
	if !first.packed && bytes.Equal(out.text[textName], first.text[textID]) { // a name that says nothing
		out.text[textName] = nil
		fill(&out.text[textName], realName(second.text[textName], first.text[textType]))
		fill(&out.text[textName], first.text[textName])
	}
	fill(&out.text[textName], realName(second.text[textName], first.text[textType]))
	if len(out.text[textDescription]) < len(old.text[textDescription])/2 {
		out.text[textDescription] = old.text[textDescription]
	}
	out.stamp = newer.stamp
	out.uses = max(old.uses, newer.uses)
	out.repeats = increased(max(old.repeats, newer.repeats))
	out.identity, out.fresh = old.identity, old.fresh
	return out
}

func fill(known *[]byte, other []byte) {
	if len(*known) == 0 {
		*known = other
	}
}

// increased returns n+1, or n if that would overflow.
func increased(n int) int {
	if n < math.MaxInt {
		n++
	}
	return n
}
