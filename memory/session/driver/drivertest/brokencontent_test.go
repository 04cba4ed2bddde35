package drivertest

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// onMessages is a fault in the messages and heads of Append and Write.
func onMessages(message func(m *driver.StoredMessage), head func(head []byte) []byte) func(driver.Store, *clock) *broken {
	change := func(messages []driver.StoredMessage) []driver.StoredMessage {
		messages = slices.Clone(messages)
		for i := range messages {
			if message != nil {
				message(&messages[i])
			}
		}
		return messages
	}
	if head == nil {
		head = func(head []byte) []byte { return head }
	}
	return func(s driver.Store, _ *clock) *broken {
		return &broken{
			Store: s,
			append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
				a.Messages, a.Head = change(a.Messages), head(a.Head)
				return s.Append(ctx, key, a)
			},
			write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
				w.Messages, w.Head = change(w.Messages), head(w.Head)
				return s.Write(ctx, key, w)
			},
		}
	}
}

func onBodies(change func(body []byte) []byte) func(driver.Store, *clock) *broken {
	return onMessages(func(m *driver.StoredMessage) { m.Body = change(m.Body) }, nil)
}

func onIDs(change func(id string) string) func(driver.Store, *clock) *broken {
	return onMessages(func(m *driver.StoredMessage) { m.ID = change(m.ID) }, nil)
}

func idFaults() []fault {
	return []fault{{
		"append adds ids that are there", idsAgain,
		[]string{
			"ids in the session", "ids twice in a call", "ids that left", "ids of all sorts", "the same ids at once",
			"append of thousands of messages", "like the model",
		},
	}, {
		"the last of two messages with one id counts", lastCounts,
		[]string{"ids twice in a call", "like the model"},
	}, {
		"ids that left are forgotten", idsForgotten,
		[]string{"ids that left", "ids that came back", "ids of all sorts", "like the model"},
	}, {
		"write leaves out ids that left", idsGoneForGood,
		[]string{"ids that came back", "write drops, then adds", "like the model"},
	}, {
		"ids end with a NUL",
		onIDs(func(id string) string {
			before, _, _ := strings.Cut(id, "\x00")
			return before
		}),
		[]string{"ids of all sorts"},
	}, {
		"ids without case", onIDs(strings.ToLower), []string{"ids of all sorts"},
	}, {
		"ids without space", onIDs(strings.TrimSpace), []string{"ids of all sorts"},
	}, {
		"append adds up to a thousand messages",
		onAppend(func(a *driver.Append) { a.Messages = a.Messages[:min(len(a.Messages), 1000)] }),
		[]string{"append of thousands of messages"},
	}}
}

func contentFaults() []fault {
	return []fault{{
		"bodies are written anew",
		onBodies(func(body []byte) []byte {
			var b bytes.Buffer
			if json.Compact(&b, body) != nil {
				return body
			}
			return b.Bytes()
		}),
		[]string{"bodies come back as they were"},
	}, {
		"bodies without NUL",
		onBodies(func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(`\u0000`), nil) }),
		[]string{"bodies come back as they were"},
	}, {
		"bodies are cut",
		onBodies(func(body []byte) []byte { return body[:min(len(body), 2<<20)] }),
		[]string{"large bodies"},
	}, {
		"heads are text",
		onMessages(nil, func(head []byte) []byte { return bytes.ToValidUTF8(head, nil) }),
		[]string{"heads come back as they were"},
	}, {
		"tokens in 32 bits",
		onMessages(func(m *driver.StoredMessage) { m.Tokens = int64(int32(m.Tokens)) }, nil),
		[]string{"tokens add up"},
	}, {
		"later formats are changed", formats(func(stored int, format *int) error {
			*format = max(stored, *format)
			return nil
		}),
		[]string{"later formats", "like the model"},
	}, {
		"earlier formats are refused", formats(func(stored int, format *int) error {
			if stored < *format {
				return &session.FormatError{Format: stored, Known: *format}
			}
			return nil
		}),
		[]string{"earlier formats", "like the model"},
	}}
}

