// Package redisstore stores sessions and tokens in Redis or Valkey, shared by any number of
// processes and machines. It implements driver.Store and auth.TokenStore. It requires Redis
// 6.2 or later, or any Valkey, standalone or as a cluster, without modules.
//
//	store, err := redisstore.Open(ctx, "redis://localhost:6379/0", nil)
//	...
//	defer store.Close()
//	manager, err := session.NewManager(store, nil)
//
// It has no index for long-term memory. Use PostgreSQL or SQLite for that.
//
// # Keys
//
// With the prefix "wm", a session has these keys:
//
//	wm:{namespace/user/session}:head      hash: the head and the session's position
//	wm:{namespace/user/session}:messages  list: one element per message
//	wm:{namespace/user/session}:ids       sorted set: ids and sequence numbers of the
//	                                      messages, and of the last dropped ones
//	wm:{namespace/user/session}:appends   lists: random tokens of the last calls of
//	wm:{namespace/user/session}:writes    Append, and of Write and Delete, with their
//	                                      results
//	wm:{namespace/user/session}:results   hash, if results of tools are kept: for each id its
//	                                      number, size, time and JSON, and without an id the
//	                                      next number and the sum of the sizes
//	wm:{namespace/user/session}:contents  hash: for each of these its size, "size id", and its
//	                                      chunks of 64 KiB, "n id" from n = 0
//	wm:{namespace/user/session}:journal-results, wm:{namespace/user/session}:journal-contents
//	                                      the same for entries of a journal
//	wm:{namespace/user/session}:upload:…  hash, for a minute: chunks of a result that is being
//	                                      put
//
// The text in braces is driver.Key.String, which puts all keys of a session in one slot of a
// cluster. A script changes the first three keys atomically and gives them, and results and
// contents, the same expiry, by the clock of Redis. The lists of calls exist because the client
// resends a command when its reply is lost: a call whose token is in the list is not executed
// again. Each list has at most 64 entries and expires one minute after the last call, even if
// the session is deleted earlier.
//
// A result is sent in portions of 1 MiB to a key of its own and becomes visible by one script,
// which delays other calls by about 3 ms for each MiB. All processes should have a version of
// this package that knows results of a kind before one of them puts any: earlier versions neither
// renew nor delete them.
//
// List and Due read the index, which has a slot of its own, on one server of a cluster:
//
//	wm:{wm}:by-namespace  sorted sets of all sessions, ordered by name, for filters
//	wm:{wm}:by-user       that start with a namespace, a user id or a session id
//	wm:{wm}:by-session
//	wm:{wm}:expiring      sorted set: the expiry of each session that has one, or earlier
//	wm:{wm}:due           sorted set: the due time of each session that has one, or earlier
//	wm:{wm}:pending       hash: marks of sessions that are being created, deleted, or given
//	                      an earlier expiry or due time
//	wm:{wm}:counter       the number of the last mark
//
// A script cannot change a session and the index atomically, and a process may die between
// the two. List nevertheless returns every existing session, and Due every due one:
//
//   - A call that creates or deletes a session, or gives it an earlier expiry or due time
//     than the index has, first adds a mark to pending, then changes the session, then
//     updates the index and removes its mark. All other calls leave the index alone and take
//     one round trip.
//   - List checks each session that is marked, or whose time in expiring has passed, and
//     corrects the index before it reads it. It does not matter whether the call that added
//     the mark has already changed the session. Due checks the marked sessions, and the first
//     ones whose time in due has passed.
//   - The observed state of a session is written to the index only if no call has marked the
//     session, updated its entry or changed its expiry since. Every mark has its own number,
//     and every change of an entry in pending assigns the next one.
//   - A mark is dropped after two minutes, in case its process died. A change is allowed only
//     within one minute of its mark, which the script enforces. This is the only place where
//     the clocks of two servers are compared.
//
// List takes time in proportion to its result, plus a little for every session that has
// expired since the last call. Due takes two round trips, or up to five if sessions have
// stopped being due since the last call. List reads one snapshot; use Limit if there are many
// sessions. A filter by user and session id without a namespace reads all sessions with that
// session id.
//
// # Tokens
//
// Store.Tokens returns an auth.TokenStore with the same prefix:
//
//	wm:{wm}:tokens    hash: for each id, a JSON object with the hash of the token's secret,
//	                  which cannot be used to authenticate
//	wm:{wm}:tokens:…  for one minute: records that a call added or removed a token, in case
//	                  the client resends it
//
// Expired tokens stay until they are removed. Tokens are read wherever the client sends
// read-only commands. If it reads from replicas, a removed token stays valid until they catch
// up.
//
// # Summary views
//
// Store.Documents returns a driver.DocumentStore of package summaryview with the same prefix:
//
//	wm:{wm}:documents        hash: for each key its revision, due time and value
//	wm:{wm}:documents-names  sorted set of the keys, in order
//	wm:{wm}:documents-due    sorted set: the due time of each document that has one
//	wm:{wm}:documents:…      for one minute: records of writes, in case the client resends one
//
// # Operation
//
// The client of Open has ten connections per processor unless the URL sets pool_size. All
// client options are URL parameters, and the scheme rediss selects TLS. Calls that delay
// others are Load and List with very large results, and a Write that drops very many
// messages. With Redis ACLs, a user needs the keys wm:* and the commands +@read +@write
// +@scripting +@connection +time. Without +info, the version of the server is not checked;
// without +config|get, Store.Durability cannot tell whether writes are synced.
//
// # Durability
//
// By default, Redis acknowledges writes before they are on disk. With "appendonly yes" and
// "appendfsync always", acknowledged writes survive a crash of the server. With "appendfsync
// everysec", the default once appendonly is on, about one second of writes may be lost.
// Replication is asynchronous: a replica that takes over may lack the last writes, including
// removals of tokens, and sessions and index may disagree until Store.Reindex is called. The
// memory policy should be noeviction, since any other lets a full server evict sessions or
// parts of them. With noeviction, a full server rejects new sessions and messages with
// session.ErrUnavailable; existing ones can be read, listed and deleted.
//
// In a cluster, the clocks of the servers should differ by less than a second. A session
// expires by the clock of the server that holds it.
package redisstore
