package draft

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Hash is Record.Hash, also of one that stays apart from others. Messages do in any case.
func (w *Writer) Hash(r *longtermdriver.Record, apart bool) string {
	if apart && r.Type != sessiondriver.RecordMessage {
		return apartHash(r)
	}
	return longtermdriver.HashOf(r, w.AcrossSessions)
}

// apartHash is the hash of a record that is the same as no other: no HashOf begins so.
func apartHash(r *longtermdriver.Record) string {
	message := *r
	message.Type = sessiondriver.RecordMessage
	return "apart:" + longtermdriver.HashOf(&message, false)
}

// IsApart reports whether a record stays apart from others that are the same memory.
func IsApart(r *longtermdriver.Record) bool { return r.Hash == apartHash(r) }

// sameRecord reports whether two records are the same but for UpdatedAt and their uses.
func sameRecord(a, b *longtermdriver.Record) bool {
	return a.Text == b.Text && a.Hash == b.Hash && bytes.Equal(lasting(*a), lasting(*b))
}

// lasting is a record as JSON without what same passes over.
func lasting(r longtermdriver.Record) []byte {
	r.UpdatedAt, r.LastAccessed, r.AccessCount = time.Time{}, time.Time{}, 0
	data, _ := json.Marshal(&r) // Check did so
	return data
}

// originOf is Entry.Origin of a record that was merged with others: the hash of what was
// put under its id. So it is known when the same is put again, after a crash, say: what
// the others brought is not taken away from it then. Where they brought nothing it is
// empty, as that of a record that was never merged.
func originOf(own *longtermdriver.Entry, merged *longtermdriver.Record) string {
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
func repeats(r *longtermdriver.Record, old *longtermdriver.Entry) bool {
	return old.Origin != "" && old.Origin == putHash(r)
}

// putHash is the hash of what a record says, whenever it does.
func putHash(r *longtermdriver.Record) string {
	said := *r
	said.CreatedAt, said.PersistedAt, said.Hash = time.Time{}, time.Time{}, ""
	sum := sha256.Sum256(lasting(said))
	return hex.EncodeToString(sum[:])
}
