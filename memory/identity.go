package memory

// IdentityFunc maps the type and id of an entity to what identifies it. Two
// entities with equal results are the same. A result with an empty Type says
// that the id can only mean one thing, whatever the type; the ID of the result
// must not depend on the type, so that an entity is recognised when its type
// becomes known.
//
// typ is never empty: a missing one arrives as FallbackType. The function must
// be pure and safe for concurrent use. The entity keeps the id it came with: a
// function may compare ids in lower case without changing them.
type IdentityFunc func(typ, id string) Ref

// shortID is the length in bytes from which an id that is not a number is
// taken to mean only one thing.
const shortID = 8

// DefaultIdentity is the id alone where it can only mean one thing, and type
// and id together where the id is short (under 8 bytes) or a decimal number of
// any length with or without a sign, because APIs number every table from 1.
// An empty type means FallbackType.
func DefaultIdentity(typ, id string) Ref {
	if len(id) >= shortID && !isDecimal(id) {
		return Ref{ID: id}
	}
	if typ == "" {
		typ = FallbackType
	}
	return Ref{Type: typ, ID: id}
}

func isDecimal(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
