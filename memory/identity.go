package memory

// IdentityFunc maps the type and id of an entity to its identity. Two entities with
// equal identities are the same. An identity with an empty Type means that the id is
// unambiguous, whatever the type. The ID of the identity must not depend on the type,
// so that an entity is recognized when its type becomes known.
//
// typ is never empty: a missing type is passed as FallbackType. The function must be
// pure and safe for concurrent use. It does not change the id of the entity, so it may
// lower-case ids in order to compare them.
type IdentityFunc func(typ, id string) Ref

// minUniqueID is the length in bytes of the shortest id that is unambiguous if it is
// not a number.
const minUniqueID = 8

// DefaultIdentity identifies an entity by its id alone if the id is unambiguous. It
// uses type and id together if the id has fewer than 8 bytes or is a decimal number of
// any length, with or without a sign, because APIs number every table from 1. An empty
// type means FallbackType.
func DefaultIdentity(typ, id string) Ref {
	if len(id) >= minUniqueID && !isDecimal(id) {
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
