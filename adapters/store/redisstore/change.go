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

// Append implements driver.Store. It is one round trip, unless it makes the session
// gives it an earlier expiry, or makes it due earlier than the index has it.
func (s *Store) Append(ctx context.Context, key driver.Key, a driver.Append) (at driver.Position, added int, err error) {
	ttl, err := driver.TTLMillis(a.TTL)
	if err := errors.Join(s.begin(ctx), key.Check(), err); err != nil {
		return at, 0, err
	}
	reply, err := s.change(ctx, key, change{
		doing: "append", script: s.scripts.append, calls: appendCalls, format: a.Format,
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
	if err := errors.Join(s.begin(ctx), key.Check(), err); err != nil {
		return driver.Position{}, err
	}
	due := ""
	if w.Due != nil {
		due = strconv.FormatInt(dueMillis(*w.Due), 10)
	}
	reply, err := s.change(ctx, key, change{
		doing: "write", script: s.scripts.write, calls: writeCalls, format: w.Format,
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

// Delete implements driver.Store. What stays behind for a minute are the lists of the
// last calls, with nothing of the session in them but numbers.
func (s *Store) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	if err := errors.Join(s.begin(ctx), key.Check()); err != nil {
		return err
	}
	args := []any{0, 0, 0}
	if where != nil {
		args = []any{1, where.Revision, where.Next}
	}
	_, err := s.change(ctx, key, change{
		doing: "delete", script: s.scripts.delete, calls: writeCalls, indexed: true, removes: true, args: args,
	})
	return err
}

// change is what is done to a session.
type change struct {
	doing  string
	script *redis.Script
	// calls is where such calls are remembered.
	calls string
	// args follow the token and the time until which the session is marked.
	args []any
	// format is the latest that the caller knows.
	format int
	// indexed says that the index must know of it, removes that it makes no session.
	indexed, removes bool
}

// change runs a script on a session, between mark and settle where the index must know.
func (s *Store) change(ctx context.Context, key driver.Key, c change) ([]string, error) {
	keys := s.layout.session(key, c.calls)
	token := rand.Text()
	if !c.indexed {
		reply, err := s.run(ctx, c.doing, c.script, keys, append([]any{token, 0}, c.args...)...)
		if err != nil || reply[0] != "index" {
			return c.result(key, reply, err)
		}
	}
	for range 3 {
		m, err := s.mark(ctx, c.doing, key.String(), c.removes)
		if err != nil {
			return nil, err
		}
		// If this fails, what became of it is not known, and List finds it out.
		reply, err := s.run(ctx, c.doing, c.script, keys, append([]any{token, m.until}, c.args...)...)
		if err != nil {
			return c.result(key, nil, err)
		}
		// The change was made, and its caller is told so, also if the index is not:
		// then the mark stays, and List sees to it.
		_ = s.settleMark(ctx, key.String(), m, c.removes, reply)
		if reply[0] != "late" {
			return c.result(key, reply, nil)
		}
	}
	return nil, fmt.Errorf("redisstore: %s: %w: it takes too long", c.doing, driver.ErrUnavailable)
}

// result turns the reply of a script into an error, if it is one.
func (c *change) result(key driver.Key, reply []string, err error) ([]string, error) {
	if errors.Is(err, errWrongType) {
		return nil, damaged(key, "keys", "one is of another type")
	}
	if err != nil {
		return nil, err
	}
	switch status := reply[0]; {
	case status == "ok" || status == "again":
		return reply, nil
	case status == "conflict":
		return nil, fmt.Errorf("redisstore: %s: %w", c.doing, driver.ErrConflict)
	case status == "damaged" && len(reply) == 3:
		return nil, damaged(key, reply[1], reply[2])
	case status == "format" && len(reply) == 2:
		stored, err := strconv.Atoi(reply[1])
		if err != nil {
			return nil, damaged(key, "head", "format is not a number")
		}
		return nil, fmt.Errorf("redisstore: %s: %w", c.doing, &driver.FormatError{Key: key, Format: stored, Known: c.format})
	}
	return nil, unexpected(c.doing)
}

// addMessages puts messages behind arguments as the scripts take them.
func addMessages(args []any, messages []driver.StoredMessage) []any {
	for i := range messages {
		m := &messages[i]
		args = append(args, m.ID, m.Tokens, element(m))
	}
	return args
}

// position reads the reply to Append and Write.
func position(doing string, reply []string) (at driver.Position, added int, err error) {
	if len(reply) == 2+len(positionFields) {
		if added, err = strconv.Atoi(reply[1]); err == nil {
			at, err = parsePosition(reply[2:])
		}
		if err == nil {
			return at, added, nil
		}
	}
	return at, 0, unexpected(doing)
}

// run runs a script and returns its reply, which has at least one part.
func (s *Store) run(ctx context.Context, doing string, script *redis.Script, keys []string, args ...any) ([]string, error) {
	reply, err := script.Run(ctx, s.client, keys, args...).StringSlice()
	if err != nil {
		return nil, s.failed(ctx, doing, err)
	}
	if len(reply) == 0 {
		return nil, unexpected(doing)
	}
	return reply, nil
}

// failed is failure, of a store that may have been closed meanwhile.
func (s *Store) failed(ctx context.Context, doing string, err error) error {
	if s.closed.Load() {
		return fmt.Errorf("redisstore: %s: %w", doing, driver.ErrClosed)
	}
	return failure(ctx, doing, err)
}
