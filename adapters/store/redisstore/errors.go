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

// transientCodes are the server's error codes for conditions that end by themselves or with
// more resources.
var transientCodes = []string{
	"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "OOM", "BUSY", "TRYAGAIN", "MOVED",
	"ASK", "NOREPLICAS", "MISCONF", "UNKILLABLE", "UNBLOCKED", "NOSCRIPT",
}

// accessCodes are the error codes whose text is useful and contains no stored data.
var accessCodes = []string{"NOAUTH", "NOPERM", "WRONGPASS", "NOPROTO", "DENIED"}

// sentinels are an interface's errors for failures that do not depend on its contents.
type sentinels struct{ unavailable, closed error }

var sessionSentinels = sentinels{unavailable: driver.ErrUnavailable, closed: driver.ErrClosed}

// failure returns the error of a failed call of a driver.Store.
func failure(ctx context.Context, op string, err error) error {
	return sessionSentinels.failure(ctx, op, err)
}

// failure returns the error of a failed call.
func (s sentinels) failure(ctx context.Context, op string, err error) error {
	if errors.Is(err, redis.ErrClosed) {
		return fmt.Errorf("redisstore: %s: client: %w", op, s.closed)
	}
	if answer, ok := errors.AsType[redis.Error](err); ok {
		return fmt.Errorf("redisstore: %s: %w", op, s.serverError(answer.Error()))
	}
	if ended := contextError(ctx); ended != nil {
		return fmt.Errorf("redisstore: %s: %w: %w", op, s.unavailable, ended)
	}
	if quotesReply(err) {
		err = errors.New("malformed reply")
	}
	return fmt.Errorf("redisstore: %s: %w: %w", op, s.unavailable, err)
}

// quotesReply reports whether err is an error of the client's parser, whose text quotes the
// reply.
func quotesReply(err error) bool {
	if _, number := errors.AsType[*strconv.NumError](err); number {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "redis: can't ") || strings.Contains(text, "redis: invalid ")
}

// serverError converts an error of the server to one without its text, which may quote
// arguments.
func (s sentinels) serverError(text string) error {
	code, _, _ := strings.Cut(text, " ")
	switch {
	case slices.Contains(transientCodes, code), strings.HasPrefix(text, "ERR max number of clients reached"):
		return fmt.Errorf("%w: server error %s", s.unavailable, code)
	case slices.Contains(accessCodes, code):
		return fmt.Errorf("server error: %s", text)
	}
	// Before Redis 7, an error in a script has its code within the text.
	for _, code := range append([]string{wrongType}, transientCodes...) {
		if strings.Contains(text, ": "+code+" ") || strings.Contains(text, ": -"+code+" ") {
			return s.serverError(code)
		}
	}
	if code == wrongType {
		return errWrongType
	}
	return fmt.Errorf("server error %s", code)
}

const wrongType = "WRONGTYPE"

var errWrongType = errors.New("key holds another type")

// contextError returns ctx.Err(), or context.DeadlineExceeded if the deadline has passed: a
// connection may notice that before the context does.
func contextError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// unexpected returns the error for a reply that no script produces.
func unexpected(op string) error {
	return fmt.Errorf("redisstore: %s: unexpected script reply", op)
}

// damaged returns the error for a damaged part of a session.
func damaged(key driver.Key, part, why string) error {
	return fmt.Errorf("redisstore: %w", &driver.DamagedError{Key: key, Part: part, Err: errors.New(why)})
}
