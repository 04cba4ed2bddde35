package finding

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// IsSecretID reports whether an identifier of a type is or holds a secret. The id of an access key
// is none where the type is that of access keys, nor is one that only has the check digit of a
// payment card where the type is not that of cards: 4539578763621486.
func IsSecretID(typ string, id []byte) bool {
	isCard := strings.Contains(typ, "card")
	return secret.Within(id) && (isCard || !secret.IsCardNumber(id)) && (typ != "access_key" || !secret.IsAccessKeyID(id))
}

// hideSecrets removes secrets from a sighting's texts other than the identifier. The path holds
// names of fields, which naming.Key has without secrets.
func (s *Sighting) hideSecrets() {
	for _, text := range s.labels() {
		if secret.HasLongWord(*text) {
			*text = secret.Redact(*text)
		}
	}
	if s.AliasCount > 0 && secret.Within(s.Aliases) {
		s.Aliases, s.AliasCount, s.Prefers = nil, 0, 0
	}
}
