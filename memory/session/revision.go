package session

import "math/rand/v2"

// NewRevision returns a random number from 1 to 2^48 for the Revision that a new
// session begins with. For Stores.
func NewRevision() uint64 { return 1 + rand.Uint64N(1<<48) }

// follows reports whether a revision is a later one of the same session: of one that was
// deleted and made again it is another random number.
func follows(revision, earlier uint64) bool {
	const changes = 1 << 16 // more than others make during a summary or a promotion
	return revision-earlier < changes
}
