package driver

import (
	"fmt"
	"time"
)

// NoExpiry is a TTL in Append and Write that removes a running expiry.
const NoExpiry time.Duration = -1

// TTLMillis converts a TTL of Append or Write to milliseconds, rounded up. NoExpiry is -1.
// Errors: ErrTTL.
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
