package summaryview

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// lease is the claim of this process to a job. A process that changes the document of the job takes
// the lease; every write of the job requires the revision that this process knows.
type lease struct {
	views *Views
	job   job

	mu       sync.Mutex // also held during a write that requires the document
	document stored[job]
}

// claim leases a job that is due. ok is false if another process was faster, or if the job was
// begun too often, which ends it.
func (v *Views) claim(ctx context.Context, d *driver.Document) (l *lease, ok bool, err error) {
	decoded, err := decode[job](d)
	if err != nil {
		return nil, false, err
	}
	l = &lease{views: v, job: decoded.value, document: decoded}
	j := &l.job
	if j.Attempts >= MaxAttempts {
		return nil, false, ignoreConflict(l.finish(ctx, exceeded("the task was begun %d times, and the process ended each time", j.Attempts)))
	}
	j.Attempts++
	j.Task.Status = TaskRunning
	if j.Task.StartedAt.IsZero() {
		j.Task.StartedAt = v.opts.Now().UTC()
	}
	err = l.write(ctx, v.opts.Now().Add(v.opts.Lease))
	if errors.Is(err, driver.ErrConflict) {
		return nil, false, nil
	}
	return l, err == nil, err
}

// write stores the job, which is due at a time. Errors: driver.ErrConflict.
func (l *lease) write(ctx context.Context, due time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	change, err := put(l.document.key, l.document.revision, &l.job, due)
	if err == nil {
		err = l.views.store.Write(ctx, []driver.DocumentChange{change})
	}
	if err == nil {
		l.document.revision = change.Document.Revision
	}
	return err
}

// isHeld reports whether no other process has the lease. The caller holds l.mu.
func (l *lease) isHeld(ctx context.Context) bool {
	d, err := l.views.store.Get(ctx, l.document.key)
	return !errors.Is(err, driver.ErrNotFound) && (err != nil || d.Revision == l.document.revision)
}

// renew renews the lease until ctx ends, and calls lost if another process has it.
func (l *lease) renew(ctx context.Context, lost func()) {
	v := l.views
	ticker := time.NewTicker(v.opts.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := l.write(ctx, v.opts.Now().Add(v.opts.Lease))
		switch {
		case errors.Is(err, driver.ErrConflict):
			lost()
			return
		case err != nil && ctx.Err() == nil:
			v.warn(ctx, "summaryview: renewing a lease failed", err)
		}
	}
}

// release returns the job to the queue. The attempt does not count.
func (l *lease) release(ctx context.Context) error {
	l.job.Attempts--
	l.job.Task.Status = TaskPending
	return l.write(ctx, l.views.opts.Now())
}

// finish ends the job. It failed if cause is not nil. Errors: driver.ErrConflict.
func (l *lease) finish(ctx context.Context, cause error) error {
	v, task := l.views, l.job.Task
	task.Status, task.CompletedAt = TaskSuccess, v.opts.Now().UTC()
	if cause != nil {
		task.Status, task.Error = TaskFailed, describe(cause)
	}
	key := taskKey(l.job.Tenant, task.ID)
	earlier, err := v.store.Get(ctx, key)
	if err != nil && !errors.Is(err, driver.ErrNotFound) {
		return err
	}
	finished, err := put(key, earlier.Revision, task, task.CompletedAt.Add(v.opts.Retention))
	if err != nil {
		return err
	}
	return v.store.Write(ctx, []driver.DocumentChange{l.document.remove(), finished})
}

func ignoreConflict(err error) error {
	if errors.Is(err, driver.ErrConflict) {
		return nil
	}
	return err
}
