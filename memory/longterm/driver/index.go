package driver

import (
	"context"
	"time"
)

// Index keeps records and finds them. A longterm.Memory works on any Index that passes the
// tests of package drivertest. Policy (which records are the same memory, which merge, which
// are forgotten) belongs to the Memory: an Index stores, filters and ranks.
//
//   - Concurrency: an Index is safe for concurrent use, also by several processes if it is
//     shared. Every method is atomic: other calls see all of its effects or none. An
//     acknowledged write is visible to every later call.
//   - Ownership: an Index retains no slice or map of its arguments, and the caller owns the
//     results.
//   - Isolation: a call reads and changes nothing outside its Scope or its keys. No condition
//     of a RecordFilter is ever ignored: without a match, the page is empty. What a search of
//     one owner finds, and how it ranks, does not depend on the texts of others.
//   - Errors: those of each method, ErrScope, ErrFilter for what Search.Check refuses,
//     ErrClosed after Close, ErrUnavailable if a server does not reply, and an error that is
//     ctx.Err() if the context ends. Errors quote nothing of records but ids.
//   - Values: times come back in UTC, precise to the microsecond or better. Everything else
//     comes back as it was written: NUL in texts, numbers in Metadata (as json.Number), and
//     empty lists as nil.
type Index interface {
	// Lookup returns entries by key, and by hash within an owner, each once and in any order.
	// Missing entries are left out.
	Lookup(ctx context.Context, l Lookup) ([]Entry, error)

	// Write applies changes atomically: at most MaxChanges, each of a different record. Errors:
	// ErrConflict if the version of a record is not RecordChange.If, or if two records of an
	// owner would have the same hash.
	Write(ctx context.Context, changes []RecordChange) error

	// Touch sets the LastAccessed of records to a time, unless it is later already, and adds 1
	// to AccessCount. Each touched record gets a new version. Missing records are ignored.
	Touch(ctx context.Context, keys []RecordKey, at time.Time) error

	// Search returns a page of the records in a scope that pass a filter and match, in order of
	// rank, and their total number.
	Search(ctx context.Context, s Search) (HitPage, error)

	// Nearest returns the hits of each of up to MaxChanges searches with ModeSemantic, as Search
	// returns them, all on one state of the index. It exists because comparing many vectors with
	// many takes less time at once.
	Nearest(ctx context.Context, searches []Search) ([][]Hit, error)

	// Neighbours returns the messages before and after each of up to MaxChanges records, in order
	// of the keys. Records that are missing or not of type session.RecordMessage have none.
	Neighbours(ctx context.Context, keys []RecordKey) ([]Neighbours, error)
}

// Neighbours are the ids of the messages around a message in its session, empty at its ends. The
// messages of a session are the records of an owner with the same SessionID and the type
// session.RecordMessage, in order of CreatedAt, unset times first, then of their ids.
type Neighbours struct{ Previous, Next string }

// MaxChanges is the largest number of changes in a Write, of keys and hashes in a Lookup or
// Touch, of searches in a Nearest, and
// of keys in a Neighbours.
const MaxChanges = 1000

// MaxDimensions is the largest dimension of a vector. All indexes support it, and common models
// stay below it.
const MaxDimensions = 16_000

// Entry is a record as an Index keeps it.
type Entry struct {
	// Record has an owner, an id and a hash.
	Record Record
	// Version changes with every change of the entry and is never 0 for an existing entry. A
	// key that was removed never gets an earlier version again. Write ignores it.
	Version uint64
	// Terms are the terms of the record for keyword searches, with repetitions and in order; see
	// RecordTerms. An Index need not return them.
	Terms []string
	// Vector is the embedding of the text, of length 1; nil if it has none. Model names its
	// origin: vectors of different models or dimensions are never compared. Lookup returns
	// both; Search need not.
	Vector []float32
	Model  string
	// Origin is an opaque note of the Memory, at most 100 bytes. Lookup returns it, and Touch
	// preserves it.
	Origin string
}

// Lookup holds the arguments of Index.Lookup.
type Lookup struct {
	Keys []RecordKey
	// Hashes are values of Record.Hash of records of the owner that follows.
	Hashes            []string
	Namespace, UserID string
}

// RecordChange is a change of a record.
type RecordChange struct {
	Key RecordKey
	// If is the required version of the entry; 0 requires that it does not exist.
	If uint64
	// Entry is the entry to store, with the same key; nil removes the entry.
	Entry *Entry
}
