package drivertest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// onList is a fault in what is listed.
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
