package summaryview

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Work runs tasks, refreshes continuous views and removes what has expired, until ctx ends. Then
// it returns the tasks that it runs to the queue. Each process runs it once, or not at all if
// others do.
func (v *Views) Work(ctx context.Context) {
	w := &worker{views: v, busy: map[string]int{}, freed: make(chan struct{}, 1)}
	defer w.running.Wait()
	ticker := time.NewTicker(v.opts.Poll)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if err := w.poll(ctx); err != nil && ctx.Err() == nil {
			v.warn(ctx, "summaryview: looking for tasks failed", err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-v.wake:
		case <-w.freed:
		}
	}
}

// wakeUp makes Work of this process look for tasks.
func (v *Views) wakeUp() { signal(v.wake) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // there is a signal already
	}
}

// worker is a running Work.
type worker struct {
	views   *Views
	running sync.WaitGroup
	freed   chan struct{} // of length 1: a task has ended

	mu    sync.Mutex
	tasks int
	busy  map[string]int // running tasks by tenant
}

// poll handles the documents that are due.
func (w *worker) poll(ctx context.Context) error {
	v := w.views
	due, err := v.store.Due(ctx, v.opts.Now(), driver.MaxDocuments)
	if err != nil {
		return err
	}
	var jobs []driver.Document
	for i := range due {
		job, err := w.handle(ctx, &due[i])
		switch {
		case errors.Is(err, ErrUnavailable), errors.Is(err, ErrClosed), err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			v.warn(ctx, "summaryview: handling a document failed", err)
		case job != nil:
			jobs = append(jobs, *job)
		}
	}
	return w.startAll(ctx, jobs)
}

// handle handles a document that is due. It returns the document of a job to start, or nil.
func (w *worker) handle(ctx context.Context, d *driver.Document) (job *driver.Document, err error) {
	v, unknown := w.views, stored[any]{key: d.Key, revision: d.Revision}
	switch {
	case strings.HasPrefix(d.Key, queueKind):
		return d, nil
	case strings.HasPrefix(d.Key, refreshKind):
		job, err = v.refresh(ctx, d)
	case strings.HasPrefix(d.Key, removalKind):
		err = v.removePartitions(ctx, d)
	case strings.HasPrefix(d.Key, taskKind):
		err = v.store.Write(ctx, []driver.DocumentChange{unknown.remove()})
	default:
		err = errDocument
	}
	return job, w.setAside(ctx, d, ignoreConflict(err))
}

// setAside makes a document that cannot be read no longer due, since it would be in the way of
// others. It returns any other error.
func (w *worker) setAside(ctx context.Context, d *driver.Document, err error) error {
	if !errors.Is(err, errDocument) {
		return err
	}
	w.views.warn(ctx, "summaryview: setting a document aside", err)
	aside := driver.Document{Key: d.Key, Revision: rand.Text(), Value: d.Value}
	return ignoreConflict(w.views.store.Write(ctx, []driver.DocumentChange{{If: d.Revision, Document: aside}}))
}

// refresh queues the refresh of a continuous view, unless the last one is unfinished, and returns
// the document of the new job. The next refresh is due after Options.Refresh.
func (v *Views) refresh(ctx context.Context, d *driver.Document) (*driver.Document, error) {
	ref, err := decode[viewRef](d)
	if err != nil {
		return nil, err
	}
	t, id := ref.value.Tenant, ref.value.ID
	if _, err := v.view(ctx, t, id); errors.Is(err, ErrNotFound) {
		return nil, v.store.Write(ctx, []driver.DocumentChange{ref.remove()})
	} else if err != nil {
		return nil, err
	}
	next, err := put(ref.key, ref.revision, ref.value, v.opts.Now().Add(v.opts.Refresh))
	if err != nil {
		return nil, err
	}
	switch _, err := v.store.Get(ctx, queueKey(t, RefreshID(id))); {
	case err == nil:
		return nil, v.store.Write(ctx, []driver.DocumentChange{next})
	case !errors.Is(err, driver.ErrNotFound):
		return nil, err
	}
	job, err := v.newJob(t, id, RefreshID(id), true, new(Task))
	if err != nil {
		return nil, err
	}
	if err := v.store.Write(ctx, []driver.DocumentChange{next, job}); err != nil {
		return nil, err
	}
	return &job.Document, nil
}

// startAll starts jobs while there are free workers: first those of tenants that have no running
// task in this process, so that none waits for all tasks of another.
func (w *worker) startAll(ctx context.Context, jobs []driver.Document) error {
	for _, again := range []bool{false, true} {
		for i := range jobs {
			d := &jobs[i]
			if d.Key == "" || !w.occupy(tenantOf(d.Key), again) {
				continue
			}
			started, err := w.start(ctx, d)
			if !started {
				w.vacate(tenantOf(d.Key))
			}
			if err = w.setAside(ctx, d, err); err != nil {
				return err
			}
			d.Key = "" // tried
		}
	}
	return nil
}

// tenantOf returns the hash of the tenant in the key of a job.
func tenantOf(key string) string {
	tenant, _, _ := strings.Cut(strings.TrimPrefix(key, queueKind), "/")
	return tenant
}

// occupy takes a free worker for a tenant, which must have none yet unless again is true.
func (w *worker) occupy(tenant string, again bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks == w.views.opts.Workers || w.busy[tenant] > 0 && !again {
		return false
	}
	w.tasks++
	w.busy[tenant]++
	return true
}

func (w *worker) vacate(tenant string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tasks--
	if w.busy[tenant]--; w.busy[tenant] == 0 {
		delete(w.busy, tenant)
	}
}

// start claims a job and runs it in a goroutine.
func (w *worker) start(ctx context.Context, d *driver.Document) (started bool, err error) {
	l, ok, err := w.views.claim(ctx, d)
	if !ok {
		return false, err
	}
	tenant := tenantOf(d.Key)
	w.running.Go(func() {
		w.views.run(ctx, l)
		w.vacate(tenant)
		signal(w.freed)
	})
	return true, nil
}
