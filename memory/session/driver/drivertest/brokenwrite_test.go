package drivertest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// onWrite is a fault in a Write. r is the session, nil if it does not exist.
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

// revisionsFrom1 counts the revisions of each session from 1.
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

// onAppend is a fault in what is appended.
func onAppend(change func(a *driver.Append)) func(driver.Store, *clock) *broken {
	return func(s driver.Store, _ *clock) *broken {
		return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			change(&a)
			return s.Append(ctx, key, a)
		}}
	}
}

func appendFaults() []fault {
	return []fault{{
		"append loses the last of many messages",
		onAppend(func(a *driver.Append) {
			if n := len(a.Messages); n > 1 {
				a.Messages = a.Messages[:n-1]
			}
		}),
		[]string{"append makes a session", "append adds at the end", "like the model"},
	}, {
		"append of nothing does nothing", appendsNothing,
		[]string{"append of nothing makes a session", "like the model"},
	}, {
		"append adds in another order",
		onAppend(func(a *driver.Append) {
			a.Messages = slices.Clone(a.Messages)
			slices.Reverse(a.Messages)
		}),
		[]string{"append adds at the end", "like the model"},
	}, {
		"append returns the position before it", appendsLate,
		[]string{"append says where the session stands", "like the model"},
	}, {
		"load returns the first messages", loadsFirst,
		[]string{"load the last messages", "like the model"},
	}, {
		"load of nothing is an empty record", loadsNothing,
		[]string{"load of nothing"},
	}, {
		"a write without a window takes it away", windowLost,
		[]string{"window is kept", "like the model"},
	}, {
		"times are kept to the second",
		onAppend(func(a *driver.Append) { a.Now = a.Now.Truncate(time.Second) }),
		[]string{"time of the last write", "like the model"},
	}, {
		"bodies are those of the caller", inputKept,
		[]string{"input is not kept"},
	}, {
		"snapshots are changed by appends", snapshotsChange,
		[]string{"snapshots stay"},
	}}
}

func appendsNothing(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		if len(a.Messages) == 0 {
			return driver.Position{}, 0, nil
		}
		return s.Append(ctx, key, a)
	}}
}

func appendsLate(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		p, added, err := s.Append(ctx, key, a)
		p.Next -= uint64(added)
		return p, added, err
	}}
}

func loadsFirst(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
		r, err := s.Load(ctx, key, -1)
		if err == nil && last >= 0 {
			r.Messages = r.Messages[:min(last, len(r.Messages))]
		}
		return r, err
	}}
}

func loadsNothing(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
		r, err := s.Load(ctx, key, last)
		if errors.Is(err, session.ErrNotFound) {
			return &driver.StoredSession{}, nil
		}
		return r, err
	}}
}

func windowLost(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		p, added, err := s.Append(ctx, key, a)
		p.Window = a.Window
		return p, added, err
	}}
}

func inputKept(s driver.Store, _ *clock) *broken {
	kept := map[string][]byte{}
	return &broken{
		Store: s,
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			for _, m := range a.Messages {
				kept[m.ID] = m.Body
			}
			return s.Append(ctx, key, a)
		},
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			r, err := s.Load(ctx, key, last)
			if err == nil {
				r.Messages = slices.Clone(r.Messages)
				for i, m := range r.Messages {
					r.Messages[i].Body = kept[m.ID]
				}
			}
			return r, err
		},
	}
}

func snapshotsChange(s driver.Store, _ *clock) *broken {
	var loaded []*driver.StoredSession
	return &broken{
		Store: s,
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			r, err := s.Load(ctx, key, last)
			if err == nil {
				r.Messages = slices.Clone(r.Messages)
				loaded = append(loaded, r)
			}
			return r, err
		},
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			for _, r := range loaded {
				clear(r.Messages)
			}
			return s.Append(ctx, key, a)
		},
	}
}

// onList is a fault in a Listing.
func onList(change func(all []session.Key, page *session.Listing, f session.ListOptions) error) func(driver.Store, *clock) *broken {
	return func(s driver.Store, _ *clock) *broken {
		return &broken{Store: s, list: func(ctx context.Context, f session.ListOptions) (session.Listing, error) {
			page, err := s.List(ctx, f)
			if err != nil {
				return page, err
			}
			all, err := s.List(ctx, session.ListOptions{Limit: -1})
			if err != nil {
				return page, err
			}
			return page, change(all.Keys, &page, f)
		}}
	}
}

