package driver

import "math/rand/v2"

// NewRevision returns a random number from 1 to 2^48 for the Revision that a new
// session begins with. For Stores.
func NewRevision() uint64 { return 1 + rand.Uint64N(1<<48) }
