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

// Hash returns Record.Hash, or an apart hash for a record that must not merge. Messages never merge.
func (w *Writer) Hash(r *longtermdriver.Record, apart bool) string {
	if apart && r.Type != sessiondriver.RecordMessage {
		return apartHash(r)
	}
	return longtermdriver.HashOf(r, w.AcrossSessions)
}

// apartHash returns a hash that no other record has: no result of HashOf has its prefix.
func apartHash(r *longtermdriver.Record) string {
	message := *r
	message.Type = sessiondriver.RecordMessage
	return "apart:" + longtermdriver.HashOf(&message, false)
}

// IsApart reports whether a record was put apart from others that are the same memory.
func IsApart(r *longtermdriver.Record) bool { return r.Hash == apartHash(r) }

// sameRecord reports whether two records are equal except for UpdatedAt and their uses.
func sameRecord(a, b *longtermdriver.Record) bool {
	return a.Text == b.Text && a.Hash == b.Hash && bytes.Equal(stableJSON(*a), stableJSON(*b))
}

// stableJSON returns the JSON of a record without the fields that sameRecord ignores.
func stableJSON(r longtermdriver.Record) []byte {
	r.UpdatedAt, r.LastAccessed, r.AccessCount = time.Time{}, time.Time{}, 0
	data, _ := json.Marshal(&r) // CheckRecord has marshaled it before
	return data
}

// originOf returns Entry.Origin of a merged record: the hash of what was put under its id. When
// the same is put again, for example after a crash, the hash identifies the repetition, which
// must not undo what others contributed. It is empty if they contributed nothing.
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

// repeatsOrigin reports whether a record equals the one that was put before the entry merged.
func repeatsOrigin(r *longtermdriver.Record, old *longtermdriver.Entry) bool {
	return old.Origin != "" && old.Origin == putHash(r)
}

// putHash returns the hash of a record's contents, regardless of time.
func putHash(r *longtermdriver.Record) string {
	stated := *r
	stated.CreatedAt, stated.PersistedAt, stated.Hash = time.Time{}, time.Time{}, ""
	sum := sha256.Sum256(stableJSON(stated))
	return hex.EncodeToString(sum[:])
}
