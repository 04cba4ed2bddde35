package summaryview

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// settleTime limits how long a process that is stopped takes to return a task.
const settleTime = 5 * time.Second

// run runs a claimed job. If ctx ends, the job returns to the queue.
func (v *Views) run(ctx context.Context, l *lease) {
	running, stop := context.WithCancelCause(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		l.renew(running, func() { stop(errLost) })
	}()
	err := callee.RecoverPanic(func() error { return v.summarizeAll(running, l) })
	lost := errors.Is(err, errLost) || errors.Is(context.Cause(running), errLost)
	stop(nil)
	<-renewed
	if lost {
		return
	}
	if err != nil && ctx.Err() == nil {
		v.warn(ctx, "summaryview: a task failed", err)
	}
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err != nil && ctx.Err() != nil {
		err = l.release(settling)
	} else {
		err = l.finish(settling, err)
	}
	if ignoreConflict(err) != nil {
		v.warn(ctx, "summaryview: storing the state of a task failed", err)
	}
}

// summarizeAll computes all partitions of the view of a job, except those that the job has written
// before another process took it over, and removes those that have no memories any more.
func (v *Views) summarizeAll(ctx context.Context, l *lease) error {
	j := &l.job
	view, err := load[Definition](ctx, v.store, viewKey(j.Tenant, j.Task.ViewID))
	switch {
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("%w: view %s", err, j.Task.ViewID)
	case err != nil:
		return err
	}
	before := map[string]stored[partitionDocument]{}
	err = each(ctx, v.store, partitionPrefix(view.value.ID), func(p stored[partitionDocument]) { before[p.key] = p })
	if err != nil {
		return err
	}
	c := v.newCollection(&view.value)
	for key, p := range before {
		if p.value.Run == j.Run {
			c.skip[key] = true
		}
	}
	if err := c.read(ctx, nil); err != nil {
		return err
	}
	if err := v.removeStale(ctx, l, c, before); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(c.parts)) {
		p, old := c.parts[key], before[key].value
		if j.Refresh && p.digest == old.Digest {
			p.summary, p.texts = old.Summary, nil
		}
		if err := c.fold(ctx, p); err != nil {
			return err
		}
		if err := v.commit(ctx, &view, key, c.document(p, j.Run), l); err != nil {
			return err
		}
	}
	return nil
}

// removeStale removes the partitions without memories, unless they were computed since the job was
// started.
func (v *Views) removeStale(ctx context.Context, l *lease, c *collection, before map[string]stored[partitionDocument]) error {
	for key, p := range before {
		if c.parts[key] != nil || c.skip[key] || !p.value.ComputedAt.Before(l.job.Task.StartedAt) {
			continue
		}
		l.mu.Lock()
		err := v.store.Write(ctx, []driver.DocumentChange{p.remove(), l.document.require()})
		l.mu.Unlock()
		if ignoreConflict(err) != nil { // a conflict means that it is not stale, or that the lease is lost
			return err
		}
	}
	return nil
}

// describe returns the text of an error for Task.Error. It has neither contents nor addresses.
func describe(err error) string {
	switch {
	case errors.Is(err, ErrLimit), errors.Is(err, ErrNotFound):
		return err.Error()
	case errors.Is(err, longterm.ErrModel):
		return "summaryview: the model did not write a summary"
	case errors.Is(err, longterm.ErrUnavailable), errors.Is(err, ErrUnavailable), errors.Is(err, longterm.ErrClosed), errors.Is(err, ErrClosed):
		return "summaryview: a store does not answer"
	default:
		return "summaryview: internal error"
	}
}

// warn logs a failure without contents.
func (v *Views) warn(ctx context.Context, message string, err error) {
	v.opts.Logger.WarnContext(ctx, message, "error", callee.Loggable(err))
}
