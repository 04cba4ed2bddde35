package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
)

// promotions promotes the sessions of a Manager to its LongTerm. What is to be done,
// and who is at it, stands in the store: after a crash, whoever asks it next goes on.
// A nil *promotions is that of a manager without a LongTerm.
type promotions struct {
	Promotions
	m        *Manager
	longTerm LongTerm
	queue    *workQueue
	poller   sync.WaitGroup
	stop     context.CancelFunc // of the poller

	mu   sync.Mutex
	held map[Key]hold
}

// promotionQueueLimit is how many sessions wait in the process. Of the others the
// store knows.
const promotionQueueLimit = 1024

func newPromotions(m *Manager) *promotions {
	if m.opts.LongTerm == nil {
		return nil
	}
	p := &promotions{Promotions: m.opts.Promotions, m: m, longTerm: m.opts.LongTerm, held: map[Key]hold{}, stop: func() {}}
	p.queue = newWorkQueue(p.Workers, promotionQueueLimit, func(ctx context.Context, key Key) {
		p.promote(ctx, key, false)
	})
	return p
}

// close ends the poller, and waits for what the workers have.
func (p *promotions) close(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.stop()
	p.poller.Wait()
	return p.queue.close(ctx)
}

// wants is LongTerm.Wants. The error is that it panicked.
func (p *promotions) wants(strategy *Strategy) (Wants, error) { return p.ask(strategy, false) }

// wantsAny is what is wanted for some sessions; nothing where there is no LongTerm.
// One that panics is to be seen in the background, and stops no write.
func (p *promotions) wantsAny() Wants {
	if p == nil {
		return Wants{}
	}
	wants, err := p.ask(nil, true)
	if err != nil {
		p.m.opts.Logger.Warn("session: long-term memory failed", "error", callee.Loggable(err))
	}
	return wants
}

func (p *promotions) ask(strategy *Strategy, any bool) (wants Wants, err error) {
	err = callee.Survive(func() error {
		wants = p.longTerm.Wants(strategy, any)
		return nil
	})
	if err != nil {
		return Wants{}, fmt.Errorf("session: asking what long-term memory wants: %w", err)
	}
	return wants, nil
}

// call gives a call of the LongTerm no more time than a lease has: what takes longer
// may be done by another meanwhile. What it panics with is an error.
func (p *promotions) call(ctx context.Context, doing string, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, p.Lease)
	defer cancel()
	if err := callee.Survive(func() error { return f(ctx) }); err != nil {
		return &longTermError{doing, err}
	}
	return nil
}

// longTermError is what a LongTerm failed with.
type longTermError struct {
	doing string
	err   error
}

func (e *longTermError) Error() string { return "session: " + e.doing + ": " + e.err.Error() }

func (e *longTermError) Unwrap() error { return e.err }

// isOurs reports whether an error says of the session itself what target does. A
// LongTerm may fail with the same: it may use other sessions.
func isOurs(err, target error) bool {
	_, theirs := errors.AsType[*longTermError](err)
	return !theirs && errors.Is(err, target)
}

// dueAppended is when a session is due after messages were appended to it; the zero
// time says that they do not make it due.
func (p *promotions) dueAppended(wants Wants, messages int, ttl time.Duration, now time.Time) time.Time {
	if messages == 0 || !wants.Messages && !wants.Extract {
		return time.Time{}
	}
	return p.afterDelay(ttl, now)
}

// afterDelay is when what waits for more has waited long enough: before the session
// expires, if ttl says when.
func (p *promotions) afterDelay(ttl time.Duration, now time.Time) time.Time {
	if ttl > 0 {
		return now.Add(min(p.Delay, ttl/2))
	}
	return now.Add(p.Delay)
}

// dueWritten is when a session is due after a write, by what it is then: also where a
// manager without a LongTerm, or with another one, left something to do. nil leaves it
// as it is: also where it is due, waiting or leased already, but that memories do not
// wait for more messages to come.
func (p *promotions) dueWritten(s *Session, w *Write) *time.Time {
	if p == nil {
		return nil
	}
	pr, at := &s.from.progress, s.from.at.DueAt
	waits := at.After(w.Now) && pr.Lease.IsZero() && pr.Failures == 0
	switch {
	case (at.IsZero() || waits) && slices.ContainsFunc(s.Memories, isPending):
		return &w.Now
	case !at.IsZero():
		return nil
	}
	wants, err := p.wants(s.Strategy)
	first := max(s.from.at.First, w.DropBefore, 1)
	next := max(s.from.at.Next, 1) + uint64(len(w.Messages))
	if err == nil && !pr.behind(wants, first, next) && !(pr.Unrestored && p.rebuilds()) &&
		(!wants.Entities || hashOfEntities(s.Entities) == pr.Entities) {
		return nil
	}
	ttl := w.TTL
	if expires := s.from.at.ExpiresAt; ttl == 0 && !expires.IsZero() {
		ttl = expires.Sub(w.Now)
	}
	return new(p.afterDelay(ttl, w.Now))
}

// written has a session that was written promoted, if it is due. One for which no
// worker has room is found in the store.
func (p *promotions) written(key Key, at Position) {
	if p == nil || p.Off || at.DueAt.IsZero() || at.DueAt.After(p.m.now()) {
		return
	}
	p.queue.add(key)
}

func isPending(m Memory) bool { return m.PersistedAt.IsZero() }
