package longterm

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"time"
)

// putHashKey is where the Metadata of a record that was merged with others have the
// hash of what was put under its id, in the index. So it is known when the same is put
// again, after a crash, say: what the others brought is not taken away from it then.
const putHashKey = "put_hash"

// shown is a record as callers see it.
func shown(r Record) Record {
	r.Metadata = withoutPutHash(r.Metadata)
	return r
}

// putHash is the hash of what a record says, whenever it does.
func putHash(r *Record) string {
	said := *r
	said.CreatedAt, said.PersistedAt, said.Hash = time.Time{}, time.Time{}, ""
	sum := sha256.Sum256(lasting(said))
	return hex.EncodeToString(sum[:])
}

// withPutHash is the metadata of a record that was merged with others and what it was
// of its own.
func withPutHash(own, merged *Record) map[string]any {
	metadata := withoutPutHash(merged.Metadata)
	put, ok := own.Metadata[putHashKey]
	if !ok {
		hash := putHash(own)
		if hash == putHash(merged) && own.CreatedAt.Equal(merged.CreatedAt) {
			return metadata
		}
		put = hash
	}
	with := map[string]any{putHashKey: put}
	maps.Copy(with, metadata)
	return with
}

// withoutPutHash is metadata as it was put.
func withoutPutHash(metadata map[string]any) map[string]any {
	if _, ok := metadata[putHashKey]; !ok {
		return metadata
	}
	without := maps.Clone(metadata)
	delete(without, putHashKey)
	if len(without) == 0 {
		return nil
	}
	return without
}

// repeats reports whether a record was put before, and merged with others since.
func repeats(r, old *Record) bool {
	put, ok := old.Metadata[putHashKey].(string)
	return ok && put == putHash(r) && !isApart(old)
}
