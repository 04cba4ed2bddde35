package queue_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

type contextFunc = func(context.Context) error

// collection is a full queue or pool of two items that calls a callback when it adds one.
type collection struct {
	add     contextFunc // adds "c", "d", …
	changes map[string]contextFunc
	branch  contextFunc  // reads, branches without callbacks, and changes the branch
	restore func() error // restores "x" and "y"
	items   func() string
}

// collections returns a collection for each point of callbacks that add calls.
func collections(t *testing.T, callback contextFunc) map[string]collection {
	t.Helper()
	texts := hooks{queue.NewHook("callback", func(ctx context.Context, _ queue.HookEvent[string]) error { return callback(ctx) })}
	items := itemHooks{queue.NewHook("callback", func(ctx context.Context, _ queue.HookEvent[queue.ContextItem]) error { return callback(ctx) })}
	all := map[string]collection{}
	for point, opts := range map[string]*queue.Options[string]{
		"compact": compacting(func(ctx context.Context, w queue.CompactionInput[string]) ([]string, error) {
			return w.Items, callback(ctx)
		}),
		"before_append":   hooked(queue.Hooks[string]{BeforeAppend: texts}),
		"after_append":    hooked(queue.Hooks[string]{AfterAppend: texts}),
		"on_evict, queue": hooked(queue.Hooks[string]{OnEvict: texts}),
	} {
		q, next := newQueue(t, 2, opts, "a", "b"), 'b'
		add := func(ctx context.Context) error { next++; return q.Append(ctx, string(next)) }
		all[point] = collection{
			add:     add,
			changes: map[string]contextFunc{"add": add, "clear": q.Clear},
			branch: func(ctx context.Context) error {
				_, err := q.MarshalJSON()
				branch, branchErr := q.Branch(&queue.BranchOptions[string]{Compact: new(queue.CompactFunc[string]), Hooks: &queue.Hooks[string]{}})
				return errors.Join(err, branchErr, branch.Append(ctx, "branch"))
			},
			restore: func() error { return q.UnmarshalJSON([]byte(`{"limit":9,"items":["x","y"]}`)) },
			items:   func() string { return strings.Join(q.Items(), " ") },
		}
	}
	for point, h := range map[string]queue.PoolHooks{"before_add": {BeforeAdd: items}, "after_add": {AfterAdd: items}, "on_evict, pool": {OnEvict: items}} {
		p, next := newPool(t, &queue.PoolOptions{Limit: 2, Hooks: h}, "a", "b"), 'b'
		add := func(ctx context.Context) error { next++; return p.Add(ctx, contextItem(string(next))) }
		all[point] = collection{
			add:     add,
			changes: map[string]contextFunc{"add": add, "remove": func(ctx context.Context) error { return p.Remove(ctx, "b") }, "clear": p.Clear},
			branch: func(ctx context.Context) error {
				_, err := p.MarshalJSON()
				branch, branchErr := p.Branch(&queue.PoolBranchOptions{Hooks: &queue.PoolHooks{}})
				return errors.Join(err, branchErr, branch.Add(ctx, contextItem("branch")))
			},
			restore: func() error {
				return p.UnmarshalJSON([]byte(`{"limit":9,"items":[{"id":"x","description":"x"},{"id":"y","description":"y"}]}`))
			},
			items: func() string { return poolIDs(p) },
		}
	}
	return all
}

// forEachPoint runs a test with a collection for each point. The bubble fails a test that
// deadlocks.
func forEachPoint(t *testing.T, run func(t *testing.T, point string)) {
	for point := range collections(t, nil) {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { run(t, point) })
		})
	}
}

