package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// passing are the codes of errors of a server that will go away: with it another
// server, memory, a disk or the end of what it is doing.
var passing = []string{
	"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "OOM", "BUSY", "TRYAGAIN", "MOVED",
	"ASK", "NOREPLICAS", "MISCONF", "UNKILLABLE", "UNBLOCKED", "NOSCRIPT",
}

// refusals are the codes of errors whose text helps and holds nothing that is stored.
var refusals = []string{"NOAUTH", "NOPERM", "WRONGPASS", "NOPROTO", "DENIED"}

// verdicts are the errors that an interface names for what is not about its contents.
type verdicts struct{ unavailable, closed error }

var sessionVerdicts = verdicts{unavailable: driver.ErrUnavailable, closed: driver.ErrClosed}

// failure says what became of a call of a driver.Store that failed.
func failure(ctx context.Context, doing string, err error) error {
	return sessionVerdicts.failure(ctx, doing, err)
}

// failure says what became of a call that failed.
func (v verdicts) failure(ctx context.Context, doing string, err error) error {
	if errors.Is(err, redis.ErrClosed) {
		return fmt.Errorf("redisstore: %s: the client: %w", doing, v.closed)
	}
	if answer, ok := errors.AsType[redis.Error](err); ok {
		return fmt.Errorf("redisstore: %s: %w", doing, v.refused(answer.Error()))
	}
	if ended := ended(ctx); ended != nil {
		return fmt.Errorf("redisstore: %s: %w: %w", doing, v.unavailable, ended)
	}
	if quotes(err) {
		err = errors.New("the answer cannot be read")
	}
	return fmt.Errorf("redisstore: %s: %w: %w", doing, v.unavailable, err)
}

// quotes reports whether an error is one of the client's parser, which has a part of
// what it could not read in its text.
func quotes(err error) bool {
	if _, number := errors.AsType[*strconv.NumError](err); number {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "redis: can't ") || strings.Contains(text, "redis: invalid ")
}

// refused turns an error of the server into one without its text, which may quote
// what was to be stored.
func (v verdicts) refused(text string) error {
	code, _, _ := strings.Cut(text, " ")
	switch {
	case slices.Contains(passing, code), strings.HasPrefix(text, "ERR max number of clients reached"):
		return fmt.Errorf("%w: the server says %s", v.unavailable, code)
	case slices.Contains(refusals, code):
		return fmt.Errorf("the server says: %s", text)
	}
	// Before Redis 7, the code of an error in a script is inside of its text.
	for _, code := range append([]string{wrongType}, passing...) {
		if strings.Contains(text, ": "+code+" ") || strings.Contains(text, ": -"+code+" ") {
			return v.refused(code)
		}
	}
	if code == wrongType {
		return errWrongType
	}
	return fmt.Errorf("the server says %s", code)
}

const wrongType = "WRONGTYPE"

var errWrongType = errors.New("a key is of another type")

// ended is ctx.Err(), but also of a context whose deadline has just passed: a
// connection may notice it first.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// unexpected is the error for a reply that no script gives.
func unexpected(doing string) error {
	return fmt.Errorf("redisstore: %s: unexpected reply of a script", doing)
}

// damaged returns the error for a part of a session that cannot be read.
func damaged(key driver.Key, part, why string) error {
	return fmt.Errorf("redisstore: %w", &driver.DamagedError{Key: key, Part: part, Err: errors.New(why)})
}
