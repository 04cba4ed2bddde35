package memory

import (
	"math"
	"strings"
	"unicode/utf8"
)

// cleanText makes s valid UTF-8 of at most MaxTextBytes.
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

// realName is name, or "" if it is only the placeholder of typ or of FallbackType.
func realName[T string | []byte](name, typ T) T {
	const n = len(placeholderPrefix)
	if len(name) > n && string(name[:n]) == placeholderPrefix &&
		(string(name[n:]) == string(typ) || string(name[n:]) == FallbackType) {
		return name[:0]
	}
	return name
}

// merge is what is known of an entity after another sighting of it. The newer
// one's values win and the older one's fill its gaps, also where all that the
// newer description says is a word ("ok") and the older one said more; but a
// sighting that is no record of the entity itself only fills the gaps of one
// that is. The older one's identity stays.
func merge(old, newer *facts) facts {
	first, second := newer, old
	if roles[old.role] == RoleRecord && roles[newer.role] != RoleRecord {
		first, second = old, newer
	}
	out := *first
	for i := textSlug; i < texts; i++ {
		fill(&out.text[i], second.text[i])
	}
	if string(out.text[textType]) == FallbackType {
		out.text[textType] = second.text[textType]
	}
	out.text[textName] = realName(first.text[textName], second.text[textType])
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

// increased is a count and one more, unless it would wrap.
func increased(n int) int {
	if n < math.MaxInt {
		n++
	}
	return n
}
