package sqlitestore

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// longestPause is how long one who waits for the file does so between two looks
	// at most, in the mean.
	longestPause = time.Millisecond
	// After so long a run of writing a process leaves the file alone for longer than
	// one who waits pauses.
	runTime = 30 * time.Millisecond
	gap     = 2 * time.Millisecond
)

// untilFree calls try until it does not fail because another has the file locked,
// or for about as long as limit. SQLite's own waiting grows to steps of 100 ms,
// which starves a process beside others that are always writing, and does not
// cover all that fails so.
func untilFree(ctx context.Context, limit time.Duration, stop <-chan struct{}, try func() error) error {
	start := time.Now()
	for pause := longestPause / 8; ; pause = min(2*pause, longestPause) {
		err := try()
		if !isBusy(err) || time.Since(start) > limit {
			return err
		}
		// At random, so that those who wait do not stay in step.
		if !sleep(ctx, pause/2+rand.N(pause), stop) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
}

// sleep waits. It reports false if ctx or stop ended the wait.
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

// pace keeps a process that always has something to write from keeping others out:
// SQLite's locks know no queue, and the moment between two transactions is short.
type pace struct {
	run  time.Time // when others last had a chance
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

// others notes that another process has the file.
func (p *pace) others(now time.Time) { p.run = now }

// ended notes that a transaction ended.
func (p *pace) ended(now time.Time) { p.last = now }
