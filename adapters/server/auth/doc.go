// Package auth has tokens, each bound to a namespace, a user, or both, so that the token of
// one tenant never reads what is another's.
//
//	Create ──► text, shown once ──► Authorization: Bearer text ──► Verifier ──► Tenant
//	   └─────► Token: id, hash of the secret, tenant, expiry ──► TokenStore ──┘
//
// A store keeps no token that could be used: only a hash of its secret part. That is one of
// 256 random bits, which nobody guesses, so that the hash need not be a slow one.
//
// Stores are in the process (NewMemoryTokenStore), and in adapters/store/sqlitestore,
// adapters/store/redisstore and adapters/store/postgresstore, beside the sessions: Tokens
// of their Store.
//
// # The text of a token
//
//	wmem_3f0c5ad21be67c918a44_ + 64 hexadecimal digits
//	     └─ id: public ─────┘
//
// The prefix lets programs that look for secrets in logs and repositories find one. The id
// may be logged. A token has one text: upper-case digits, spaces and all else is ErrInvalid.
//
// # Implementing a TokenStore
//
// A store checks what it is given with Token.Check, keeps all of a Token, and compares ids
// byte by byte. It need not look at expiries, nor remove what has expired: those who list
// tokens see them until they are removed. authtest.Run is the suite that it must pass.
package auth
