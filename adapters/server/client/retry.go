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
	// longestWait is how long a server may have a request wait.
	longestWait = 30 * time.Second
)

// passing tells whether an error may pass: the server was not reached, did not answer, or
// has too much to do.
func passing(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, ErrAnswer) {
		return false
	}
	refusal, ok := errors.AsType[*Error](err)
	return !ok || refusal.Is(ErrUnavailable)
}

// pause is how long to wait after a try: as long as the server asks, else longer each
// time, and not for all clients the same.
func pause(try int, err error) time.Duration {
	if refusal, ok := errors.AsType[*Error](err); ok && refusal.RetryAfter > 0 {
		return min(refusal.RetryAfter, longestWait)
	}
	longest := min(firstPause<<try, longestPause)
	return longest/2 + rand.N(longest/2)
}

// retryAfter reads the header of that name: a number of seconds, or a time.
func retryAfter(header string) time.Duration {
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
