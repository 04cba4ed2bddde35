package queue_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 200))); err != nil {
		panic(err)
	}
	m.Run()
}

var (
	errModel = errors.New("model failed")
	errHook  = errors.New("hook failed")
)

type (
	hooks     = []*queue.Hook[string]
	itemHooks = []*queue.Hook[queue.ContextItem]
)

// newQueue returns a queue of items that were appended without callbacks.
func newQueue(t *testing.T, limit int, opts *queue.Options[string], items ...string) *queue.Queue[string] {
	t.Helper()
	plain, err := queue.New[string](limit, nil)
	require.NoError(t, err)
	require.NoError(t, plain.Append(t.Context(), items...))
	if opts == nil {
		return plain
	}
	return branchOf(t, plain, &queue.BranchOptions[string]{Compact: &opts.Compact, Hooks: &opts.Hooks})
}

func branchOf(t *testing.T, q *queue.Queue[string], opts *queue.BranchOptions[string]) *queue.Queue[string] {
	t.Helper()
	branch, err := q.Branch(opts)
	require.NoError(t, err)
	return branch
}

func compacting(f queue.CompactFunc[string]) *queue.Options[string] {
	return &queue.Options[string]{Compact: f}
}

func hooked(h queue.Hooks[string]) *queue.Options[string] { return &queue.Options[string]{Hooks: h} }

// newPool returns a pool of items that were added without hooks.
func newPool(t *testing.T, opts *queue.PoolOptions, ids ...string) *queue.Pool {
	t.Helper()
	plain, err := queue.NewPool(nil)
	require.NoError(t, err)
	for _, id := range ids {
		require.NoError(t, plain.Add(t.Context(), contextItem(id)))
	}
	if opts == nil {
		return plain
	}
	p, err := plain.Branch(&queue.PoolBranchOptions{Limit: &opts.Limit, Hooks: &opts.Hooks})
	require.NoError(t, err)
	return p
}

func contextItem(id string) queue.ContextItem {
	return queue.ContextItem{ID: id, Description: "about " + id, Content: "content of " + id}
}

func poolIDs(p *queue.Pool) string { return joinIDs(p.Items()) }

func joinIDs(items []queue.ContextItem) string {
	var ids []string
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return strings.Join(ids, " ")
}

// script records calls of hooks.
type script struct{ calls []string }

// hook returns a hook that records its name, the items and the subject, modifies both
// lists, and returns err.
func (s *script) hook(name string, err error) *queue.Hook[string] {
	return record(s, name, err, func(items []string) string { return strings.Join(items, " ") })
}

func (s *script) itemHook(name string, err error) *queue.Hook[queue.ContextItem] {
	return record(s, name, err, joinIDs)
}

func record[T any](s *script, name string, err error, format func([]T) string) *queue.Hook[T] {
	return queue.NewHook(name, func(_ context.Context, e queue.HookEvent[T]) error {
		s.calls = append(s.calls, fmt.Sprintf("%s: %s | %s", name, format(e.Items), format(e.Subject)))
		clear(e.Items)
		clear(e.Subject)
		return err
	})
}
