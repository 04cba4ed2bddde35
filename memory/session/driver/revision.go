package driver

import "math/rand/v2"

// NewRevision returns a random number from 1 to 2^48, the first Revision of a session.
func NewRevision() uint64 { return 1 + rand.Uint64N(1<<48) }
