package queue_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// A collection is what the tests of turns need of a queue and a pool alike.
type collection struct {
	add    func(context.Context) error // adds the next item
	change map[string]func(context.Context) error
	read   func()
	branch func(context.Context) error // branches without hooks, and adds to that
	len    func() int

	restore func() error // restores "x" and "y"
	items   func() []string
}

// collections makes one with a callback at each point where one can be, called
// when items are added.
func collections(t *testing.T, callback func(context.Context) error) map[string]collection {
	t.Helper()
	q := func(opts queue.Options[string]) collection { return queueCollection(t, opts) }
	p := func(h queue.PoolHooks) collection { return poolCollection(t, h) }
	text := queue.NewHook("callback", func(ctx context.Context, _ queue.HookEvent[string]) error { return callback(ctx) })
	item := queue.NewHook("callback", func(ctx context.Context, _ queue.HookEvent[queue.ContextItem]) error { return callback(ctx) })
	texts, items := hooks{text}, []*queue.Hook[queue.ContextItem]{item}
	return map[string]collection{
		"compact": q(queue.Options[string]{Compact: func(ctx context.Context, w queue.CompactionInput[string]) ([]string, error) {
			return w.Items, callback(ctx)
		}}),
		"before_append":   q(queue.Options[string]{Hooks: queue.Hooks[string]{BeforeAppend: texts}}),
		"after_append":    q(queue.Options[string]{Hooks: queue.Hooks[string]{AfterAppend: texts}}),
		"queue, on_evict": q(queue.Options[string]{Hooks: queue.Hooks[string]{OnEvict: texts}}),
		"before_add":      p(queue.PoolHooks{BeforeAdd: items}),
		"after_add":       p(queue.PoolHooks{AfterAdd: items}),
		"pool, on_evict":  p(queue.PoolHooks{OnEvict: items}),
	}
}

func queueCollection(t *testing.T, opts queue.Options[string]) collection {
	q := newQueue(t, 2, &opts, "a", "b")
	next := func(ctx context.Context) error { return q.Append(ctx, "next") }
	return collection{
		add: next,
		change: map[string]func(context.Context) error{
			"append": next,
			"clear":  q.Clear,
		},
		read: func() {
			_, err := q.MarshalJSON()
			assert.NoError(t, err)
			assert.Len(t, q.Items(), q.Len())
			for range q.All() {
			}
			assert.Equal(t, 2, q.Limit())
		},
		branch: func(ctx context.Context) error {
			branch, err := q.Branch(&queue.BranchOptions[string]{
				Compact: new(queue.CompactFunc[string]), Hooks: &queue.Hooks[string]{},
			})
			return errors.Join(err, branch.Append(ctx, "branch"))
		},
		len:     q.Len,
		restore: func() error { return q.UnmarshalJSON([]byte(`{"limit":9,"items":["x","y"]}`)) },
		items:   q.Items,
	}
}

func poolCollection(t *testing.T, hooks queue.PoolHooks) collection {
	p := newPool(t, nil, "a", "b")
	p, err := p.Branch(&queue.PoolBranchOptions{Limit: new(2), Hooks: &hooks})
	require.NoError(t, err)
	ids := []string{"c", "d", "e", "f"}
	next := func(ctx context.Context) error {
		id := ids[0]
		ids = append(ids[1:], id)
		return p.Add(ctx, contextItem(id))
	}
	return collection{
		add: next,
		change: map[string]func(context.Context) error{
			"add":    next,
			"remove": func(ctx context.Context) error { return p.Remove(ctx, "b") },
			"clear":  p.Clear,
		},
		read: func() {
			_, err := p.MarshalJSON()
			assert.NoError(t, err)
			assert.Len(t, p.Items(), p.Len())
			for range p.All() {
			}
			_, err = p.Get("b")
			assert.NoError(t, err)
			assert.NotEmpty(t, p.Catalogue())
			assert.Equal(t, 2, p.Limit())
		},
		branch: func(ctx context.Context) error {
			branch, err := p.Branch(&queue.PoolBranchOptions{Hooks: &queue.PoolHooks{}})
			return errors.Join(err, branch.Add(ctx, contextItem("branch")))
		},
		len: p.Len,
		restore: func() error {
			return p.UnmarshalJSON([]byte(`{"limit":9,"items":[{"id":"x","description":"x"},{"id":"y","description":"y"}]}`))
		},
		items: func() []string { return strings.Fields(poolIDs(p)) },
	}
}

