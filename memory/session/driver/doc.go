// Package driver has what a store of sessions implements, and what a long-term memory
// implements that sessions are promoted to. Programs that use sessions need package
// session only.
//
//	session.Manager ──► Store ──► StoredSession: Position, head, StoredMessage
//	       │
//	       └──────────► LongTerm ◄── ExtractRequest, PromoteRequest: Message, Record
//
// # Implementing a Store
//
// The contract is at Store; package drivertest proves it. A store keeps bytes: it needs
// to know nothing of a head or of a message but the fields of Position, StoredMessage,
// Append and Write. TTLMillis and NewRevision are for stores: what they return goes into
// the engine as it is.
//
//	func (s *Store) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
//		ttl, err := driver.TTLMillis(w.TTL)
//		...
//		// In one transaction: compare w.If, replace the head, drop, add, set the rest.
//	}
//
// examples/ownstore is a short one, over a directory of files. Stores on real engines are in
// adapters/store/sqlitestore, adapters/store/redisstore and adapters/store/postgresstore.
//
// # Implementing a LongTerm
//
// longterm.Promoter is one. The Manager decides when and by whom something is promoted;
// a LongTerm extracts and keeps, and accepts the same again after a crash.
package driver
