package drivertest

import (
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func hashCases() []testCase {
	return []testCase{{
		Name:  "one hash, one record",
		About: "Two records of an owner never have the same hash: a Write that would cause it conflicts.",
		Run:   oneHash,
	}, {
		Name:  "hashes of owners",
		About: "Records of different owners may have the same hash.",
		Run:   hashesOfOwners,
	}, {
		Name:  "hashes move",
		About: "Records may exchange hashes in one Write, and a hash is free once its record is removed or gets another, even in the same Write.",
		Run:   hashesChangeHands,
	}}
}

// hashed returns an entry of Anna's with the hash of another id.
func hashed(id, as string) driver.Entry {
	e := entry(record(id, "text of "+id))
	e.Record.Hash = hash(as)
	return e
}

// hashIsOf requires which record has the hash of an id.
func (e *env) hashIsOf(as string, want ...string) {
	e.Helper()
	e.looksUp(driver.Lookup{Hashes: []string{hash(as)}, Namespace: "shop", UserID: "anna"}, want...)
}

func oneHash(e *env) {
	e.add(hashed("a", "a"), hashed("b", "b"))
	e.unchanged(func() {
		e.conflict(adding(hashed("c", "a"))...)
		e.conflict(adding(hashed("c", "x"), hashed("d", "x"))...)
		e.conflict(e.replacing(hashed("b", "a")))
		e.conflict(e.replacing(hashed("a", "x")), e.replacing(hashed("b", "x")))
		e.conflict(e.replacing(hashed("a", "a")), e.replacing(hashed("b", "a")))
	})
	e.write(e.replacing(hashed("a", "a"))) // its own
	e.hashIsOf("a", "a")
}

func hashesOfOwners(e *env) {
	owners := []driver.RecordKey{keyOf("a"), {Namespace: "shop", UserID: "bob", ID: "a"}, {Namespace: "shop", ID: "b"}, {UserID: "anna", ID: "a"}, {Namespace: "anna", UserID: "shop", ID: "a"}, {ID: "a"}}
	var all []driver.Entry
	for _, key := range owners {
		of := entry(recordOf(key, "the same"))
		of.Record.Hash = hash("same")
		all = append(all, of)
	}
	e.add(all...)
	for _, key := range owners {
		e.looksUp(driver.Lookup{Hashes: []string{hash("same")}, Namespace: key.Namespace, UserID: key.UserID}, key.ID)
	}
	e.write(e.removing("a"))
	e.hashIsOf("same")
	e.looksUp(driver.Lookup{Hashes: []string{hash("same")}, Namespace: "shop", UserID: "bob"}, "a")
}

func hashesChangeHands(e *env) {
	e.add(hashed("a", "a"), hashed("b", "b"), hashed("c", "c"))
	e.write(e.replacing(hashed("a", "b")), e.replacing(hashed("b", "a")))
	e.hashIsOf("a", "b")
	e.hashIsOf("b", "a")
	e.write(e.replacing(hashed("a", "c")), e.replacing(hashed("c", "a")), e.replacing(hashed("b", "b")))
	e.hashIsOf("a", "c")
	e.hashIsOf("c", "a")
	// The new record comes before the removal of the old one.
	e.write(adding(hashed("d", "b"))[0], e.removing("b"))
	e.hashIsOf("b", "d")
	e.write(e.replacing(hashed("d", "x")), adding(hashed("e", "b"))[0])
	e.hashIsOf("b", "e")
	e.hashIsOf("x", "d")
	e.write(e.removing("e"))
	e.hashIsOf("b")
	e.add(hashed("f", "b"))
	e.hashIsOf("b", "f")
	e.finds(listing(), "a", "c", "d", "f")
}
