package drivertest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func concurrencyFaults() []fault {
	return []fault{{
		"write looks, then writes", looksThenWrites,
		[]string{"made at once", "changed at once"},
	}, {
		"append writes the whole session", appendsWhole,
		[]string{"appended at once", "appends and drops"},
	}, {
		"append looks for ids, then adds", looksThenAdds,
		[]string{"the same ids at once"},
	}, {
		"write writes the head, then the messages", writesInTwo,
		[]string{"reads are whole"},
	}, {
		"append gives up when the session changes", givesUp,
		[]string{"appended and deleted at once"},
	}, {
		"a handle reads what it has read before", readsBefore,
		[]string{"handles see each other's writes"},
	}}
}

// meeting has clients wait for one another where a fault needs two in one place. When
// one waits for too long, as no other is left, there are no meetings anymore.
type meeting struct {
	mu      sync.Mutex
	waiting chan struct{}
	alone   bool
}

func (m *meeting) wait() {
	m.mu.Lock()
	if m.alone {
		m.mu.Unlock()
		return
	}
	if m.waiting != nil {
		close(m.waiting)
		m.waiting = nil
		m.mu.Unlock()
		return
	}
	met := make(chan struct{})
	m.waiting = met
	m.mu.Unlock()
	select {
	case <-met:
	case <-time.After(2 * time.Second):
		m.mu.Lock()
		defer m.mu.Unlock()
		m.alone = true
	}
}

func looksThenWrites(s driver.Store, _ *clock) *broken {
	var m meeting
	return &broken{Store: s, write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
		r, err := s.Load(ctx, key, 0)
		if err != nil && w.If.Revision != 0 || err == nil && (w.If.Revision != r.Revision || w.If.Next != 0 && w.If.Next != r.Next) {
			return driver.Position{}, session.ErrConflict
		}
		m.wait()
		for {
			w.If = driver.Condition{}
			if r, err := s.Load(ctx, key, 0); err == nil {
				w.If = at(r.Position)
			}
			if p, err := s.Write(ctx, key, w); err == nil {
				return p, nil
			}
		}
	}}
}

func appendsWhole(s driver.Store, _ *clock) *broken {
	var m meeting
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		r, err := s.Load(ctx, key, -1)
		if err == nil {
			a.Messages = slices.Concat(r.Messages, a.Messages)
		}
		m.wait()
		_ = s.Delete(ctx, key, nil)
		p, added, err := s.Append(ctx, key, a)
		if r != nil {
			added -= len(r.Messages)
		}
		return p, added, err
	}}
}

func looksThenAdds(s driver.Store, _ *clock) *broken {
	var m meeting
	b := idsAgain(s, nil)
	load, add := b.load, b.append
	b.append = func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		if r, err := load(ctx, key, -1); err == nil {
			there := idsOf(r.Messages)
			a.Messages = slices.DeleteFunc(slices.Clone(a.Messages), func(m driver.StoredMessage) bool { return slices.Contains(there, m.ID) })
		}
		m.wait()
		return add(ctx, key, a)
	}
	return b
}

func writesInTwo(s driver.Store, _ *clock) *broken {
	var reads atomic.Int64
	var alone atomic.Bool
	// As many reads are under way as there are clients at most: one more, and one of
	// them has begun after the head was written.
	letRead := func() {
		deadline := time.Now().Add(time.Second)
		for enough := reads.Load() + clients + 1; reads.Load() < enough && !alone.Load(); runtime.Gosched() {
			if time.Now().After(deadline) {
				alone.Store(true)
			}
		}
	}
	return &broken{
		Store: s,
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			defer reads.Add(1)
			return s.Load(ctx, key, last)
		},
		write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
			messages := w.Messages
			w.Messages = nil
			p, err := s.Write(ctx, key, w)
			if err != nil {
				return p, err
			}
			letRead()
			p, _, err = s.Append(ctx, key, driver.Append{Messages: messages, Head: []byte(fmt.Sprint(len(messages))), Format: w.Format, Now: w.Now})
			return p, err
		},
	}
}

func givesUp(s driver.Store, _ *clock) *broken {
	var m meeting
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		var where driver.Condition
		r, err := s.Load(ctx, key, 0)
		if err == nil {
			where = at(r.Position)
		}
		m.wait()
		p, err := s.Write(ctx, key, driver.Write{If: where, Head: a.Head, Messages: a.Messages, Format: a.Format, Now: a.Now})
		return p, len(a.Messages), err
	}}
}

// readsBefore keeps what it has read until it writes.
func readsBefore(s driver.Store, c *clock) *broken {
	read := map[session.Key]*driver.StoredSession{}
	return &broken{
		Store:   s,
		another: func() *broken { return readsBefore(s, c) },
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			if r := read[key]; r != nil {
				return r, nil
			}
			r, err := s.Load(ctx, key, last)
			if err == nil {
				read[key] = r
			}
			return r, err
		},
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			delete(read, key)
			return s.Append(ctx, key, a)
		},
	}
}
