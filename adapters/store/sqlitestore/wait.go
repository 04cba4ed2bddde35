package sqlitestore

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// longestPause is the longest mean pause between two attempts to lock the file.
	longestPause = time.Millisecond
	// After writing for runTime without a break, a process pauses for gap, which is longer
	// than the pauses of waiting processes.
	runTime = 30 * time.Millisecond
	gap     = 2 * time.Millisecond
)

// retryBusy calls try until it no longer fails because the file is locked, or limit has passed.
// The busy handler of SQLite pauses for up to 100 ms, which starves a process beside others that
// write continuously, and it does not cover all such failures.
func retryBusy(ctx context.Context, limit time.Duration, stop <-chan struct{}, try func() error) error {
	start := time.Now()
	for pause := longestPause / 8; ; pause = min(2*pause, longestPause) {
		err := try()
		if !isBusy(err) || time.Since(start) > limit {
			return err
		}
		// Random, so that waiting processes do not stay in step.
		if !sleep(ctx, pause/2+rand.N(pause), stop) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
}

// sleep waits for d. It returns false if ctx or stop ended the wait.
func sleep(ctx context.Context, d time.Duration, stop <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-stop:
	}
	return false
}

// pace prevents a process that writes continuously from starving others: the locks of SQLite have
// no queue, and the time between two transactions is short.
type pace struct {
	run  time.Time // when others last had a chance to write
	last time.Time // when the last transaction ended
}

// wait returns how long to wait before the next transaction.
func (p *pace) wait(now time.Time) time.Duration {
	switch {
	case now.Sub(p.last) > gap:
		p.run = now
	case now.Sub(p.run) > runTime:
		p.run = now.Add(gap)
		return gap
	}
	return 0
}

// noteOther records that another process has locked the file.
func (p *pace) noteOther(now time.Time) { p.run = now }

// noteEnd records the end of a transaction.
func (p *pace) noteEnd(now time.Time) { p.last = now }
