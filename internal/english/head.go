package english

// SameNoun reports whether two types, words joined by "_", name the same kind of thing:
// order and purchase_order, pull_request and request.
func SameNoun[T ~string | ~[]byte](a, b T) bool { return IsHead(a, b) || IsHead(b, a) }

// IsHead reports whether a noun is a type or its last words: cycle of review_cycle.
func IsHead[T ~string | ~[]byte](noun, of T) bool {
	at := len(of) - len(noun)
	return at >= 0 && string(of[at:]) == string(noun) && (at == 0 || of[at-1] == '_')
}
