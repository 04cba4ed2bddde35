package longterm

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	// maxUses limits the records whose uses are pending. Further uses are dropped.
	maxUses = 10 * driver.MaxChanges
	// usesTimeout limits one write.
	usesTimeout = 30 * time.Second
)

// uses collects the uses of records and writes them together. A timer runs while any are
// pending.
type uses struct {
	index driver.Index
	every time.Duration
	log   *slog.Logger

	mu      sync.Mutex
	waiting map[driver.RecordKey]bool
	at      time.Time // of the latest use
	timer   *time.Timer
	writing sync.WaitGroup
	closed  bool
	// background is the context of the timer's writes; giveUp cancels it.
	background context.Context
	giveUp     context.CancelFunc
	cut        atomic.Bool // whether giveUp ended a write
}

func newUses(index driver.Index, opts *Options) *uses {
	u := &uses{index: index, every: opts.TouchEvery, log: opts.Logger}
	u.background, u.giveUp = context.WithCancel(context.Background())
	return u
}

// touch notes that records were found. A failure does not fail the search.
func (m *Memory) touch(ctx context.Context, hits []Hit) {
	keys := make([]driver.RecordKey, 0, len(hits))
	for i := range hits {
		keys = append(keys, driver.KeyOf(&hits[i].Record))
	}
	if len(keys) == 0 {
		return
	}
	if m.uses.every < 0 {
		_ = m.uses.write(ctx, keys, m.now()) // logged
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
			if err := u.flush(u.background); err != nil && u.background.Err() != nil { // logged
				u.cut.Store(true)
			}
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

// flush writes the pending uses.
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

// write writes uses. Those that cannot be written are dropped.
func (u *uses) write(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, usesTimeout)
	defer cancel()
	slices.SortFunc(keys, driver.RecordKey.Compare)
	for batch := range slices.Chunk(keys, driver.MaxChanges) {
		// On the timer's goroutine, a panic of the index would end the program.
		err := callee.RecoverPanic(func() error { return u.index.Touch(ctx, batch, at) })
		if err != nil {
			u.log.WarnContext(ctx, "longterm: writing uses of records failed", "records", len(keys), "error", callee.Loggable(err))
			return err
		}
	}
	return nil
}

// close writes the pending uses and waits for writes in progress until ctx ends.
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
	if err == nil && u.cut.Load() {
		err = ctx.Err()
	}
	return err
}
