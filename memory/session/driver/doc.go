// Package driver has the interfaces that stores of sessions and long-term memories
// implement. Programs that only use sessions need package session alone.
//
//	session.Manager ──► Store ──► StoredSession: Position, head, StoredMessage
//	       │
//	       └──────────► LongTerm ◄── ExtractRequest, PromoteRequest: Message, Record
//
// # Implementing a Store
//
// The contract is documented at Store; package drivertest tests it. A store keeps bytes and
// interprets only the fields of Position, StoredMessage, Append and Write. TTLMillis and
// NewRevision return values that stores write as they are.
//
//	func (s *Store) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
//		ttl, err := driver.TTLMillis(w.TTL)
//		...
//		// In one transaction: compare w.If, replace the head, drop, add, set the rest.
//	}
//
// examples/ownstore is a short one, on a directory of files. Stores on real engines are in
// adapters/store/sqlitestore, adapters/store/redisstore and adapters/store/postgresstore.
//
// # Implementing a LongTerm
//
// longterm.Promoter is one. The Manager decides when a session is promoted, and by which
// worker. A LongTerm extracts and keeps, and must accept the same input again after a crash.
package driver
