// Package promote promotes sessions to long-term memory.
//
//	Job ──► poll ──► queue ──► run: lease ──► extract ◄─► keep ──► finish
//
// A Job sees sessions through head.Sessions, and nothing of the Manager.
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

// Config holds the dependencies of a Job.
type Config struct {
	// LongTerm is the memory to promote to. It may be nil.
	LongTerm driver.LongTerm
	Sessions head.Sessions
	// Due returns at most limit sessions that are due.
	Due     func(ctx context.Context, limit int) ([]driver.Key, error)
	Counter memory.TokenCounter
	Now     func() time.Time
	Logger  *slog.Logger
}

// Job promotes sessions. Their state is in the store: after a crash, another process goes
// on. It is safe for concurrent use.
//
// The Job of a manager without long-term memory is nil. It wants nothing and may be closed.
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

// queueLimit is the number of sessions that wait in the process. The others are found in the
// store.
const queueLimit = 1024

// report logs an outcome and passes it to OnPromoted.
func (j *Job) report(ctx context.Context, key driver.Key, outcome promotion.Outcome) promotion.Outcome {
	log := j.Logger.With("session", key.Short())
	if outcome.Err != nil {
		log.WarnContext(ctx, "session: promotion failed", "error", callee.Loggable(outcome.Err))
	}
	if outcome.Refused > 0 {
		log.WarnContext(ctx, "session: long-term memory refused memories", "memories", outcome.Refused)
	}
	if j.OnPromoted != nil {
		if err := callee.RecoverPanic(func() error { j.OnPromoted(key, outcome); return nil }); err != nil {
			log.WarnContext(ctx, "session: OnPromoted failed", "error", callee.Loggable(err))
		}
	}
	return outcome
}
