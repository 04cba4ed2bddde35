package drivertest

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// simple is a store on a model. It is correct unless a part of it is replaced.
type simple struct {
	model
	parts   parts
	clock   *conformance.Clock
	start   time.Time
	mu      sync.Mutex
	entered chan struct{} // closed by the next call
	closed  bool
}

// parts are what a mutant of simple replaces. They are called with the lock held; those that are
// nil do nothing, or what a store should do.
type parts struct {
	key       func(k driver.Key) driver.Key
	context   func(ctx context.Context) context.Context
	revision  func() uint64
	borrows   bool                            // keeps slices that it was given
	change    func(s *modelSession, c change) // before an Append or a Write; s is nil if there is none
	append    func(s *simple, key driver.Key, a *driver.Append)
	appended  func(s *simple, key driver.Key, p *driver.Position, added int)
	write     func(s *simple, key driver.Key, w *driver.Write)
	delete    func(s *simple, key driver.Key, where *driver.Condition) error
	load      func(s *simple, key driver.Key, last int) (*driver.StoredSession, error)
	list      func(s *simple, o driver.ListOptions) (driver.Listing, error)
	due       func(s *simple, by time.Time, limit int) []driver.Key
	asks      func(r *driver.StoredSession) int64 // of a Reserve
	insists   bool                                // ignores the refusal of a Reserve
	staysOpen bool
	separates bool // each handle has data of its own
}

// change is what an Append and a Write have in common.
type change struct {
	messages []driver.StoredMessage
	head     *[]byte
	format   *int
	ttl      *time.Duration
	due      time.Time
}

// harness returns a harness of simple stores with some parts replaced.
func harness(p parts) func(testing.TB) Harness {
	return func(testing.TB) Harness {
		clock := conformance.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		open := func(testing.TB) driver.Store {
			return &simple{
				model: model{sessions: map[driver.Key]*modelSession{}}, parts: p,
				clock: clock, start: clock.Now(), entered: make(chan struct{}),
			}
		}
		if p.separates {
			return Harness{Sleep: clock.Sleep, Shared: true, Open: open}
		}
		store := open(nil)
		return Harness{Sleep: clock.Sleep, Open: func(testing.TB) driver.Store { return store }}
	}
}

// enter begins a call, which unlocks in the end.
func (s *simple) enter() {
	s.mu.Lock()
	close(s.entered)
	s.entered = make(chan struct{})
	s.passed = s.clock.Now().Sub(s.start)
}

// pause lets other calls in, in the middle of one: at least one, if there is any.
func (s *simple) pause() {
	entered := s.entered
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-entered:
	case <-time.After(50 * time.Millisecond):
	}
}

func (s *simple) check(ctx context.Context, key *driver.Key) error {
	if s.parts.context != nil {
		ctx = s.parts.context(ctx)
	}
	if s.parts.key != nil && key != nil {
		*key = s.parts.key(*key)
	}
	switch {
	case s.closed:
		return driver.ErrClosed
	case ctx.Err() != nil || key == nil:
		return ctx.Err()
	}
	return key.Check()
}

// prepare copies what an Append or a Write was given and returns what the model does not
// decide: the revision of a new session and its expiry.
func (s *simple) prepare(key driver.Key, messages *[]driver.StoredMessage, c change) (driver.Position, error) {
	if !s.parts.borrows {
		*c.head = bytes.Clone(*c.head)
		*messages = slices.Clone(*messages)
		for i, m := range *messages {
			(*messages)[i].Body = bytes.Clone(m.Body)
		}
	}
	c.messages = *messages
	if s.parts.change != nil {
		s.parts.change(s.find(key), c)
	}
	ms, err := driver.TTLMillis(*c.ttl)
	if ms > 0 {
		*c.ttl = max(*c.ttl, time.Millisecond)
	}
	p := driver.Position{Revision: driver.NewRevision(), ExpiresAt: millis(s.clock.Now().Add(*c.ttl))}
	if s.parts.revision != nil {
		p.Revision = s.parts.revision()
	}
	return p, err
}

func (s *simple) Append(ctx context.Context, key driver.Key, a driver.Append) (driver.Position, int, error) {
	s.enter()
	defer s.mu.Unlock()
	if err := s.check(ctx, &key); err != nil {
		return driver.Position{}, 0, err
	}
	made, err := s.prepare(key, &a.Messages, change{head: &a.Head, format: &a.Format, ttl: &a.TTL, due: a.Due})
	if err != nil {
		return driver.Position{}, 0, err
	}
	if s.parts.append != nil {
		s.parts.append(s, key, &a)
	}
	p, added, errs := s.append(key, a, made)
	if s.parts.appended != nil {
		s.parts.appended(s, key, &p, added)
	}
	return p, added, s.first(key, a.Format, errs)
}

func (s *simple) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
	s.enter()
	defer s.mu.Unlock()
	if err := s.check(ctx, &key); err != nil {
		return driver.Position{}, err
	}
	c := change{head: &w.Head, format: &w.Format, ttl: &w.TTL}
	if w.Due != nil {
		c.due = *w.Due
	}
	made, err := s.prepare(key, &w.Messages, c)
	if err != nil {
		return driver.Position{}, err
	}
	if s.parts.write != nil {
		s.parts.write(s, key, &w)
	}
	p, errs := s.write(key, w, made)
	return p, s.first(key, w.Format, errs)
}

// first returns the first of the errors of a model.
func (s *simple) first(key driver.Key, format int, errs []error) error {
	switch {
	case len(errs) == 0:
		return nil
	case errs[0] == errLater:
		return &driver.FormatError{Key: key, Format: s.find(key).Format, Known: format}
	}
	return errs[0]
}

func (s *simple) Load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	s.enter()
	defer s.mu.Unlock()
	if err := s.check(ctx, &key); err != nil {
		return nil, err
	}
	if s.parts.load != nil {
		return s.parts.load(s, key, last)
	}
	r, err := s.load(key, last)
	if reserve := driver.ReserveFrom(ctx); reserve != nil && err == nil {
		asks := asksFor
		if s.parts.asks != nil {
			asks = s.parts.asks
		}
		if refused := reserve(s, asks(r)); !s.parts.insists {
			err = refused
		}
	}
	return r, err
}

// asksFor returns the memory that a Load asks for.
func asksFor(r *driver.StoredSession) int64 {
	bytes := len(r.Head)
	for _, m := range r.Messages {
		bytes += len(m.ID) + len(m.Body)
	}
	return 2 * int64(bytes)
}

func (s *simple) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	s.enter()
	defer s.mu.Unlock()
	if err := s.check(ctx, &key); err != nil {
		return err
	}
	if s.parts.delete != nil {
		return s.parts.delete(s, key, where)
	}
	return s.first(key, 0, s.delete(key, where))
}

func (s *simple) List(ctx context.Context, o driver.ListOptions) (driver.Listing, error) {
	s.enter()
	defer s.mu.Unlock()
	if err := s.check(ctx, nil); err != nil {
		return driver.Listing{}, err
	}
	o.Limit, o.Offset = min(o.Limit, 1<<30), min(max(o.Offset, 0), 1<<30) // which can be added
	if s.parts.list != nil {
		return s.parts.list(s, o)
	}
	return s.list(o), nil
}

func (s *simple) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	s.enter()
	defer s.mu.Unlock()
	if err := s.check(ctx, nil); err != nil {
		return nil, err
	}
	if s.parts.due != nil {
		return s.parts.due(s, by, limit), nil
	}
	return first(s.dueKeys(by), limit), nil
}

func (s *simple) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = !s.parts.staysOpen
	return nil
}
