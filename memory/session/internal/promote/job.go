// Package promote promotes sessions to long-term memory.
//
//	Job ──► poll ──► queue ──► run: lease ──► extract ◄─► keep ──► finish
//
// A Job sees a session as head.Sessions shows it, and nothing of the Manager.
package promote

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/workqueue"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// Config is what a Job works with.
type Config struct {
	// LongTerm is the memory to promote to; nil if there is none.
	LongTerm driver.LongTerm
	Sessions head.Sessions
	// Due returns sessions that are due, at most limit of them.
	Due     func(ctx context.Context, limit int) ([]driver.Key, error)
	Counter memory.TokenCounter
	Now     func() time.Time
	Logger  *slog.Logger
}

// Job promotes sessions. What is to be done, and who is at it, is in the store: after a
// crash, the next to ask it goes on. It is safe for concurrent use.
//
// A nil Job is that of a manager without long-term memory. It wants nothing and may be
// closed.
type Job struct {
	promotion.Options
	Config
	queue  *workqueue.Queue
	poller sync.WaitGroup
	stop   context.CancelFunc // of the poller

	mu      sync.Mutex
	held    map[driver.Key]hold
	delayed map[driver.Key]time.Time // when each is due
	closing bool
}

// queueLimit is how many sessions wait in the process. Of the others the
// store knows.
const queueLimit = 1024

// hold is how long a session is left alone whose failure could not be written down: it
// is damaged, say, and stays due. Else it would be tried with each poll, and many of
// them would leave no room for others.
type hold struct {
	until    time.Time
	failures int
}

// maxHeld bounds the memory that this takes.
const maxHeld = queueLimit

// report logs an outcome and passes it to OnPromoted.
func (j *Job) report(ctx context.Context, key driver.Key, outcome promotion.Outcome) promotion.Outcome {
	log := j.Logger.With("session", key.Short())
	if outcome.Err != nil {
		log.WarnContext(ctx, "session: not all was promoted", "error", callee.Loggable(outcome.Err))
	}
	if outcome.Refused > 0 {
		log.WarnContext(ctx, "session: long-term memory refused memories", "memories", outcome.Refused)
	}
	if j.OnPromoted != nil {
		if err := callee.Survive(func() error { j.OnPromoted(key, outcome); return nil }); err != nil {
			log.WarnContext(ctx, "session: OnPromoted failed", "error", callee.Loggable(err))
		}
	}
	return outcome
}
