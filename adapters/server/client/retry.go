package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// longestWait limits the wait that a server may ask for.
	longestWait = 30 * time.Second
)

// isTransient reports whether a retry may succeed: the server was not reached, did not answer,
// or is overloaded.
func isTransient(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, ErrAnswer) {
		return false
	}
	refusal, ok := errors.AsType[*Error](err)
	return !ok || refusal.Is(ErrUnavailable)
}

// backoff returns the pause before the next try: the one that the server asks for, or else one
// that grows with each try, with jitter.
func backoff(try int, err error) time.Duration {
	if refusal, ok := errors.AsType[*Error](err); ok && refusal.RetryAfter > 0 {
		return min(refusal.RetryAfter, longestWait)
	}
	longest := min(firstPause<<try, longestPause)
	return longest/2 + rand.N(longest/2)
}

// parseRetryAfter reads the header Retry-After: a number of seconds, or a time.
func parseRetryAfter(header string) time.Duration {
	const longest = time.Hour
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), int(longest/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(at), 0), longest)
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
