package session

import (
	"context"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
)

// start starts the goroutine that asks the store for sessions that are due, until
// close ends it. The manager is complete before: the goroutine uses all of it.
func (p *promotions) start() {
	if p == nil || p.Off {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	p.poller.Go(func() {
		ticker := time.NewTicker(p.Poll)
		defer ticker.Stop()
		failing := false
		for {
			err := p.poll(ctx)
			if err != nil && !failing && ctx.Err() == nil {
				p.m.opts.Logger.WarnContext(ctx, "session: what is due was not found", "error", callee.Loggable(err))
			}
			failing = err != nil
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// poll gives sessions that are due to the workers.
func (p *promotions) poll(ctx context.Context) error {
	held := p.holding()
	keys, err := p.m.Due(ctx, promotionQueueLimit+len(held))
	if err != nil {
		return err
	}
	// Other processes get the same list: they are not all to begin with the same one.
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		if _, wait := held[key]; !wait {
			p.queue.add(key)
		}
	}
	return nil
}

// hold is how long a session is left alone whose failure could not be written down: it
// is damaged, say, and stays due. Else it would be tried with each poll, and many of
// them would leave no room for others.
type hold struct {
	until    time.Time
	failures int
}

// maxHeld bounds the memory that this takes.
const maxHeld = promotionQueueLimit

// hold leaves a session alone for a while.
func (p *promotions) hold(key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, known := p.held[key]
	if !known && len(p.held) >= maxHeld {
		return
	}
	p.held[key] = hold{until: p.m.now().Add(p.backoff(h.failures)), failures: h.failures + 1}
}

func (p *promotions) release(key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, key)
}

// holding returns the sessions to leave alone now. Those that nobody asks for any more
// are forgotten.
func (p *promotions) holding() map[Key]hold {
	now := p.m.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.held, func(_ Key, h hold) bool { return now.After(h.until.Add(p.backoff(maxBackoff) + p.Poll)) })
	held := maps.Clone(p.held)
	maps.DeleteFunc(held, func(_ Key, h hold) bool { return !now.Before(h.until) })
	return held
}

// retryIn is how long a session waits that expires at a time: it is tried again before.
func (p *promotions) retryIn(failures int, expires time.Time) time.Duration {
	wait := p.backoff(failures)
	if expires.IsZero() {
		return wait
	}
	return min(wait, max(expires.Sub(p.m.now())/2, time.Second))
}

// maxBackoff is after how many failures the wait grows no more: 64 times RetryAfter.
const maxBackoff = 6

// backoff is how long a session waits that has failed so often before.
func (p *promotions) backoff(failures int) time.Duration {
	wait := p.RetryAfter
	for range min(failures, maxBackoff) {
		if wait > time.Duration(1)<<62 {
			break
		}
		wait *= 2
	}
	return wait
}
