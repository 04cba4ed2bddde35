package longterm

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	// maxUses is how many records wait for their uses to be written. Of more it is
	// forgotten that they were used.
	maxUses = 10 * driver.MaxChanges
	// usesTimeout is how long writing them may take.
	usesTimeout = 30 * time.Second
)

// uses are those that were not written yet. They are written together: a timer runs
// from the first one on, and none where there are none.
type uses struct {
	index driver.Index
	every time.Duration
	log   *slog.Logger

	mu      sync.Mutex
	waiting map[driver.RecordKey]bool
	at      time.Time // of the last one
	timer   *time.Timer
	writing sync.WaitGroup
	closed  bool
	// background is of what the timer writes, giveUp ends it.
	background context.Context
	giveUp     context.CancelFunc
}

func newUses(index driver.Index, opts *Options) *uses {
	u := &uses{index: index, every: opts.TouchEvery, log: opts.Logger}
	u.background, u.giveUp = context.WithCancel(context.Background())
	return u
}

// touch notes that records were found. That it fails is no error of a search.
func (m *Memory) touch(ctx context.Context, hits []Hit) {
	keys := make([]driver.RecordKey, 0, len(hits))
	for i := range hits {
		keys = append(keys, driver.KeyOf(&hits[i].Record))
	}
	if len(keys) == 0 {
		return
	}
	if m.uses.every < 0 {
		_ = m.uses.write(ctx, keys, m.now()) // the log has the error
		return
	}
	m.uses.add(keys, m.now())
}

func (u *uses) add(keys []driver.RecordKey, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return
	}
	if u.waiting == nil {
		u.waiting = map[driver.RecordKey]bool{}
		u.writing.Add(1)
		u.timer = time.AfterFunc(u.every, func() {
			defer u.writing.Done()
			_ = u.flush(u.background) // the log has the error
		})
	}
	for _, key := range keys {
		if len(u.waiting) < maxUses {
			u.waiting[key] = true
		}
	}
	if u.at.Before(at) {
		u.at = at
	}
}

// flush writes what waits.
func (u *uses) flush(ctx context.Context) error {
	u.mu.Lock()
	if u.timer != nil && u.timer.Stop() {
		u.writing.Done()
	}
	keys, at := make([]driver.RecordKey, 0, len(u.waiting)), u.at
	for key := range u.waiting {
		keys = append(keys, key)
	}
	u.waiting = nil
	u.mu.Unlock()
	return u.write(ctx, keys, at)
}

// write writes uses. What cannot be written is dropped.
func (u *uses) write(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, usesTimeout)
	defer cancel()
	slices.SortFunc(keys, driver.RecordKey.Compare)
	for some := range slices.Chunk(keys, driver.MaxChanges) {
		// A panic here would end the program: nobody else is on the timer's goroutine.
		err := callee.Survive(func() error { return u.index.Touch(ctx, some, at) })
		if err != nil {
			u.log.WarnContext(ctx, "longterm: uses of records were not written", "records", len(keys), "error", callee.Loggable(err))
			return err
		}
	}
	return nil
}

// close writes what waits, and waits for what is being written, until ctx ends.
func (u *uses) close(ctx context.Context) error {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	err := u.flush(ctx)
	stop := context.AfterFunc(ctx, u.giveUp)
	u.writing.Wait()
	if stop() {
		u.giveUp()
	}
	return err
}
