package memory

import (
	"encoding/binary"
	"iter"
	"slices"
	"unicode/utf8"
)

// MaxAliases is the number of aliases of an entity that are kept, the first ones.
const MaxAliases = 4

// aliasList are the aliases of an entity in one text: a byte that counts them up to the
// preferred one, or 0, and each with its length before it. Without aliases it is empty.
type aliasList []byte

// packAliases returns the aliases of an entity that are valid identifiers, differ from
// each other and from the id, as an aliasList.
func packAliases(id string, aliases []string, preferred string) string {
	if len(aliases) == 0 {
		return ""
	}
	var kept []string
	for _, alias := range aliases {
		if alias != "" && len(alias) <= MaxIDBytes && utf8.ValidString(alias) && alias != id && !slices.Contains(kept, alias) && len(kept) < MaxAliases {
			kept = append(kept, alias)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	list := []byte{byte(slices.Index(kept, preferred) + 1)}
	for _, alias := range kept {
		list = append(binary.AppendUvarint(list, uint64(len(alias))), alias...)
	}
	return string(list)
}

// all iterates over the aliases.
func (l aliasList) all() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := []byte(l[min(1, len(l)):]); len(rest) > 0; {
			size, n := 0, 1
			if size = int(rest[0]); size >= 0x80 { // two bytes suffice for MaxIDBytes
				size, n = size&0x7f|int(rest[1])<<7, 2
			}
			if !yield(rest[n : n+size]) {
				return
			}
			rest = rest[n+size:]
		}
	}
}

// read returns the aliases and the preferred one.
func (l aliasList) read() (aliases []string, preferred string) {
	for alias := range l.all() {
		if aliases = append(aliases, string(alias)); len(aliases) == int(l[0]) {
			preferred = string(alias)
		}
	}
	return aliases, preferred
}

// index returns the position of an alias from 1, or 0.
func (l aliasList) index(of string) int {
	i := 0
	for alias := range l.all() {
		if i++; string(alias) == of {
			return i
		}
	}
	return 0
}

// united returns the aliases of an entity known under two lists and, if the ids differ,
// under both ids: the newer ones first. What tools took stays preferred.
func united(old, newer *facts) []byte {
	same := old.sameID(newer)
	first, second := aliasList(newer.text[textAliases]), aliasList(old.text[textAliases])
	switch {
	case same && len(first) == 0:
		return second
	case same && (len(second) == 0 && old.uses == 0 || string(first) == string(second)):
		return first
	}
	aliases, preferred := first.read()
	more, taken := second.read()
	if old.uses > 0 || preferred == "" {
		preferred = taken
	}
	if !same {
		aliases = append([]string{newer.idText()}, aliases...)
	}
	return []byte(packAliases(old.idText(), append(aliases, more...), preferred))
}

// replacedAliases is united without the aliases of a stranger's, but for one that a call took.
func replacedAliases(old, newer *facts) []byte {
	aliases, preferred := aliasList(newer.text[textAliases]).read()
	if !old.sameID(newer) {
		aliases = append([]string{newer.idText()}, aliases...)
	}
	if _, taken := aliasList(old.text[textAliases]).read(); taken != "" && old.uses > 0 {
		aliases, preferred = append([]string{taken}, aliases...), taken
	}
	return []byte(packAliases(old.idText(), aliases, preferred))
}

// sameID reports whether two sightings have the same id.
func (f *facts) sameID(other *facts) bool { return f.identity.sameID(&other.identity) }

// sameID reports whether two identities have the same id, of whatever types.
func (id *identity) sameID(other *identity) bool {
	return id.packed == other.packed && string(id.id) == string(other.id)
}

// idText returns the id as text.
func (f *facts) idText() string {
	if f.packed {
		return string(uuid(f.text[textID]).appendTo(nil))
	}
	return string(f.text[textID])
}

// text returns the id of an identity as text.
func (id *identity) text() string {
	if id.packed {
		return string(uuid(id.id).appendTo(nil))
	}
	return string(id.id)
}
