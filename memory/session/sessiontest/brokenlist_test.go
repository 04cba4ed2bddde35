package sessiontest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// onList is a fault in what is listed.
func onList(change func(all []session.Key, page *session.Page, f session.Filter) error) func(session.Store, *clock) *broken {
	return func(s session.Store, _ *clock) *broken {
		return &broken{Store: s, list: func(ctx context.Context, f session.Filter) (session.Page, error) {
			page, err := s.List(ctx, f)
			if err != nil {
				return page, err
			}
			all, err := s.List(ctx, session.Filter{Limit: -1})
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
		onList(func(_ []session.Key, page *session.Page, _ session.Filter) error {
			slices.SortFunc(page.Keys, func(a, b session.Key) int {
				return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.UserID, b.UserID), strings.Compare(a.SessionID, b.SessionID))
			})
			return nil
		}),
		[]string{"list in order"},
	}, {
		"an empty part of a filter lets all pass",
		func(s session.Store, _ *clock) *broken {
			return &broken{Store: s, list: func(ctx context.Context, f session.Filter) (session.Page, error) {
				if f.Namespace != nil && *f.Namespace == "" {
					f.Namespace = nil
				}
				return s.List(ctx, f)
			}}
		},
		[]string{"list by filter"},
	}, {
		"a filter is a prefix",
		onList(func(all []session.Key, page *session.Page, f session.Filter) error {
			if f.UserID != nil && f.Namespace == nil && f.SessionID == nil {
				page.Keys = slices.DeleteFunc(all, func(k session.Key) bool { return !strings.HasPrefix(k.UserID, *f.UserID) })
				page.Total = len(page.Keys)
			}
			return nil
		}),
		[]string{"list by filter"},
	}, {
		"the total is that of the page",
		onList(func(_ []session.Key, page *session.Page, _ session.Filter) error {
			page.Total = len(page.Keys)
			return nil
		}),
		[]string{"list in pages", "like the model"},
	}, {
		"a list of nothing is not found",
		onList(func(_ []session.Key, page *session.Page, _ session.Filter) error {
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
		func(s session.Store, _ *clock) *broken {
			return &broken{Store: s, append: func(ctx context.Context, key session.Key, a session.Append) (session.Position, int, error) {
				return s.Append(context.WithoutCancel(ctx), key, a)
			}}
		},
		[]string{"context has ended"},
	}, {
		"close does nothing",
		func(s session.Store, _ *clock) *broken { return &broken{Store: s, close: func() error { return nil }} },
		[]string{"closed"},
	}}
}

// onKeys is a fault by which keys become others. List still gives those that were
// written, so that only what is stored under them can tell.
func onKeys(change func(k session.Key) session.Key) func(session.Store, *clock) *broken {
	return func(s session.Store, _ *clock) *broken {
		written := map[session.Key]bool{}
		return &broken{
			Store: s,
			load: func(ctx context.Context, key session.Key, last int) (*session.Record, error) {
				return s.Load(ctx, change(key), last)
			},
			append: func(ctx context.Context, key session.Key, a session.Append) (session.Position, int, error) {
				written[key] = true
				return s.Append(ctx, change(key), a)
			},
			delete: func(ctx context.Context, key session.Key, where *session.Condition) error {
				delete(written, key)
				return s.Delete(ctx, change(key), where)
			},
			list: func(context.Context, session.Filter) (session.Page, error) {
				var keys []session.Key
				for key := range written {
					keys = append(keys, key)
				}
				return session.Page{Keys: sorted(keys), Total: len(keys)}, nil
			},
		}
	}
}
