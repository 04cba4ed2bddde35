// Package driver is the interface of the stores of summary views. Only a store has to know it;
// programs use package summaryview.
//
//	summaryview.Views ──► DocumentStore ──► keys, values, revisions, due times
//
// A store keeps documents and knows nothing of views, tasks and leases. All of these are
// documents, and the two guarantees of Write are what their policy is made of: the changes of a
// Write are applied together or not at all, and only if each document has the expected revision.
// A worker that lost its lease, for instance, writes nothing, because its Write requires the
// revision of the lease.
//
// # Implementing a DocumentStore
//
// Validate arguments with CheckKey, CheckPage and CheckChanges. Compare keys byte by byte: they
// are ASCII, so all keys with a prefix are less than the prefix followed by "\x7f". The store
// needs no clock: an expiry is a due time, at which Views removes the document. Package
// drivertest is the suite that a store must pass, and MemoryDocuments is an example.
package driver
