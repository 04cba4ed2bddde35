package summaryview_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

var (
	shop     = summaryview.Tenant{Namespace: "shop"}
	everyone = summaryview.Tenant{}
)

// world is a memory and a store of documents, which processes share.
type world struct {
	t      *testing.T
	memory *longterm.Memory
	store  *driver.MemoryDocuments
}

// inBubble runs a test with a world in a bubble, where time passes when all goroutines wait.
func inBubble(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, newWorld(t)) })
}

func newWorld(t *testing.T) *world {
	t.Helper()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{TouchEvery: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close(context.Background())) })
	return &world{t: t, memory: memory, store: new(driver.MemoryDocuments)}
}

// put stores memories of users in the namespace "shop", given as "user: text".
func (w *world) put(records ...string) {
	w.t.Helper()
	for _, r := range records {
		user, text, _ := strings.Cut(r, ": ")
		w.putRecord(longterm.Record{ID: text, Text: text, Namespace: "shop", UserID: user})
	}
}

func (w *world) putRecord(records ...longterm.Record) {
	w.t.Helper()
	_, err := w.memory.Put(w.t.Context(), longterm.Everyone(), records, &longterm.PutOptions{NoMerge: true})
	require.NoError(w.t, err)
}

// views returns the views of a process. Nil opts mean the defaults.
func (w *world) views(opts *summaryview.Options) *summaryview.Views {
	w.t.Helper()
	return w.viewsOn(w.store, opts)
}

func (w *world) viewsOn(store driver.DocumentStore, opts *summaryview.Options) *summaryview.Views {
	w.t.Helper()
	v, err := summaryview.New(w.memory, store, opts)
	require.NoError(w.t, err)
	return v
}

// work starts Work and returns a function that stops it and waits for its end.
func work(t *testing.T, v *summaryview.Views) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.Work(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

func create(t *testing.T, v *summaryview.Views, tenant summaryview.Tenant, d summaryview.Definition) string {
	t.Helper()
	made, err := v.Create(t.Context(), tenant, d)
	require.NoError(t, err)
	return made.ID
}

func run(t *testing.T, v *summaryview.Views, tenant summaryview.Tenant, view, id string) summaryview.Task {
	t.Helper()
	task, err := v.Run(t.Context(), tenant, view, id)
	require.NoError(t, err)
	return task
}

func taskOf(t *testing.T, v *summaryview.Views, tenant summaryview.Tenant, id string) summaryview.Task {
	t.Helper()
	task, err := v.Task(t.Context(), tenant, id)
	require.NoError(t, err)
	return task
}

// summaries returns the stored summaries of a view that is grouped by user.
func summaries(t *testing.T, v *summaryview.Views, tenant summaryview.Tenant, view string) map[string]string {
	t.Helper()
	all, err := v.Partitions(t.Context(), tenant, view, nil)
	require.NoError(t, err)
	found := map[string]string{}
	for _, p := range all {
		found[p.Group["user_id"]] = p.Summary
	}
	return found
}

var byUser = summaryview.Definition{GroupBy: []string{"user_id"}}

// model is a language model that answers with the previous summary and the memories of its prompt,
// in brackets. It is safe for concurrent use.
type model struct {
	// before is called before each answer, if it is not nil.
	before func(ctx context.Context, memories []string) error

	mu      sync.Mutex
	prompts []string
}

func (m *model) Generate(ctx context.Context, prompt string, _ int) (string, error) {
	m.mu.Lock()
	m.prompts = append(m.prompts, prompt)
	m.mu.Unlock()
	_, data, _ := strings.Cut(prompt, "\nPrevious summary:\n")
	before, after, _ := strings.Cut(data, "\n\nMemories:\n")
	var previous string
	var memories []string
	if err := json.Unmarshal([]byte(before), &previous); err != nil {
		return "", err
	}
	for line := range strings.Lines(after) {
		var memory string
		if err := json.Unmarshal([]byte(line), &memory); err != nil {
			return "", err
		}
		memories = append(memories, memory)
	}
	if m.before != nil {
		if err := m.before(ctx, memories); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(previous + " [" + strings.Join(memories, "; ") + "]"), nil
}

func (m *model) calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.prompts)
}

// process is the store of a process that dies when killed is set: its later calls fail. It counts
// the partitions that it stored.
type process struct {
	driver.DocumentStore
	mu     sync.Mutex
	killed bool
	stored map[string]int
}

func (w *world) process() *process { return &process{DocumentStore: w.store, stored: map[string]int{}} }

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
}

var errKilled = errors.New("the process is dead")

func (p *process) Due(ctx context.Context, at time.Time, limit int) ([]driver.Document, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return nil, errKilled
	}
	return p.DocumentStore.Due(ctx, at, limit)
}

func (p *process) Write(ctx context.Context, changes []driver.DocumentChange) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return errKilled
	}
	err := p.DocumentStore.Write(ctx, changes)
	for i := range changes {
		if c := &changes[i]; err == nil && c.Do == driver.PutDocument && strings.HasPrefix(c.Document.Key, "partition/") {
			p.stored[c.Document.Key]++
		}
	}
	return err
}

// readsOnly is a store whose writes fail after the first ones.
type readsOnly struct {
	driver.DocumentStore
	writes int
}

func (s *readsOnly) Write(ctx context.Context, changes []driver.DocumentChange) error {
	if s.writes--; s.writes < 0 {
		return driver.ErrUnavailable
	}
	return s.DocumentStore.Write(ctx, changes)
}
