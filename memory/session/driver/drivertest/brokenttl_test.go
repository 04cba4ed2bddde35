package drivertest

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// onTTL is a fault in the times to live of both Append and Write.
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

// expiredHidden keeps the times to live by itself and hides expired sessions from
// Load and List.
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
