package finding

import "github.com/go-workingmemory/workingmemory/internal/secret"

// IsSecret reports whether a value of a type is or holds a secret. The id of an access key is
// an identifier where the type is that of access keys.
func IsSecret(typ string, text []byte) bool {
	return secret.Within(text) && (typ != "access_key" || !secret.IsAccessKeyID(text))
}

// hideSecrets removes secrets from a sighting's texts other than the identifier. The path holds
// names of fields, which naming.Key has without secrets.
func (s *Sighting) hideSecrets() {
	for _, text := range [...]*[]byte{&s.Name, &s.Slug, &s.Description} {
		if secret.HasLongWord(*text) {
			*text = secret.Redact(*text)
		}
	}
	if s.AliasCount > 0 && secret.Within(s.Aliases) {
		s.Aliases, s.AliasCount, s.Prefers = nil, 0, 0
	}
}
