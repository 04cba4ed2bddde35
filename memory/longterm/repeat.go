package longterm

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// originOf is Entry.Origin of a record that was merged with others: the hash of what was
// put under its id. So it is known when the same is put again, after a crash, say: what
// the others brought is not taken away from it then. Where they brought nothing it is
// empty, as that of a record that was never merged.
func originOf(own *driver.Entry, merged *Record) string {
	if own.Origin != "" {
		return own.Origin
	}
	hash := putHash(&own.Record)
	if hash == putHash(merged) && own.Record.CreatedAt.Equal(merged.CreatedAt) {
		return ""
	}
	return hash
}

// repeats reports whether a record was put before, and merged with others since.
func repeats(r *Record, old *driver.Entry) bool {
	return old.Origin != "" && old.Origin == putHash(r)
}

// putHash is the hash of what a record says, whenever it does.
func putHash(r *Record) string {
	said := *r
	said.CreatedAt, said.PersistedAt, said.Hash = time.Time{}, time.Time{}, ""
	sum := sha256.Sum256(lasting(said))
	return hex.EncodeToString(sum[:])
}
