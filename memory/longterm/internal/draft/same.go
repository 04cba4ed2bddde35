package draft

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Hash is Record.Hash, also of one that stays apart from others. Messages do in any case.
func (w *Writer) Hash(r *driver.Record, apart bool) string {
	if apart && r.Type != session.MemoryMessage {
		return apartHash(r)
	}
	return driver.HashOf(r, w.AcrossSessions)
}

// apartHash is the hash of a record that is the same as no other: no HashOf begins so.
func apartHash(r *driver.Record) string {
	message := *r
	message.Type = session.MemoryMessage
	return "apart:" + driver.HashOf(&message, false)
}

// IsApart reports whether a record stays apart from others that are the same memory.
func IsApart(r *driver.Record) bool { return r.Hash == apartHash(r) }

// same reports whether two records are the same but for UpdatedAt and their uses.
func same(a, b *driver.Record) bool {
	return a.Text == b.Text && a.Hash == b.Hash && bytes.Equal(lasting(*a), lasting(*b))
}

// lasting is a record as JSON without what same passes over.
func lasting(r driver.Record) []byte {
	r.UpdatedAt, r.LastAccessed, r.AccessCount = time.Time{}, time.Time{}, 0
	data, _ := json.Marshal(&r) // Check did so
	return data
}

// originOf is Entry.Origin of a record that was merged with others: the hash of what was
// put under its id. So it is known when the same is put again, after a crash, say: what
// the others brought is not taken away from it then. Where they brought nothing it is
// empty, as that of a record that was never merged.
func originOf(own *driver.Entry, merged *driver.Record) string {
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
func repeats(r *driver.Record, old *driver.Entry) bool {
	return old.Origin != "" && old.Origin == putHash(r)
}

// putHash is the hash of what a record says, whenever it does.
func putHash(r *driver.Record) string {
	said := *r
	said.CreatedAt, said.PersistedAt, said.Hash = time.Time{}, time.Time{}, ""
	sum := sha256.Sum256(lasting(said))
	return hex.EncodeToString(sum[:])
}
