package longterm

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"time"
)

// putHashKey is where the Metadata of a record that was merged with others have the
// hash of what was put under its id. So it is known when the same is put again, after a
// crash, say: what the others brought is not taken away from it then.
const putHashKey = "put_hash"

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
	put, ok := own.Metadata[putHashKey].(string)
	if !ok {
		put = putHash(own)
	}
	metadata := withoutPutHash(merged.Metadata)
	if put == putHash(merged) {
		return metadata
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

// repeat puts what was put before, and merged with others since, once more.
func (d *draft) repeat(r *Record, old *Entry) {
	r.Text = old.Record.Text // the one that was found to be newer
	again := &Entry{Record: mergeRecords(old.Record, *r, false, d.now), Vector: old.Vector, Model: old.Model}
	again.Record.Metadata = withPutHash(&old.Record, &again.Record)
	d.set(KeyOf(r), again)
}
