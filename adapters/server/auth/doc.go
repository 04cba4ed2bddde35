// Package auth creates, stores and verifies tokens. Each is bound to a namespace, a user, or
// both, so that the token of one tenant never reads the data of another.
//
//	Create ──► text, shown once ──► Authorization: Bearer text ──► Verifier ──► Tenant
//	   └─────► Token: id, hash of the secret, tenant, expiry ──► TokenStore ──┘
//
// A store keeps only a hash of the secret part of a token. The secret has 256 random bits and
// cannot be guessed, so the hash need not be a slow one.
//
// NewMemoryTokenStore returns a store in the process. The stores of adapters/store/sqlitestore,
// adapters/store/redisstore and adapters/store/postgresstore keep tokens beside the sessions:
// their method Tokens returns a TokenStore.
//
// # The text of a token
//
//	wmem_3f0c5ad21be67c918a44_ + 64 hexadecimal digits
//	     └─ id: public ─────┘
//
// The prefix lets scanners find leaked tokens in logs and repositories. The id may be logged.
// A token has exactly one text: upper-case digits, spaces and anything else are ErrInvalid.
//
// # Implementing a TokenStore
//
// A store validates tokens with Token.Check, stores every field, and compares ids byte by
// byte. It ignores expiry: an expired token is listed until it is removed. authtest.Run is
// the suite that it must pass.
package auth