// A callback cannot change its collection with its context, in whatever way it is passed
// on. With another context it waits until that one ends.
func TestCallbackCannotChangeItsCollection(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name string
		want error
		call func(ctx context.Context, change contextFunc) error
	}{
		{"derived context, in a goroutine", queue.ErrReentrant, func(ctx context.Context, change contextFunc) error {
			ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
			defer cancel()
			done := make(chan error)
			go func() { done <- change(ctx) }()
			return <-done
		}},
		{"unrelated context", context.DeadlineExceeded, func(_ context.Context, change contextFunc) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			return change(ctx)
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			forEachPoint(t, func(t *testing.T, point string) {
				for change := range collections(t, nil)[point].changes {
					var c collection
					calls := 0
					c = collections(t, func(ctx context.Context) error {
						calls++
						return way.call(ctx, c.changes[change])
					})[point]
					require.ErrorIs(t, c.add(t.Context()), way.want, change)
					assert.Equal(t, 1, calls, "no recursion")
					assert.Len(t, strings.Fields(c.items()), 2)
					require.ErrorIs(t, c.add(t.Context()), way.want, "the turn is released")
				}
			})
		})
	}
}

// A callback may read, branch and restore its collection. The change continues with the
// restored state.
func TestCallbackRestoresItsCollection(t *testing.T) {
	t.Parallel()
	forEachPoint(t, func(t *testing.T, point string) {
		var c collection
		c = collections(t, func(ctx context.Context) error {
			err := c.branch(ctx)
			done := make(chan error)
			go func() { done <- c.restore() }()
			return errors.Join(err, <-done)
		})[point]
		require.NoError(t, c.add(t.Context()))
		want := "x y" // after the change
		if point == "compact" || strings.HasPrefix(point, "before") {
			want = "x y c"
		}
		assert.Equal(t, want, c.items())
	})

	var s script
	var p *queue.Pool
	restore := queue.NewHook("restore", func(context.Context, queue.HookEvent[queue.ContextItem]) error {
		return p.UnmarshalJSON([]byte(`{"items":[{"id":"c","description":"d"}]}`))
	})
	p = newPool(t, &queue.PoolOptions{Hooks: queue.PoolHooks{
		BeforeRemove: itemHooks{restore}, AfterRemove: itemHooks{s.itemHook("removed", nil)},
		BeforeClear: itemHooks{restore}, AfterClear: itemHooks{s.itemHook("cleared", nil)},
	}}, "a", "b")
	missing := new(memory.NotFoundError)
	require.ErrorAs(t, p.Remove(t.Context(), "a"), &missing, "the item is no longer present")
	require.NoError(t, p.Add(t.Context(), contextItem("a")))
	require.NoError(t, p.Clear(t.Context()))
	assert.Equal(t, []string{"cleared:  | c"}, s.calls)
}

// The context of a callback does not belong to later changes.
func TestContextOfCallbackOutlivesTheChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var retained context.Context
		inside, resume := make(chan struct{}), make(chan struct{})
		hook := queue.NewHook("hook", func(ctx context.Context, e queue.HookEvent[string]) error {
			switch e.Subject[0] {
			case "a":
				retained = ctx
			case "b":
				close(inside)
				<-resume
			}
			return nil
		})
		q := newQueue(t, 3, hooked(queue.Hooks[string]{AfterAppend: hooks{hook}}))
		require.NoError(t, q.Append(t.Context(), "a"))
		done := make(chan error, 2)
		go func() { done <- q.Append(context.Background(), "b") }()
		<-inside
		go func() { done <- q.Append(retained, "c") }()
		synctest.Wait()
		close(resume)
		require.NoError(t, errors.Join(<-done, <-done))
		assert.Equal(t, []string{"a", "b", "c"}, q.Items())
	})
}

func TestChangesWaitForEachOther(t *testing.T) {
	t.Parallel()
	forEachPoint(t, func(t *testing.T, point string) {
		inside, resume := make(chan struct{}), make(chan struct{})
		c := collections(t, func(context.Context) error {
			inside <- struct{}{}
			<-resume
			return nil
		})[point]
		first, second := make(chan error), make(chan error)
		go func() { first <- c.add(context.Background()) }()
		<-inside

		ctx, cancel := context.WithCancel(t.Context())
		go func() { second <- c.changes["clear"](ctx) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-second, context.Canceled)
		assert.NotEmpty(t, c.items(), "nothing is changed")

		go func() { second <- c.changes["clear"](context.Background()) }()
		synctest.Wait()
		resume <- struct{}{}
		require.NoError(t, errors.Join(<-first, <-second))
		assert.Empty(t, c.items())
	})
}
