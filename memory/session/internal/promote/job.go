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

	mu   sync.Mutex
	held map[driver.Key]hold
}

// queueLimit is how many sessions wait in the process. Of the others the
// store knows.
const queueLimit = 1024

// New returns a job, nil if there is no long-term memory. The error says which option
// is wrong.
func New(opts promotion.Options, c Config) (*Job, error) {
	valid, err := withDefaults(opts)
	if err != nil || c.LongTerm == nil {
		return nil, err
	}
	j := &Job{Options: valid, Config: c, held: map[driver.Key]hold{}, stop: func() {}}
	j.queue = workqueue.New(j.Workers, queueLimit, func(ctx context.Context, key driver.Key) {
		j.Promote(ctx, key, false)
	})
	return j, nil
}

// Close ends the poller, and waits for what the workers have, which it cancels when ctx
// ends.
func (j *Job) Close(ctx context.Context) error {
	if j == nil {
		return nil
	}
	j.stop()
	j.poller.Wait()
	return j.queue.Close(ctx)
}