// formats is a fault in the handling of formats.
func formats(change func(stored int, format *int) error) func(driver.Store, *clock) *broken {
	return func(s driver.Store, _ *clock) *broken {
		check := func(ctx context.Context, key session.Key, format *int) error {
			r, err := s.Load(ctx, key, 0)
			if err != nil {
				return nil
			}
			return change(r.Format, format)
		}
		return &broken{
			Store: s,
			append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
				if err := check(ctx, key, &a.Format); err != nil {
					return driver.Position{}, 0, err
				}
				return s.Append(ctx, key, a)
			},
			write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
				if err := check(ctx, key, &w.Format); err != nil {
					return driver.Position{}, err
				}
				return s.Write(ctx, key, w)
			},
		}
	}
}

// idsAgain makes each id unique, and hides that from the suite.
func idsAgain(s driver.Store, _ *clock) *broken {
	var n atomic.Int64
	return &broken{
		Store: s,
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			a.Messages = slices.Clone(a.Messages)
			for i := range a.Messages {
				a.Messages[i].ID += "\x00#" + strconv.FormatInt(n.Add(1), 10)
			}
			return s.Append(ctx, key, a)
		},
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			r, err := s.Load(ctx, key, last)
			if err == nil {
				r.Messages = slices.Clone(r.Messages)
				for i, m := range r.Messages {
					r.Messages[i].ID, _, _ = strings.Cut(m.ID, "\x00#")
				}
			}
			return r, err
		},
	}
}

func lastCounts(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		var kept []driver.StoredMessage
		for i, m := range a.Messages {
			if !slices.Contains(idsOf(a.Messages[i+1:]), m.ID) {
				kept = append(kept, m)
			}
		}
		a.Messages = kept
		return s.Append(ctx, key, a)
	}}
}

func idsForgotten(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		r, err := s.Load(ctx, key, 0)
		if err != nil || len(a.Messages) == 0 || r.Format > a.Format {
			return s.Append(ctx, key, a)
		}
		p, err := s.Write(ctx, key, driver.Write{
			If: at(r.Position), Head: r.Head, Messages: a.Messages, Format: r.Format, TTL: a.TTL, Window: a.Window, Now: a.Now,
		})
		return p, int(p.Next - r.Next), err
	}}
}

func idsGoneForGood(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
		if _, err := s.Load(ctx, key, 0); err != nil {
			return s.Write(ctx, key, w)
		}
		messages := w.Messages
		w.Messages = nil
		if p, err := s.Write(ctx, key, w); err != nil {
			return p, err
		}
		p, _, err := s.Append(ctx, key, driver.Append{Messages: messages, Format: w.Format, Now: w.Now})
		return p, err
	}}
}

// onTTL is a fault in the TTL of Append and Write.
func onTTL(change func(ttl time.Duration) time.Duration) func(driver.Store, *clock) *broken {
	return func(s driver.Store, _ *clock) *broken {
		return &broken{
			Store: s,
			append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
				a.TTL = change(a.TTL)
				return s.Append(ctx, key, a)
			},
			write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
				w.TTL = change(w.TTL)
				return s.Write(ctx, key, w)
			},
		}
	}
}

