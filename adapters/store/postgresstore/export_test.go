package postgresstore

// HashOf is sessions.key_hash of a key.
var HashOf = hashOf
