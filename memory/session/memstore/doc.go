// Package memstore is a store of sessions in the process: what it keeps is gone with it.
//
//	Store ──► 256 shards, each with a lock ──► sessions, by key
//	                                           heaps: what expires, what is due
//
//	m, err := session.NewManager(memstore.New(nil), nil)
package memstore
