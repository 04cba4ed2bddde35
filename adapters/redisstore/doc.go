// Package redisstore keeps sessions in Redis or Valkey: a session.Store for many
// processes and machines. It needs Redis 6.2 or later, or any Valkey, with nothing
// added to it, alone or as a cluster.
//
//	store, err := redisstore.Open(ctx, "redis://localhost:6379/0", nil)
//	...
//	defer store.Close()
//	manager, err := session.NewManager(store, nil)
//
// # What is kept
//
// With the prefix "wm", a session has the keys
//
//	wm:{namespace/user/session}:head      hash: the head and where the session stands
//	wm:{namespace/user/session}:messages  list: an element per message
//	wm:{namespace/user/session}:ids       sorted set: ids and sequence numbers of the
//	                                      messages, and of the last ones that left
//	wm:{namespace/user/session}:calls     list: tokens of the calls of the last minute,
//	                                      so that one that is sent again is known
//
// which a cluster keeps in one slot; what stands in the braces is Key.String. They
// expire together, by Redis' own clock. The index, by which sessions are listed, has
// the keys wm:{wm}:…, all in another slot, which one server of a cluster keeps.
// A session is written before the index is told of it, and a mark is left in the index
// before that: List looks at what is marked, so that it is right also behind a process
// that died in between. The index need not be told of an Append or a Write that neither
// makes a session nor gives it an earlier expiry: such a call is one round trip.
//
// List costs what it returns, and a little for every session that has expired since
// it was called last. It is answered from one snapshot: for many sessions, use Limit.
// A filter by user and session id without a namespace reads all sessions of that id.
//
// # What is lost when a server is
//
// Redis acknowledges writes before they are on a disk, unless it is told otherwise.
// With "appendonly yes" and "appendfsync always" what was acknowledged survives a
// crash of the server, with "appendfsync everysec" (Redis' default once appendonly is
// on) all but about the last second. Replication is asynchronous: a replica that takes
// over may lack the last writes, and then a session and the index may not agree
// until Store.Reindex is called. The memory policy should be noeviction: any other
// lets the server remove sessions, or parts of them, when it is full.
//
// On a cluster, the clocks of the servers should differ by less than a second. A
// session has expired when the clock of the server that keeps it says so.
package redisstore
