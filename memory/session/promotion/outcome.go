package promotion

import (
	"errors"
	"time"
)

// ErrBusy is returned by session.Manager.Promote while another worker promotes the session.
var ErrBusy = errors.New("session: being promoted by another worker")

// Outcome is the result of a promotion.
type Outcome struct {
	// Extracted is the number of memories extracted, Memories of those promoted, Refused of
	// those that the long-term memory cannot keep, Messages of the messages kept.
	Extracted, Memories, Refused, Messages int
	// Again is when the session is due again. It is zero if it is not.
	Again time.Time
	// Err is the first failure. The numbers are valid nevertheless.
	Err error
}
