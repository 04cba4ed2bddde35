package summarize

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/workqueue"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// New returns a job. The error names the invalid option.
func New(opts summary.Options, c Config) (*Job, error) {
	valid, err := withDefaults(opts, c.Counter)
	if err != nil {
		return nil, err
	}
	j := &Job{settings: valid, Config: c}
	j.queue = workqueue.New(j.Workers, j.QueueLimit, func(ctx context.Context, key driver.Key) bool {
		return j.Summarize(ctx, key, false).Status != summary.Failed
	})
	return j, nil
}

// Close waits for the summaries in the background. When ctx ends, it cancels them and
// returns the number of sessions left undone.
func (j *Job) Close(ctx context.Context) (left int) { return j.queue.Close(ctx) }

// Written summarises a session after a write if its position exceeds the threshold.
func (j *Job) Written(ctx context.Context, key driver.Key, at driver.Position) Result {
	switch {
	case j.Mode == summary.Off || !j.over(at):
		return Result{}
	case j.Mode == summary.InBackground:
		status := summary.NotQueued
		if j.queue.Add(key) {
			status = summary.Queued
		}
		return j.report(ctx, key, Result{Outcome: summary.Outcome{Status: status}})
	default:
		return j.Summarize(ctx, key, false)
	}
}

// Summarize summarises a session if it exceeds its threshold or with always. If messages
// appended concurrently exceed the threshold again, it writes one more summary.
func (j *Job) Summarize(ctx context.Context, key driver.Key, always bool) Result {
	done := j.report(ctx, key, j.once(ctx, key, always))
	if done.Status != summary.Done || !j.over(done.At) {
		return done
	}
	if again := j.report(ctx, key, j.once(ctx, key, false)); again.Status == summary.Done {
		again.Messages += done.Messages
		return again
	}
	return done
}

// once writes one summary. It reads the messages, which may be many, only if there is no lease
// and no recent failure.
func (j *Job) once(ctx context.Context, key driver.Key, always bool) Result {
	loaded, err := j.Sessions.Load(ctx, key, 0)
	if err == nil {
		if held := j.heldBy(loaded, always); held != summary.None {
			return Result{Outcome: summary.Outcome{Status: held}}
		}
		loaded, err = j.Sessions.Load(ctx, key, -1)
	}
	if errors.Is(err, driver.ErrNotFound) && !always { // deleted or expired
		return Result{}
	}
	if err != nil {
		return Result{Outcome: failed(err)}
	}
	at := loaded.At
	if !always && !j.over(at) {
		return Result{}
	}
	window, messages := j.window(at), loaded.Marked()
	n := countLeaving(messages, j.keptTokens(window), window)
	if n == 0 {
		return Result{}
	}
	r := &run{
		j: j, key: key, always: always, revision: at.Revision, first: at.First, context: loaded.Context, dropBefore: messages[n].Seq,
		leaves: messages[:n:n], entities: loaded.Entities, limit: j.maxTokens(window), window: window,
	}
	return r.do(ctx)
}
