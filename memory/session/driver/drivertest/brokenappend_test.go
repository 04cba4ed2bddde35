package drivertest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

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