func listFaults() []fault {
	return []fault{{
		"list is in the order of the parts",
		onList(func(_ []session.Key, page *session.Listing, _ session.ListOptions) error {
			slices.SortFunc(page.Keys, func(a, b session.Key) int {
				return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.UserID, b.UserID), strings.Compare(a.SessionID, b.SessionID))
			})
			return nil
		}),
		[]string{"list in order"},
	}, {
		"an empty part of a filter lets all pass",
		func(s driver.Store, _ *clock) *broken {
			return &broken{Store: s, list: func(ctx context.Context, f session.ListOptions) (session.Listing, error) {
				if f.Namespace != nil && *f.Namespace == "" {
					f.Namespace = nil
				}
				return s.List(ctx, f)
			}}
		},
		[]string{"list by filter"},
	}, {
		"a filter is a prefix",
		onList(func(all []session.Key, page *session.Listing, f session.ListOptions) error {
			if f.UserID != nil && f.Namespace == nil && f.SessionID == nil {
				page.Keys = slices.DeleteFunc(all, func(k session.Key) bool { return !strings.HasPrefix(k.UserID, *f.UserID) })
				page.Total = len(page.Keys)
			}
			return nil
		}),
		[]string{"list by filter"},
	}, {
		"the total is that of the page",
		onList(func(_ []session.Key, page *session.Listing, _ session.ListOptions) error {
			page.Total = len(page.Keys)
			return nil
		}),
		[]string{"list in pages", "like the model"},
	}, {
		"a page has 90 keys at most",
		onList(func(_ []session.Key, page *session.Listing, _ session.ListOptions) error {
			page.Keys = page.Keys[:min(len(page.Keys), 90)]
			return nil
		}),
		[]string{"list by default"},
	}, {
		"a list of nothing is not found",
		onList(func(_ []session.Key, page *session.Listing, _ session.ListOptions) error {
			if page.Total == 0 {
				return session.ErrNotFound
			}
			return nil
		}),
		[]string{"list of nothing"},
	}, {
		"parts of keys are joined",
		onKeys(func(k session.Key) session.Key {
			return session.Key{SessionID: k.Namespace + "/" + k.UserID + "/" + k.SessionID}
		}),
		[]string{"keys of all sorts", "keys at random"},
	}, {
		"keys are text",
		onKeys(func(k session.Key) session.Key {
			k.Namespace, k.SessionID = strings.ToValidUTF8(k.Namespace, "?"), strings.ToValidUTF8(k.SessionID, "?")
			return k
		}),
		[]string{"keys of all sorts"},
	}, {
		"keys are cut",
		onKeys(func(k session.Key) session.Key {
			k.SessionID = k.SessionID[:min(len(k.SessionID), 8000)]
			return k
		}),
		[]string{"long keys"},
	}, {
		"bad keys are taken",
		onKeys(func(k session.Key) session.Key {
			if k.Check() != nil {
				return session.Key{SessionID: "bad"}
			}
			return k
		}),
		[]string{"bad keys"},
	}, {
		"contexts are of no account",
		func(s driver.Store, _ *clock) *broken {
			return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
				return s.Append(context.WithoutCancel(ctx), key, a)
			}}
		},
		[]string{"context has ended"},
	}, {
		"close does nothing",
		func(s driver.Store, _ *clock) *broken { return &broken{Store: s, close: func() error { return nil }} },
		[]string{"closed"},
	}}
}

// onKeys is a fault by which keys become others. List still gives those that were
// written, so that only what is stored under them can tell.
func onKeys(change func(k session.Key) session.Key) func(driver.Store, *clock) *broken {
	return func(s driver.Store, _ *clock) *broken {
		written := map[session.Key]bool{}
		return &broken{
			Store: s,
			load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
				return s.Load(ctx, change(key), last)
			},
			append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
				written[key] = true
				return s.Append(ctx, change(key), a)
			},
			delete: func(ctx context.Context, key session.Key, where *driver.Condition) error {
				delete(written, key)
				return s.Delete(ctx, change(key), where)
			},
			list: func(context.Context, session.ListOptions) (session.Listing, error) {
				var keys []session.Key
				for key := range written {
					keys = append(keys, key)
				}
				return session.Listing{Keys: sorted(keys), Total: len(keys)}, nil
			},
		}
	}
}
