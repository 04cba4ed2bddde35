// Package auth has tokens, each bound to a namespace, a user, or both, so that the token of
// one tenant never reads what is another's.
//
//	Create ──► text, shown once ──► Authorization: Bearer text ──► Verifier ──► Tenant
//	   └─────► Token: id, hash of the secret, tenant, expiry ──► Store ──┘
//
// A store keeps no token that could be used: only a hash of its secret part.
//
// Stores are in the process (NewMemoryStore), and in adapters/sqlitestore, redisstore and
// postgresstore, beside the sessions.
package auth
