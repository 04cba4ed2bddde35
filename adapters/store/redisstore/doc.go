// Package redisstore keeps sessions and tokens in Redis or Valkey: a driver.Store and an
// auth.TokenStore for many processes and machines. It needs Redis 6.2 or later, or any Valkey, with nothing
// added to it, alone or as a cluster.
//
//	store, err := Open(ctx, "redis://localhost:6379/0", nil)
//	...
//	defer store.Close()
//	manager, err := session.NewManager(store, nil)
//
// No memories: a long-term memory that they are promoted to has its index elsewhere,
// such as in PostgreSQL or SQLite.
//
// # What is kept
//
// With the prefix "wm", a session has the keys
//
//	wm:{namespace/user/session}:head      hash: the head and where the session stands
//	wm:{namespace/user/session}:messages  list: an element per message
//	wm:{namespace/user/session}:ids       sorted set: ids and sequence numbers of the
//	                                      messages, and of the last ones that left
//	wm:{namespace/user/session}:appends   lists: random tokens of the last calls of
//	wm:{namespace/user/session}:writes    Append, and of Write and Delete, with their
//	                                      results
//
// which a cluster keeps in one slot; what stands in the braces is driver.Key.String. A script
// changes the first three at once, and gives them the same expiry, by Redis' own clock.
// The lists of calls are there because a client sends a command again when its answer
// was lost: one whose token is there is not done again. They have 64 entries each at
// most, and go a minute after the last call, also when the session is gone before.
//
// List and Due read the index, which is in a slot of its own, on one server of a cluster:
//
//	wm:{wm}:by-namespace  sorted sets of all sessions, in the order of their names,
//	wm:{wm}:by-user       for the filters that begin with a namespace, a user id or
//	wm:{wm}:by-session    a session id
//	wm:{wm}:expiring      sorted set: when those that expire do so, or earlier
//	wm:{wm}:due           sorted set: when those that are due are so, or earlier
//	wm:{wm}:pending       hash: marks of sessions that are being made, removed, or
//	                      given an earlier expiry or due time
//	wm:{wm}:counter       the last number of a mark
//
// A script cannot change a session and the index at once, and a process may die in
// between. No session that is there is missing from List nevertheless, and none that
// is due from Due:
//
//   - A call that makes a session, removes it, or gives it an earlier expiry, or an
//     earlier time at which it is due, than the index has, first marks it in pending,
//     then changes it, then tells the index and takes its mark away. All others leave
//     the index alone: they are one round trip.
//   - List looks at each session that has a mark, or whose time in expiring has come,
//     and corrects the index before it is answered from it. So it does not matter
//     whether the one who left the mark has changed the session, or is still to do it.
//     Due does so with the marks, and with the first ones whose time in due has come.
//   - What was seen of a session goes into the index only if nobody has marked it, told
//     the index of it, or given it another expiry since: every mark has a number of its
//     own, and a change of an entry in pending gives it the next one.
//   - A mark that its maker never takes away (it died) is dropped after two minutes. A
//     change may be made for one minute after its mark, which the script that makes it
//     sees to. That is the one place where the clocks of two servers are compared.
//
// List costs what it returns, and a little for every session that has expired since
// it was called last; Due looks at what it returns, and is two round trips, or up to
// five where sessions are not due any more since it was called last. List is answered
// from one snapshot: for many sessions, use Limit. A filter by user and session id without a namespace reads all sessions of that id.
//
// # Tokens
//
// Store.Tokens is an auth.TokenStore under the same prefix:
//
//	wm:{wm}:tokens    hash: of each id a JSON object with the hash of the token's secret
//	                  part, by which none can be used
//	wm:{wm}:tokens:…  for a minute: that a call has added or removed one, should the
//	                  client send it again
//
// Those that have expired stay until they are removed. Tokens are read where the client
// sends commands that only read: with one that asks replicas, a token that was removed is
// valid for as long as these lag behind.
//
// # Running it
//
// Open's client has ten connections for each processor, unless the url says pool_size;
// all its options are parameters of the url, and rediss is TLS. Calls that hold up
// others are Load and List of very much at once, and a Write that drops very many
// messages. Where Redis' access lists are in use, a user with the keys wm:* and the
// commands +@read +@write +@scripting +@connection +time can do all; without +info, the
// version of the server is not checked.
//
// # What is lost when a server is
//
// Redis acknowledges writes before they are on a disk, unless it is told otherwise.
// With "appendonly yes" and "appendfsync always" what was acknowledged survives a
// crash of the server, with "appendfsync everysec" (Redis' default once appendonly is
// on) all but about the last second. Replication is asynchronous: a replica that takes
// over may lack the last writes, of tokens that were removed too, and then a session and the index may not agree
// until Store.Reindex is called. The memory policy should be noeviction: any other
// lets the server remove sessions, or parts of them, when it is full. With it, a full
// server refuses what makes sessions and messages with session.ErrUnavailable; they can
// be read, listed and deleted.
//
// On a cluster, the clocks of the servers should differ by less than a second. A
// session has expired when the clock of the server that keeps it says so.
package redisstore
