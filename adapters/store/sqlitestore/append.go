package sqlitestore

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// call is a call that changes a session.
type call struct {
	ctx context.Context
	key driver.Key
	now int64 // the store's clock, in ms
}

// newCall must be called in the transaction: a call that waited for it must not see a session
// that has expired since.
func (s *Store) newCall(ctx context.Context, key driver.Key) *call {
	return &call{ctx: ctx, key: key, now: s.now()}
}

// Append implements driver.Store.
func (s *Store) Append(ctx context.Context, key driver.Key, a driver.Append) (at driver.Position, added int, err error) {
	err = check(ctx, key, a.TTL)
	if err == nil {
		err = s.writer.do(ctx, func(t *tx) (err error) {
			at, added, err = t.append(s.newCall(ctx, key), a)
			return err
		})
	}
	if err != nil {
		return driver.Position{}, 0, s.failed(ctx, "appending", key, err)
	}
	return at, added, nil
}

func (t *tx) append(c *call, a driver.Append) (driver.Position, int, error) {
	r, err := t.find(c.key, c.now)
	if err != nil {
		return driver.Position{}, 0, err
	}
	if r == nil {
		r, err = t.createSession(c, a.Format, a.Head)
	} else if r.format > a.Format {
		err = &driver.FormatError{Key: c.key, Format: r.format, Known: a.Format}
	}
	if err != nil {
		return driver.Position{}, 0, err
	}
	known, err := t.knownIDs(c, r, a.Messages)
	if err != nil {
		return driver.Position{}, 0, err
	}
	messages := fresh(a.Messages, func(id string) bool { _, ok := known[id]; return ok })
	if err := t.insert(c, r, messages); err != nil {
		return driver.Position{}, 0, err
	}
	expiry := r.touch(c.now, a.TTL, a.Window, a.Now)
	due := !r.due.Valid && r.setDue(a.Due)
	return r.Position, len(messages), t.save(r, expiry, due)
}

// createSession inserts a new session.
func (t *tx) createSession(c *call, format int, head []byte) (*row, error) {
	r := &row{Position: driver.Position{Revision: driver.NewRevision(), First: 1, Next: 1}, format: format}
	return r, t.create(c.key, r, head)
}
