package driver

import (
	"context"
	"time"
)

// Index keeps records and finds them. A longterm.Memory works on any; package drivertest
// has the tests that each must pass. All policy (which records are the same memory, which
// are merged, which are forgotten) is the Memory's: an index stores, filters and ranks.
//
//   - Concurrency: an Index is safe for concurrent use, also by several processes where
//     it is shared. Every method is atomic: others see all of it or nothing. What was
//     acknowledged is seen by every later call.
//   - Ownership: an index keeps no slice or map that it is given, and what it returns
//     is the caller's.
//   - Isolation: a call sees and changes nothing outside its Scope, or its keys. No
//     condition of a RecordFilter is ever left out: no match means an empty page. What
//     a search of one owner finds, and how it ranks, does not depend on the texts of others.
//   - Errors: those that a method names, ErrScope, ErrFilter for what Search.Check
//     refuses, ErrClosed after Close, ErrUnavailable where a server did not answer, and
//     an error that is ctx.Err() when the context ends. Their texts have nothing of
//     records but ids.
//   - Times come back in UTC, to the microsecond at least. Everything else comes back
//     as it was written: NUL in texts, numbers in Metadata (as json.Number), empty lists
//     as nil.
type Index interface {
	// Lookup returns entries by their keys, and by the hashes of an owner, in any
	// order, each once. What is not there is left out.
	Lookup(ctx context.Context, l Lookup) ([]Entry, error)

	// Write makes changes, all or none, of at most MaxChanges records, of which none
	// comes twice. Errors: ErrConflict if one of them has another version than
	// RecordChange.If, or if two records of an owner would have one hash.
	Write(ctx context.Context, changes []RecordChange) error

	// Touch sets LastAccessed of records to a time, unless it is later already, and
	// adds 1 to AccessCount, which gives them other versions. What is not there is left out.
	Touch(ctx context.Context, keys []RecordKey, at time.Time) error

	// Search returns a page of the records in a scope that pass a filter and match,
	// in the order of their rank, and the number of all of them.
	Search(ctx context.Context, s Search) (HitPage, error)
}

// MaxChanges is how many changes an Index takes in one Write, and how many keys and
// hashes in one Lookup or Touch.
const MaxChanges = 1000

// MaxDimensions is how many dimensions a vector may have: more than models make, and
// what all indexes take.
const MaxDimensions = 16_000

// Entry is a record as an Index keeps it.
type Entry struct {
	// Record has an owner, an id and a Hash.
	Record Record
	// Version changes with each change of the entry, and is never 0 where one is
	// there. A key that was removed never gets a version again that it had. It is not
	// read in a Write.
	Version uint64
	// Terms are what the record is found by in a keyword search, with repeats, in
	// order (see Terms). An index need not return them.
	Terms []string
	// Vector is the embedding of the text, of length 1, nil if there is none. Model
	// names what made it: vectors of different models, or of different dimensions, are
	// never compared. Lookup returns both; Search need not.
	Vector []float32
	Model  string
	// Origin is a note of the Memory's, of up to 100 bytes: an index keeps it, Lookup
	// returns it, Touch leaves it, and nothing is made of it.
	Origin string
}

// Lookup says what Index.Lookup returns.
type Lookup struct {
	Keys []RecordKey
	// Hashes are Record.Hash of records of the owner that follows.
	Hashes            []string
	Namespace, UserID string
}

// RecordChange is a change of a record.
type RecordChange struct {
	Key RecordKey
	// If is the version that the entry must have; 0: there must be none.
	If uint64
	// Entry is what is stored, of the same key; nil: the entry is removed.
	Entry *Entry
}
