package promotion

import (
	"errors"
	"time"
)

// ErrBusy is returned by session.Manager.Promote while the session is being promoted
// elsewhere.
var ErrBusy = errors.New("session: somebody else works on it")

// Outcome is the result of a promotion.
type Outcome struct {
	// Extracted is how many memories were extracted, Memories how many were promoted,
	// Refused how many cannot be, Messages how many messages were kept.
	Extracted, Memories, Refused, Messages int
	// Again is when the session is due again; zero: it is not.
	Again time.Time
	// Err is what failed; the numbers count what was done nevertheless.
	Err error
}