func ttlFaults() []fault {
	return []fault{{
		"a write without a time to live takes it away",
		onTTL(func(ttl time.Duration) time.Duration {
			if ttl == 0 {
				return session.NoExpiry
			}
			return ttl
		}),
		[]string{"time to live is kept and replaced", "like the model"},
	}, {
		"an append that adds nothing does not renew", notRenewed,
		[]string{"time to live is kept and replaced", "like the model"},
	}, {
		"a load renews", renewed,
		[]string{"reads do not renew", "like the model"},
	}, {
		"a time to live cannot be taken away",
		onTTL(func(ttl time.Duration) time.Duration { return max(ttl, 0) }),
		[]string{"time to live is taken away", "bad times to live", "like the model"},
	}, {
		"times to live are full milliseconds",
		onTTL(func(ttl time.Duration) time.Duration {
			if ttl > 0 {
				return ttl.Truncate(time.Millisecond)
			}
			return ttl
		}),
		[]string{"short and long times to live"},
	}, {
		"times to live are in 32 bits",
		onTTL(func(ttl time.Duration) time.Duration { return min(ttl, math.MaxInt32*time.Millisecond) }),
		[]string{"short and long times to live", "expires in time"},
	}, {
		"times to live are full seconds",
		onTTL(func(ttl time.Duration) time.Duration {
			if ttl > 0 {
				return max(ttl.Truncate(time.Second), time.Second)
			}
			return ttl
		}),
		[]string{"short and long times to live", "expires in time", "expired: load and list", "like the model"},
	}, {
		"times to live are forgotten",
		onTTL(func(time.Duration) time.Duration { return 0 }),
		[]string{"time to live is kept and replaced", "reads do not renew", "expired: load and list", "expires in time", "like the model"},
	}, {
		"expired sessions are hidden only", expiredHidden,
		[]string{"expired: append", "expired: write", "expired: delete", "like the model"},
	}, {
		"expired sessions are listed", expiredListed,
		[]string{"expired: load and list", "expires in time"},
	}}
}

func notRenewed(s driver.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		ttl := a.TTL
		a.TTL = 0
		p, added, err := s.Append(ctx, key, a)
		if err != nil || added == 0 && p.Len() > 0 || ttl == 0 {
			return p, added, err
		}
		a.TTL = ttl
		p, _, err = s.Append(ctx, key, a)
		return p, added, err
	}}
}

func renewed(s driver.Store, _ *clock) *broken {
	ttls := map[session.Key]time.Duration{}
	return &broken{
		Store: s,
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			if a.TTL != 0 {
				ttls[key] = a.TTL
			}
			return s.Append(ctx, key, a)
		},
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			r, err := s.Load(ctx, key, last)
			if err != nil || ttls[key] <= 0 {
				return r, err
			}
			p, _, err := s.Append(ctx, key, driver.Append{TTL: ttls[key], Format: math.MaxInt, Now: r.UpdatedAt})
			r.Position = p
			return r, err
		},
	}
}

// expiredHidden keeps expiries itself, and only hides expired sessions from Load and List.
func expiredHidden(s driver.Store, c *clock) *broken {
	expires := map[session.Key]time.Time{}
	hidden := func(key session.Key) bool { return !expires[key].IsZero() && !c.Now().Before(expires[key]) }
	set := func(key session.Key, ttl time.Duration, p driver.Position) driver.Position {
		switch {
		case ttl == session.NoExpiry:
			delete(expires, key)
		case ttl > 0:
			expires[key] = c.Now().Add(ttl)
		}
		p.ExpiresAt = expires[key]
		return p
	}
	return &broken{
		Store: s,
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			r, err := s.Load(ctx, key, last)
			if err != nil || hidden(key) {
				return nil, session.ErrNotFound
			}
			r.Position = set(key, 0, r.Position)
			return r, nil
		},
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			ttl := a.TTL
			a.TTL = 0
			p, added, err := s.Append(ctx, key, a)
			return set(key, ttl, p), added, err
		},
		write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
			ttl := w.TTL
			w.TTL = 0
			p, err := s.Write(ctx, key, w)
			return set(key, ttl, p), err
		},
		list: func(ctx context.Context, f session.ListOptions) (session.Listing, error) {
			page, err := s.List(ctx, f)
			page.Keys = slices.DeleteFunc(page.Keys, hidden)
			page.Total = len(page.Keys)
			return page, err
		},
	}
}

func expiredListed(s driver.Store, _ *clock) *broken {
	var mu sync.Mutex
	written := map[session.Key]bool{}
	return &broken{
		Store: s,
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			mu.Lock()
			written[key] = true
			mu.Unlock()
			return s.Append(ctx, key, a)
		},
		list: func(context.Context, session.ListOptions) (session.Listing, error) {
			var page session.Listing
			for key := range written {
				page.Keys = append(page.Keys, key)
			}
			page.Total = len(page.Keys)
			return page, nil
		},
	}
}
