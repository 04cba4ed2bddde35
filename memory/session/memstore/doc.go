// Package memstore is a store of sessions in memory. Its sessions end with the process.
//
//	Store ──► 256 shards, each with a lock ──► sessions, by key
//	                                           heaps: what expires, what is due
//
//	m, err := session.NewManager(memstore.New(nil), nil)
package memstore
