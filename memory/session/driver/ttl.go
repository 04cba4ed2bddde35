package driver

import (
	"fmt"
	"time"
)

// NoExpiry is a TTL in Append and Write that takes a running expiry away.
const NoExpiry time.Duration = -1

// TTLMillis is a TTL of Append and Write in milliseconds, for Stores: a fraction of
// one counts as a whole one, NoExpiry is -1. Errors: ErrTTL.
func TTLMillis(ttl time.Duration) (int64, error) {
	switch {
	case ttl == NoExpiry:
		return -1, nil
	case ttl < 0:
		return 0, fmt.Errorf("%w: %v", ErrTTL, ttl)
	}
	ms := ttl.Milliseconds()
	if ttl%time.Millisecond > 0 {
		ms++
	}
	return ms, nil
}
