package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Append implements driver.Store. It takes one round trip, unless it creates the session or
// gives it an earlier expiry or due time than the index has.
func (s *Store) Append(ctx context.Context, key driver.Key, a driver.Append) (at driver.Position, added int, err error) {
	ttl, err := driver.TTLMillis(a.TTL)
	if err := errors.Join(s.checkOpen(ctx), key.Check(), err); err != nil {
		return at, 0, err
	}
	reply, err := s.change(ctx, key, change{
		op: "append", script: s.scripts.append, calls: appendCalls, format: a.Format,
		args: addMessages([]any{a.Format, ttl, a.Window, a.Now.UnixMilli(), driver.NewRevision(), a.Head, dueMillis(a.Due)}, a.Messages),
	})
	if err != nil {
		return at, 0, err
	}
	return position("append", reply)
}

// Write implements driver.Store.
func (s *Store) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
	ttl, err := driver.TTLMillis(w.TTL)
	if err := errors.Join(s.checkOpen(ctx), key.Check(), err); err != nil {
		return driver.Position{}, err
	}
	due := ""
	if w.Due != nil {
		due = strconv.FormatInt(dueMillis(*w.Due), 10)
	}
	reply, err := s.change(ctx, key, change{
		op: "write", script: s.scripts.write, calls: writeCalls, format: w.Format,
		indexed: w.If.Revision == 0,
		args: addMessages([]any{w.Format, ttl, w.Window, w.Now.UnixMilli(), driver.NewRevision(), w.Head,
			w.If.Revision, w.If.Next, w.DropBefore, due}, w.Messages),
	})
	if err != nil {
		return driver.Position{}, err
	}
	at, _, err := position("write", reply)
	return at, err
}

// Delete implements driver.Store. The lists of the last calls stay for a minute. They contain
// only numbers.
func (s *Store) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	if err := errors.Join(s.checkOpen(ctx), key.Check()); err != nil {
		return err
	}
	args := []any{0, 0, 0}
	if where != nil {
		args = []any{1, where.Revision, where.Next}
	}
	_, err := s.change(ctx, key, change{
		op: "delete", script: s.scripts.delete, calls: writeCalls, indexed: true, removes: true, args: args,
	})
	return err
}

// change describes a change of a session.
type change struct {
	op     string
	script *redis.Script
	// calls is the list that records calls of this kind.
	calls string
	// args follow the token and the time at which the mark of the session ends.
	args []any
	// format is the latest one that the caller supports.
	format int
	// indexed is set if the index must be updated, removes if the change deletes the session.
	indexed, removes bool
}

// change runs a script on a session, between mark and settleMark if the index must be updated.
func (s *Store) change(ctx context.Context, key driver.Key, c change) ([]string, error) {
	keys := s.layout.session(key, c.calls)
	token := rand.Text()
	if !c.indexed {
		reply, err := s.run(ctx, c.op, c.script, keys, append([]any{token, 0}, c.args...)...)
		if err != nil || reply[0] != "index" {
			return c.result(key, reply, err)
		}
	}
	for range 3 {
		m, err := s.mark(ctx, c.op, key.String(), c.removes)
		if err != nil {
			return nil, err
		}
		// If this fails, the mark stays and List checks the session.
		reply, err := s.run(ctx, c.op, c.script, keys, append([]any{token, m.until}, c.args...)...)
		if err != nil {
			return c.result(key, nil, err)
		}
		// The session is changed even if updating the index fails. Then the mark stays and
		// List corrects the index.
		_ = s.settleMark(ctx, key.String(), m, c.removes, reply)
		if reply[0] != "late" {
			return c.result(key, reply, nil)
		}
	}
	return nil, fmt.Errorf("redisstore: %s: %w: every attempt was too late", c.op, driver.ErrUnavailable)
}

// result returns the reply of a script or the corresponding error.
func (c *change) result(key driver.Key, reply []string, err error) ([]string, error) {
	if errors.Is(err, errWrongType) {
		return nil, damaged(key, "keys", "one holds another type")
	}
	if err != nil {
		return nil, err
	}
	switch status := reply[0]; {
	case status == "ok" || status == "again":
		return reply, nil
	case status == "conflict":
		return nil, fmt.Errorf("redisstore: %s: %w", c.op, driver.ErrConflict)
	case status == "damaged" && len(reply) == 3:
		return nil, damaged(key, reply[1], reply[2])
	case status == "format" && len(reply) == 2:
		stored, err := strconv.Atoi(reply[1])
		if err != nil {
			return nil, damaged(key, "head", "format is not a number")
		}
		return nil, fmt.Errorf("redisstore: %s: %w", c.op, &driver.FormatError{Key: key, Format: stored, Known: c.format})
	}
	return nil, unexpected(c.op)
}

// addMessages appends messages to args in the form that the scripts expect.
func addMessages(args []any, messages []driver.StoredMessage) []any {
	for i := range messages {
		m := &messages[i]
		args = append(args, m.ID, m.Tokens, encodeElement(m))
	}
	return args
}

// position parses the reply to Append and Write.
func position(op string, reply []string) (at driver.Position, added int, err error) {
	if len(reply) == 2+len(positionFields) {
		if added, err = strconv.Atoi(reply[1]); err == nil {
			at, err = parsePosition(reply[2:])
		}
		if err == nil {
			return at, added, nil
		}
	}
	return at, 0, unexpected(op)
}

// run runs a script and returns its reply, which is not empty.
func (s *Store) run(ctx context.Context, op string, script *redis.Script, keys []string, args ...any) ([]string, error) {
	reply, err := script.Run(ctx, s.client, keys, args...).StringSlice()
	if err != nil {
		return nil, s.failed(ctx, op, err)
	}
	if len(reply) == 0 {
		return nil, unexpected(op)
	}
	return reply, nil
}

// failed returns the error of a failed call, which is driver.ErrClosed if the store was closed.
func (s *Store) failed(ctx context.Context, op string, err error) error {
	if s.closed.Load() {
		return fmt.Errorf("redisstore: %s: %w", op, driver.ErrClosed)
	}
	return failure(ctx, op, err)
}
