package summaryview

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Limits of tasks.
const (
	// MaxQueued limits the unfinished tasks of a tenant, refreshes included. Concurrent calls may
	// exceed it by their number.
	MaxQueued = 200
	// MaxTasks limits the finished tasks of a tenant, likewise.
	MaxTasks = 10_000
	// MaxAttempts limits how often a task is begun, if the processes that run it die.
	MaxAttempts = 3
)

// TaskStatus is the status of a Task.
type TaskStatus string

// The statuses of tasks.
const (
	TaskPending TaskStatus = "pending"
	TaskRunning TaskStatus = "running"
	TaskSuccess TaskStatus = "success"
	TaskFailed  TaskStatus = "failed"
)

// Task is a run of all partitions of a view.
type Task struct {
	// ID is unique in the tenant. That of a refresh of a continuous view is RefreshID.
	ID, ViewID string
	Status     TaskStatus
	// StartedAt and CompletedAt are zero before the task is started and completed.
	CreatedAt, StartedAt, CompletedAt time.Time
	// Error describes why the task failed. It has no contents.
	Error string
}

// RefreshID returns the id of the last refresh of a continuous view.
func RefreshID(viewID string) string { return "refresh-" + viewID }

// job is an unfinished task.
type job struct {
	Task   Task
	Tenant Tenant
	// Run identifies the job: a task with the same ID may follow it.
	Run string
	// Attempts is how often the job was claimed, except by processes that returned it.
	Attempts int
	// Refresh keeps the summaries of partitions that have not changed.
	Refresh bool
}

func queuePrefix(t Tenant) string             { return queueKind + t.hash() + "/" }
func queueKey(t Tenant, taskID string) string { return queuePrefix(t) + record.Digest(taskID) }
func taskPrefix(t Tenant) string              { return taskKind + t.hash() + "/" }
func taskKey(t Tenant, taskID string) string  { return taskPrefix(t) + record.Digest(taskID) }

// Run queues a task that summarises all partitions of a tenant's view. A taskID of an unfinished
// task of the view returns that task, so that a call may be repeated, and one of a finished task
// starts anew. If taskID is empty, the task gets a ULID. Work runs the task, in any process.
// Errors: ErrInvalid, ErrNotFound, ErrLimit, ErrBusy, ErrUnavailable.
func (v *Views) Run(ctx context.Context, t Tenant, id, taskID string) (Task, error) {
	task, err := v.queue(ctx, t, id, taskID)
	if err != nil {
		return Task{}, fmt.Errorf("summaryview: queueing a task: %w", err)
	}
	v.wakeUp()
	return task, nil
}

func (v *Views) queue(ctx context.Context, t Tenant, id, taskID string) (task Task, err error) {
	if len(taskID) > MaxNameBytes || !utf8.ValidString(taskID) {
		return task, invalid("a task id is not UTF-8 or has more than %d bytes", MaxNameBytes)
	}
	if taskID == "" {
		taskID = ulid.Make().String()
	}
	err = contention.Retry(ctx, driver.ErrConflict, func() error {
		view, err := v.view(ctx, t, id)
		if err != nil {
			return err
		}
		present, err := load[job](ctx, v.store, queueKey(t, taskID))
		switch {
		case err == nil && present.value.Task.ViewID != id:
			return ErrBusy
		case err == nil:
			task = present.value.Task
			return nil
		case !errors.Is(err, ErrNotFound):
			return err
		}
		if err := v.checkQueue(ctx, t); err != nil {
			return err
		}
		change, err := v.newJob(t, id, taskID, false, &task)
		if err != nil {
			return err
		}
		return v.store.Write(ctx, []driver.DocumentChange{view.require(), change})
	})
	return task, err
}

// newJob returns a change that queues a task.
func (v *Views) newJob(t Tenant, viewID, taskID string, refresh bool, task *Task) (driver.DocumentChange, error) {
	now := v.opts.Now().UTC()
	*task = Task{ID: taskID, ViewID: viewID, Status: TaskPending, CreatedAt: now}
	return put(queueKey(t, taskID), "", job{Task: *task, Tenant: t, Run: ulid.Make().String(), Refresh: refresh}, now)
}

// checkQueue returns ErrLimit if a tenant has too many tasks.
func (v *Views) checkQueue(ctx context.Context, t Tenant) error {
	for _, limit := range []struct {
		prefix string
		most   int
		what   string
	}{{queuePrefix(t), MaxQueued, "unfinished"}, {taskPrefix(t), MaxTasks, "finished"}} {
		n, err := v.store.Count(ctx, limit.prefix)
		switch {
		case err != nil:
			return err
		case n >= limit.most:
			return exceeded("a tenant may have %d %s tasks", limit.most, limit.what)
		}
	}
	return nil
}

// Task returns a task of a tenant. Errors: ErrNotFound, also if it was finished longer than
// Options.Retention ago; ErrUnavailable.
func (v *Views) Task(ctx context.Context, t Tenant, id string) (Task, error) {
	// In this order: a task that is finished in between is found.
	queued, err := load[job](ctx, v.store, queueKey(t, id))
	task := queued.value.Task
	if errors.Is(err, ErrNotFound) {
		var finished stored[Task]
		finished, err = load[Task](ctx, v.store, taskKey(t, id))
		task = finished.value
		if err == nil && !v.opts.Now().Before(task.CompletedAt.Add(v.opts.Retention)) {
			err = ErrNotFound
		}
	}
	if err != nil {
		return Task{}, fmt.Errorf("summaryview: getting a task: %w", err)
	}
	return task, nil
}