// ways in which a callback can call.
var ways = map[string]func(ctx context.Context, call func(context.Context) error) error{
	"with its context": func(ctx context.Context, call func(context.Context) error) error { return call(ctx) },
	"with a context made of it": func(ctx context.Context, call func(context.Context) error) error {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		return call(ctx)
	},
	"from a goroutine it waits for": func(ctx context.Context, call func(context.Context) error) error {
		done := make(chan error)
		go func() { done <- call(ctx) }()
		return <-done
	},
	"from a change of another collection": func(ctx context.Context, call func(context.Context) error) error {
		hook := queue.NewHook("inner", func(ctx context.Context, _ queue.HookEvent[int]) error { return call(ctx) })
		q, err := queue.New(1, &queue.Options[int]{Hooks: queue.Hooks[int]{AfterAppend: []*queue.Hook[int]{hook}}})
		return errors.Join(err, q.Append(ctx, 1))
	},
}

// The bubble fails the test if all wait for each other.
func TestCallbacksCannotChangeTheirCollection(t *testing.T) {
	t.Parallel()
	names := collections(t, func(context.Context) error { return nil })
	for name, changes := range names {
		for change := range changes.change {
			for way, call := range ways {
				t.Run(name+"/"+change+"/"+way, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						var c collection
						calls := 0
						c = collections(t, func(ctx context.Context) error {
							calls++
							return call(ctx, c.change[change])
						})[name]
						require.ErrorIs(t, c.add(t.Context()), queue.ErrReentrant)
						assert.Equal(t, 1, calls, "no recursion")
						assert.Equal(t, 2, c.len())
						require.ErrorIs(t, c.add(t.Context()), queue.ErrReentrant, "the turn is free again")
					})
				})
			}
		}
	}
}

func TestCallbacksCanReadAndBranch(t *testing.T) {
	t.Parallel()
	for name := range collections(t, nil) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c collection
				calls := 0
				c = collections(t, func(ctx context.Context) error {
					calls++
					c.read()
					return c.branch(ctx)
				})[name]
				require.NoError(t, c.add(t.Context()))
				assert.Equal(t, 1, calls)
			})
		})
	}
}

// A callback that does not pass on its context waits until the other one ends, and
// has changed nothing.
func TestCallbackWithAnotherContextWaitsForItsEnd(t *testing.T) {
	t.Parallel()
	names := collections(t, func(context.Context) error { return nil })
	for name, changes := range names {
		for change := range changes.change {
			t.Run(name+"/"+change, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var c collection
					calls := 0
					c = collections(t, func(context.Context) error {
						calls++
						other, cancel := context.WithTimeout(context.Background(), time.Second)
						defer cancel()
						return c.change[change](other)
					})[name]
					require.ErrorIs(t, c.add(t.Context()), context.DeadlineExceeded)
					assert.Equal(t, 1, calls, "no recursion")
					assert.Equal(t, 2, c.len())
					require.ErrorIs(t, c.add(t.Context()), context.DeadlineExceeded, "the turn is free again")
				})
			})
		}
	}
}

// UnmarshalJSON has no context, and waits for no callback: the change goes on with
// the state that it finds.
func TestCallbacksCanRestoreTheirCollection(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"compact":         {"x", "y", "next"}, // and not what it returned
		"before_append":   {"x", "y", "next"},
		"after_append":    {"x", "y"},
		"queue, on_evict": {"x", "y"},
		"before_add":      {"x", "y", "c"},
		"after_add":       {"x", "y"},
		"pool, on_evict":  {"x", "y"},
	} {
		for way, restore := range map[string]func(func()){
			"itself":                      func(restore func()) { restore() },
			"in a goroutine it waits for": func(restore func()) { done := make(chan struct{}); go func() { restore(); close(done) }(); <-done },
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var c collection
					c = collections(t, func(context.Context) error {
						restore(func() { assert.NoError(t, c.restore()) })
						return nil
					})[name]
					require.NoError(t, c.add(t.Context()))
					assert.Equal(t, want, c.items())
				})
			})
		}
	}
}

