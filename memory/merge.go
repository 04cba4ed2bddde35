package memory

import (
	"bytes"
	"math"
	"slices"
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

// merge combines what is known of an entity with another sighting of it. If asked is set,
// the call had the id among its arguments. A sighting that may not replace the name or the
// type leaves it alone, and whatever else the label is made of, and does not hold the entity.
// It only names a record that says nothing of itself. A running text names what has no name
// and replaces none of a record.
func merge(old, newer *facts, asked bool) facts {
	from, own := newer.claimOn(old, asked), old.origin()
	if own.place() == PlaceView && from.place() != PlaceView {
		own = from.origin // it outlives the view
	}
	typed, named := old.origins()
	mayType, mayJoin := from.mayReplace(&typed) && (from.untyped || !newer.endsOnly()), from.mayReplace(&named)
	mayName := mayJoin && !from.isTextOver(&named) || len(old.text[textName]) == 0 && len(old.text[textDescription]) == 0 && from.place() == PlaceRecord
	out := *old
	if mayType || mayJoin || mayName {
		out = combined(old, newer)
		if from.asked && len(from.tool) > 0 && from.isRecord() && len(newer.text[textDescription]) > 0 &&
			(bytes.Equal(out.text[textDescription], old.text[textDescription]) || !bytes.Contains(newer.text[textDescription], []byte(", "))) {
			out.text[textDescription] = withFacts(newer.text[textDescription], old.text[textDescription])
		}
	}
	if !mayName {
		for _, i := range [...]int{textName, textSlug, textDescription} {
			out.text[i] = old.text[i]
		}
		if mayJoin {
			fill(&out.text[textName], newer.text[textName])
		}
	}
	if !mayJoin {
		out.text[textAliases] = old.text[textAliases]
	} else if from.authority() != AuthorityNone && named.authority() == AuthorityNone {
		out.text[textAliases] = replacedAliases(old, newer)
	}
	if !mayType {
		out.text[textType] = old.text[textType]
	}
	if mayType && (!bytes.Equal(out.text[textType], old.text[textType]) || from.isStronger(&typed) && bytes.Equal(out.text[textType], newer.text[textType])) {
		typed = from.origin
	}
	if !bytes.Equal(out.text[textName], old.text[textName]) || mayName && from.isStronger(&named) && len(newer.text[textName]) > 0 {
		named = from.origin
	}
	out.marks, out.text[textTool], out.text[textSource] = own.marks, own.tool, own.source
	out.text[textPath] = old.text[textPath]
	out.text[textState] = old.text[textState]
	switch {
	case !mayJoin:
	case newer.active:
		out.text[textState] = nil
	case len(newer.text[textState]) > 0:
		out.text[textState] = newer.text[textState]
		out.text[textDescription] = withoutStates(out.text[textDescription])
	}
	settled := out.origin()
	out.text[textOrigins] = packOrigins(&settled, &typed, &named)
	out.stamp, out.held, out.made = newer.stamp, old.held || newer.held && mayJoin, old.made || newer.made && mayJoin
	out.uses = max(old.uses, newer.uses)
	out.repeats = increased(max(old.repeats, newer.repeats))
	out.identity, out.fresh = old.identity, old.fresh
	return out
}

// combined combines two sightings. Values of the newer one win, and the older one fills its
// gaps. A much longer older description also wins over a word such as "ok". A sighting that
// is not the entity's own record only fills the gaps of one that is.
func combined(old, newer *facts) facts {
	first, second := newer, old
	if roles[old.role] == RoleRecord && roles[newer.role] != RoleRecord {
		first, second = old, newer
	}
	out := *first
	for _, i := range [...]int{textSlug, textDescription} {
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
	if first.isID(out.text[textName]) { // a name that says nothing
		out.text[textName] = nil
		fill(&out.text[textName], realName(second.text[textName], first.text[textType]))
		fill(&out.text[textName], first.text[textName])
	}
	fill(&out.text[textName], realName(second.text[textName], first.text[textType]))
	if len(out.text[textDescription]) < len(old.text[textDescription])/2 {
		out.text[textDescription] = old.text[textDescription]
	}
	return out
}

// withFacts returns the facts of a short description that is newer, before those of the known
// one that it does not replace, because they are of another kind.
func withFacts(newer, known []byte) []byte {
	separator := []byte(", ")
	out := bytes.Clone(newer)
	for fact := range bytes.SplitSeq(known, separator) {
		replaced := false
		for fresh := range bytes.SplitSeq(newer, separator) {
			replaced = replaced || factKind(fresh) == factKind(fact)
		}
		if !replaced && len(fact) > 0 && len(out)+len(separator)+len(fact) <= MaxTextBytes {
			out = append(append(out, separator...), fact...)
		}
	}
	return out
}

// factKind returns what a fact has in common with its next value: the words before a figure, the
// first of several words, or that it is a state.
func factKind(fact []byte) string {
	if i := bytes.IndexAny(fact, "0123456789"); i >= 0 {
		return string(fact[:i]) + "0"
	}
	lower := bytes.ToLower(fact)
	if last := string(lower[bytes.LastIndexAny(lower, "_- ")+1:]); isState(last) || strings.HasSuffix(last, "ed") || strings.HasSuffix(last, "ing") {
		return "-"
	}
	first, _, _ := bytes.Cut(lower, []byte(" "))
	return string(first)
}

// isState reports whether a word, in lower case, is a state of things that have not ended.
func isState(word string) bool {
	switch word {
	case "active", "inactive", "open", "new", "draft", "paid", "unpaid", "sent", "done", "live", "on", "off", "hold", "online", "offline",
		"ready", "public", "private", "valid", "invalid", "progress", "review", "complete", "due", "low", "normal", "medium", "high", "urgent",
		"pending", "confirmed", "scheduled", "booked", "running", "approved", "accepted", "published", "enabled":
		return true
	}
	return false
}

// isSort reports whether a word of isState outlives the end of what it is about.
func isSort(word string) bool {
	switch word {
	case "low", "normal", "medium", "high", "urgent", "public", "private", "on", "off", "paid", "unpaid":
		return true
	}
	return false
}

// withoutStates returns the facts of a description that are no states.
func withoutStates(description []byte) []byte {
	separator := []byte(", ")
	facts := bytes.Split(description, separator)
	return bytes.Join(slices.DeleteFunc(facts, func(fact []byte) bool {
		return isState(string(bytes.ToLower(fact))) && !isSort(string(bytes.ToLower(fact)))
	}), separator)
}

// isID reports whether a name is the id.
func (f *facts) isID(name []byte) bool {
	if f.packed {
		return len(name) == uuidText && string(name) == f.idText()
	}
	return bytes.Equal(name, f.text[textID])
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
