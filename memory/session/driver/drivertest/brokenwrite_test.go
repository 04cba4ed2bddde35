package drivertest

import (
	"context"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// onWrite is a fault in what is written. r is the session, nil if there is none.
func onWrite(change func(w *driver.Write, r *driver.StoredSession)) func(driver.Store, *clock) *broken {
	return func(s driver.Store, _ *clock) *broken {
		return &broken{Store: s, write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
			r, err := s.Load(ctx, key, -1)
			if err != nil {
				r = nil
			}
			change(&w, r)
			return s.Write(ctx, key, w)
		}}
	}
}

func writeFaults() []fault {
	return []fault{{
		"write pays no heed to conditions",
		onWrite(func(w *driver.Write, r *driver.StoredSession) {
			w.If = driver.Condition{}
			if r != nil {
				w.If = at(r.Position)
			}
		}),
		[]string{
			"write makes a session", "write changes nothing that is not there", "write on a condition",
			"revisions of a session that is made again", "expired: write", "like the model",
		},
	}, {
		"write pays no heed to Next",
		onWrite(func(w *driver.Write, _ *driver.StoredSession) { w.If.Next = 0 }),
		[]string{"write on a condition", "like the model"},
	}, {
		"write leaves the head",
		onWrite(func(w *driver.Write, r *driver.StoredSession) {
			if r != nil {
				w.Head = r.Head
			}
		}),
		[]string{"write replaces the head", "heads come back as they were", "like the model"},
	}, {
		"revisions begin with 1", revisionsFrom1,
		[]string{"revisions of a session that is made again", "like the model"},
	}, {
		"write drops a message less",
		onWrite(func(w *driver.Write, _ *driver.StoredSession) { w.DropBefore -= min(w.DropBefore, 1) }),
		[]string{"write drops messages", "write drops, then adds", "like the model"},
	}, {
		"numbers begin anew", numbersAnew,
		[]string{"numbers are not given twice", "write drops messages", "like the model"},
	}, {
		"write adds, then drops", addsThenDrops,
		[]string{"write drops, then adds"},
	}, {
		"write adds up to a thousand messages",
		onWrite(func(w *driver.Write, _ *driver.StoredSession) { w.Messages = w.Messages[:min(len(w.Messages), 1000)] }),
		[]string{"write of thousands of messages"},
	}, {
		"delete of nothing is an error", deletesNothing,
		[]string{"delete", "expired: delete"},
	}, {
		"delete pays no heed to conditions", deletesAnyhow,
		[]string{"delete on a condition", "expired: delete", "like the model"},
	}, {
		"delete removes keys with the same beginning", deletesMore,
		[]string{"delete leaves others", "keys of all sorts"},
	}}
}

// revisionsFrom1 counts each session's revisions from 1.
func revisionsFrom1(s driver.Store, _ *clock) *broken {
	base := map[session.Key]uint64{}
	since := func(key session.Key, p driver.Position, err error) driver.Position {
		if _, known := base[key]; err == nil && !known {
			base[key] = p.Revision - 1
		}
		p.Revision -= base[key]
		return p
	}
	inner := func(key session.Key, c driver.Condition) driver.Condition {
		if c.Revision != 0 {
			c.Revision += base[key]
		}
		return c
	}
	return &broken{
		Store: s,
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			r, err := s.Load(ctx, key, last)
			if err == nil {
				r.Position = since(key, r.Position, err)
			} else {
				delete(base, key)
			}
			return r, err
		},
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			if _, err := s.Load(ctx, key, 0); err != nil {
				delete(base, key)
			}
			p, added, err := s.Append(ctx, key, a)
			return since(key, p, err), added, err
		},
		write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
			w.If = inner(key, w.If)
			p, err := s.Write(ctx, key, w)
			return since(key, p, err), err
		},
		delete: func(ctx context.Context, key session.Key, where *driver.Condition) error {
			if where != nil {
				where = new(inner(key, *where))
			}
			err := s.Delete(ctx, key, where)
			if err == nil {
				delete(base, key)
			}
			return err
		},
	}
}

func numbersAnew(s driver.Store, _ *clock) *broken {
	anew := func(p driver.Position) driver.Position {
		if p.Len() == 0 && p.Revision != 0 {
			p.First, p.Next = 1, 1
		}
		return p
	}
	return &broken{
		Store: s,
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			r, err := s.Load(ctx, key, last)
			if err == nil {
				r.Position = anew(r.Position)
			}
			return r, err
		},
		write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
			p, err := s.Write(ctx, key, w)
			return anew(p), err
		},
	}
}

func addsThenDrops(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
		r, err := s.Load(ctx, key, 0)
		if err != nil {
			return s.Write(ctx, key, w)
		}
		drop := w
		drop.DropBefore, drop.Messages = min(w.DropBefore, r.Next), nil
		w.DropBefore = 0
		p, err := s.Write(ctx, key, w)
		if err != nil {
			return p, err
		}
		drop.If = at(p)
		return s.Write(ctx, key, drop)
	}}
}

func deletesNothing(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, delete: func(ctx context.Context, key session.Key, where *driver.Condition) error {
		if _, err := s.Load(ctx, key, 0); err != nil && where == nil {
			return err
		}
		return s.Delete(ctx, key, where)
	}}
}

func deletesAnyhow(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, delete: func(ctx context.Context, key session.Key, _ *driver.Condition) error {
		return s.Delete(ctx, key, nil)
	}}
}

func deletesMore(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, delete: func(ctx context.Context, key session.Key, where *driver.Condition) error {
		page, err := s.List(ctx, session.ListOptions{Namespace: &key.Namespace, UserID: &key.UserID, Limit: -1})
		if err != nil {
			return err
		}
		for _, other := range page.Keys {
			if other != key && strings.HasPrefix(other.SessionID, key.SessionID) {
				_ = s.Delete(ctx, other, nil)
			}
		}
		return s.Delete(ctx, key, where)
	}}
}