func TestPoolHooksCanRestoreWhatIsToBeRemoved(t *testing.T) {
	t.Parallel()
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
	require.ErrorAs(t, p.Remove(t.Context(), "a"), &missing)
	assert.Equal(t, "c", poolIDs(p))
	require.NoError(t, p.Add(t.Context(), contextItem("a")))
	require.NoError(t, p.Clear(t.Context()))
	assert.Equal(t, []string{"cleared:  | c"}, s.calls)
	assert.Zero(t, p.Len())
}

// What a callback was given is good for the same collection as soon as the change
// is over, so that it can have work done later.
func TestContextOfCallbackCanBeUsedLater(t *testing.T) {
	t.Parallel()
	var kept context.Context
	keep := queue.NewHook("keep", func(ctx context.Context, e queue.HookEvent[string]) error {
		if e.Subject[0] == "a" {
			kept = ctx
		}
		return nil
	})
	q := newQueue(t, 3, hooked(queue.Hooks[string]{AfterAppend: hooks{keep}}))
	require.NoError(t, q.Append(t.Context(), "a"))
	require.NoError(t, q.Append(kept, "b"))
	assert.Equal(t, []string{"a", "b"}, q.Items())
}

// Nor does it pass for the inside of a change that came later.
func TestContextOfCallbackIsAStrangerToTheNextChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept context.Context
		inside, resume := make(chan struct{}), make(chan struct{})
		hook := queue.NewHook("hook", func(ctx context.Context, e queue.HookEvent[string]) error {
			switch e.Subject[0] {
			case "a":
				kept = ctx
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
		go func() { done <- q.Append(kept, "c") }()
		synctest.Wait()
		close(resume)
		require.NoError(t, errors.Join(<-done, <-done))
		assert.Equal(t, []string{"a", "b", "c"}, q.Items())
	})
}

func TestChangesWaitForEachOther(t *testing.T) {
	t.Parallel()
	for name := range collections(t, nil) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				inside, resume := make(chan struct{}), make(chan struct{})
				c := collections(t, func(context.Context) error {
					inside <- struct{}{}
					<-resume
					return nil
				})[name]
				first := make(chan error)
				go func() { first <- c.add(context.Background()) }()
				<-inside

				ctx, cancel := context.WithCancel(t.Context())
				second := make(chan error)
				go func() { second <- c.change["clear"](ctx) }()
				synctest.Wait()
				cancel()
				err := <-second
				require.ErrorIs(t, err, context.Canceled, "waiting ends with the context")
				assert.Equal(t, 2, c.len(), "nothing was changed")

				go func() { second <- c.change["clear"](context.Background()) }()
				synctest.Wait()
				resume <- struct{}{}
				require.NoError(t, <-first)
				require.NoError(t, <-second)
				assert.Zero(t, c.len(), "it was its turn in the end")
			})
		})
	}
}

// A callback that ends its goroutine, as a failed test does, must not keep the
// turn for ever.
func TestTurnEndsWithTheGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := queue.NewHook("stop", func(_ context.Context, e queue.HookEvent[string]) error {
			if e.Subject[0] == "stop" {
				runtime.Goexit()
			}
			return nil
		})
		q := newQueue(t, 3, hooked(queue.Hooks[string]{BeforeAppend: hooks{stop}}))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = q.Append(context.Background(), "stop")
		}()
		<-done
		require.NoError(t, q.Append(t.Context(), "a"))
		assert.Equal(t, []string{"a"}, q.Items())
	})
}

// Who gives up the turn does not make others forget who has it next.
func TestReentryIsRefusedHoweverManyWait(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var q *queue.Queue[int]
	q, err := queue.New(3, &queue.Options[int]{Compact: func(ctx context.Context, w queue.CompactionInput[int]) ([]int, error) {
		return w.Items, q.Append(ctx, 0)
	}})
	require.NoError(t, err)
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 2000 {
				if err := q.Append(ctx, 1); !errors.Is(err, queue.ErrReentrant) {
					t.Errorf("got %v", err)
					return
				}
			}
		})
	}
	running.Wait()
}
