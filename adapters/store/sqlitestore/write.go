package sqlitestore

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Write implements driver.Store.
func (s *Store) Write(ctx context.Context, key driver.Key, w driver.Write) (at driver.Position, err error) {
	err = check(ctx, key, w.TTL)
	if err == nil {
		err = s.writer.do(ctx, func(t *tx) (err error) {
			at, err = t.write(s.newCall(ctx, key), w)
			return err
		})
	}
	if err != nil {
		return driver.Position{}, s.failed(ctx, "writing", key, err)
	}
	return at, nil
}

func (t *tx) write(c *call, w driver.Write) (driver.Position, error) {
	r, err := t.findForWrite(c, w)
	if err != nil {
		return driver.Position{}, err
	}
	if r == nil {
		r, err = t.createSession(c, w.Format, w.Head)
	} else {
		err = t.rewrite(c, r, w)
	}
	if err != nil {
		return driver.Position{}, err
	}
	if err := t.insertAbsent(c, r, w.Messages); err != nil {
		return driver.Position{}, err
	}
	expiry := r.touch(c.now, w.TTL, w.Window, w.Now)
	due := w.Due != nil && r.setDue(*w.Due)
	return r.Position, t.save(r, expiry, due)
}

// findForWrite returns the session that a Write changes, or nil if it must be created.
func (t *tx) findForWrite(c *call, w driver.Write) (*row, error) {
	r, err := t.find(c.key, c.now)
	switch {
	case err != nil:
		return nil, err
	case r == nil && w.If.Revision != 0:
		return nil, driver.ErrConflict
	case r == nil:
		return nil, nil
	case r.format > w.Format:
		return nil, &driver.FormatError{Key: c.key, Format: r.format, Known: w.Format}
	}
	return r, r.meets(w.If)
}

// rewrite replaces the head of a session and drops messages.
func (t *tx) rewrite(c *call, r *row, w driver.Write) error {
	before := min(w.DropBefore, r.Next)
	if before > r.First {
		tokens, err := t.tokensBefore(c.key, r, before)
		if err != nil {
			return err
		}
		if err := t.drop(r, before); err != nil {
			return err
		}
		r.First = before
		r.Tokens -= tokens
	}
	r.Revision++
	r.format = w.Format
	_, err := t.exec(`INSERT INTO heads (session, head) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET head = ?2`, r.id, bytesOf(w.Head))
	return err
}

// insertAbsent inserts the messages that are not in the session, including dropped ones.
func (t *tx) insertAbsent(c *call, r *row, messages []driver.StoredMessage) error {
	known, err := t.knownIDs(c, r, messages)
	if err != nil {
		return err
	}
	messages = fresh(messages, func(id string) bool { return known[id] >= r.First })
	for _, m := range messages {
		if seq, ok := known[m.ID]; ok {
			if err := t.forget(r, seq); err != nil {
				return err
			}
		}
	}
	return t.insert(c, r, messages)
}
