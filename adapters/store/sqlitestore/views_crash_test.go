package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

const viewsVariable = "WORKINGMEMORY_VIEWSTEST_JOB"

// viewsJob is the job of a process: to work on the tasks of summary views until it is killed.
type viewsJob struct{ Path string }

// open returns the views in a SQLite file.
func (j viewsJob) open(ctx context.Context) (*summaryview.Views, *longterm.Memory, func() error, error) {
	store, err := sqlitestore.Open(ctx, j.Path, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	memory, err := longterm.New(store.Index(), &longterm.Options{TouchEvery: -1})
	if err != nil {
		return nil, nil, nil, errors.Join(err, store.Close())
	}
	views, err := summaryview.New(memory, sayingDocuments{store.Documents()}, &summaryview.Options{
		Model: slowModel{}, Workers: 1, Poll: 10 * time.Millisecond, Lease: 3 * time.Second,
	})
	return views, memory, store.Close, err
}

func (j viewsJob) do(begin func() error) error {
	views, _, closeStore, err := j.open(context.Background())
	if err != nil {
		return err
	}
	defer func() { _ = closeStore() }()
	if err := begin(); err != nil {
		return err
	}
	views.Work(context.Background())
	return nil
}

// slowModel takes a moment for a summary, in which its process may be killed.
type slowModel struct{}

func (slowModel) Generate(context.Context, string, int) (string, error) {
	time.Sleep(5 * time.Millisecond)
	return "A summary.", nil
}

// sayingDocuments names each partition that it stored, on standard output.
type sayingDocuments struct{ driver.DocumentStore }

func (s sayingDocuments) Write(ctx context.Context, changes []driver.DocumentChange) error {
	err := s.DocumentStore.Write(ctx, changes)
	if key := changes[0].Document.Key; err == nil && strings.HasPrefix(key, "partition/") {
		child.Say(key)
	}
	return err
}

// A task whose processes are killed is taken over by others, and writes each partition once.
func TestKilledProcessesSummarise(t *testing.T) {
	t.Parallel()
	const users, tenant = 30, "shop"
	job := viewsJob{Path: filepath.Join(t.TempDir(), "views.db")}
	views, memory, closeStore, err := job.open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, closeStore()) })
	records := make([]longterm.Record, users)
	for i := range records {
		records[i] = longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprint("fact ", i), Namespace: tenant, UserID: fmt.Sprint("user ", i)}
	}
	_, err = memory.Put(t.Context(), longterm.OfNamespace(tenant), records, nil)
	require.NoError(t, err)
	owner := summaryview.Tenant{Namespace: tenant}
	view, err := views.Create(t.Context(), owner, summaryview.Definition{GroupBy: []string{"user_id"}})
	require.NoError(t, err)
	_, err = views.Run(t.Context(), owner, view.ID, "t-1")
	require.NoError(t, err)

	stored := map[string]int{}
	start := func() *child.Process {
		process, err := child.Start(t.Context(), viewsVariable, job)
		require.NoError(t, err)
		require.NoError(t, process.Begin())
		return process
	}
	hear := func(process *child.Process, most int) {
		for range most {
			key, err := process.Hear()
			if errors.Is(err, io.EOF) {
				return
			}
			stored[key]++
		}
	}
	for range summaryview.MaxAttempts - 1 {
		process := start()
		hear(process, users/5)
		process.Kill()
		hear(process, users)
		require.NoError(t, process.Buried())
	}
	last := []*child.Process{start(), start()}
	require.Eventually(t, func() bool {
		task, err := views.Task(t.Context(), owner, "t-1")
		return assert.NoError(t, err) && task.Status == summaryview.TaskSuccess
	}, time.Minute, 10*time.Millisecond)
	for _, process := range last {
		process.Kill()
		hear(process, 2*users)
		require.NoError(t, process.Buried())
	}
	for key, n := range stored {
		assert.Equal(t, 1, n, key)
	}
	partitions, err := views.Partitions(t.Context(), owner, view.ID, nil)
	require.NoError(t, err)
	assert.Len(t, partitions, users)
}
