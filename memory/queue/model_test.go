package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// modelQueue is a simple reference for a queue: a slice, oldest first.
type modelQueue struct {
	limit   int
	items   []string
	compact bool // see modelCompact
	evicted []string
}

func (m *modelQueue) append(items []string) {
	if m.compact {
		m.items = modelCompact(m.items)
	}
	m.items = slices.Concat(m.items, items)
	if over := len(m.items) - m.limit; over > 0 {
		m.evicted = append(m.evicted, m.items[:over]...)
		m.items = m.items[over:]
	}
}

// modelCompact shortens long lists and lengthens short ones.
func modelCompact(items []string) []string {
	if len(items) < 3 {
		return slices.Concat(items, items)
	}
	return slices.Concat([]string{fmt.Sprint("sum of ", len(items)-2)}, items[len(items)-2:])
}

// queuePair is a queue and its reference.
type queuePair struct {
	real    *queue.Queue[string]
	model   modelQueue
	evicted *[]string
}

// endedContext returns a context that has ended, which does not stop a change: the result
// of a tool must not be lost because its turn is over.
func endedContext(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestQueueModel(t *testing.T) {
	t.Parallel()
	ctx := endedContext(t)
	rapid.Check(t, func(t *rapid.T) {
		fail := false
		options := func(compact bool) (*queue.Options[string], *[]string) {
			evicted := new([]string)
			opts := hooked(queue.Hooks[string]{OnEvict: hooks{queue.NewHook("evicted", func(_ context.Context, e queue.HookEvent[string]) error {
				*evicted = append(*evicted, e.Subject...)
				return nil
			})}})
			if compact {
				opts.Compact = func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
					if fail {
						return nil, errModel
					}
					return modelCompact(w.Items), nil
				}
			}
			return opts, evicted
		}
		limits := rapid.IntRange(1, 20)
		limit, compact, plain := limits.Draw(t, "limit"), rapid.Bool().Draw(t, "compact"), rapid.Bool().Draw(t, "no callbacks")
		opts, evicted := options(compact)
		if plain {
			opts, compact, evicted = nil, false, nil
		}
		q, err := queue.New(limit, opts)
		require.NoError(t, err)
		all := []queuePair{{q, modelQueue{limit: limit, compact: compact}, evicted}}
		one := func(t *rapid.T) *queuePair { return &all[rapid.IntRange(0, len(all)-1).Draw(t, "queue")] }
		items := rapid.SliceOfN(rapid.StringMatching(`[a-zäß]{0,3}`), 0, 12)

		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				p, batch := one(t), items.Draw(t, "items")
				require.NoError(t, p.real.Append(ctx, batch...))
				p.model.append(batch)
			},
			"failing append": func(t *rapid.T) {
				p := one(t)
				if !p.model.compact {
					t.Skip("nothing can fail")
				}
				fail = true
				require.ErrorIs(t, p.real.Append(ctx, "x"), errModel)
				fail = false
			},
			"clear": func(t *rapid.T) {
				p := one(t)
				require.NoError(t, p.real.Clear(ctx))
				p.model.items = nil
			},
			"branch": func(t *rapid.T) {
				if len(all) == 5 {
					t.Skip("enough")
				}
				p, limit, compact := one(t), limits.Draw(t, "limit"), rapid.Bool().Draw(t, "compact")
				opts, evicted := options(compact)
				child, err := p.real.Branch(&queue.BranchOptions[string]{Limit: &limit, Compact: &opts.Compact, Hooks: &opts.Hooks})
				require.NoError(t, err)
				model := modelQueue{limit: limit, compact: compact}
				model.items = slices.Clone(p.model.items[max(0, len(p.model.items)-limit):])
				all = append(all, queuePair{child, model, evicted})
			},
			"write and read": func(t *rapid.T) {
				from, to := one(t), one(t)
				state, err := json.Marshal(from.real)
				require.NoError(t, err)
				state = []byte(strings.ReplaceAll(string(state), `,"hooks":{"on_evict":["evicted"]}`, ""))
				require.NoError(t, json.Unmarshal(state, to.real))
				to.model.limit, to.model.items = from.model.limit, slices.Clone(from.model.items)
			},
			"": func(t *rapid.T) {
				for _, p := range all {
					require.Equal(t, append([]string{}, p.model.items...), p.real.Items())
					require.Equal(t, len(p.model.items), p.real.Len())
					require.Equal(t, p.model.limit, p.real.Limit())
					if p.evicted != nil {
						require.Equal(t, p.model.evicted, *p.evicted)
					}
				}
			},
		})
	})
}

// modelPool is a simple reference for a pool.
type modelPool struct {
	limit int
	items []queue.ContextItem
}

func (m *modelPool) find(id string) int {
	return slices.IndexFunc(m.items, func(i queue.ContextItem) bool { return i.ID == id })
}

func (m *modelPool) add(item queue.ContextItem) {
	if i := m.find(item.ID); i >= 0 {
		m.items[i] = item
		return
	}
	m.items = append(m.items, item)
	m.trim()
}

func (m *modelPool) trim() {
	if m.limit > 0 && len(m.items) > m.limit {
		m.items = slices.Delete(m.items, 0, len(m.items)-m.limit)
	}
}

func (m *modelPool) clone() modelPool { return modelPool{m.limit, slices.Clone(m.items)} }

func TestPoolModel(t *testing.T) {
	t.Parallel()
	type pair struct {
		real  *queue.Pool
		model modelPool
	}
	ctx := endedContext(t)
	rapid.Check(t, func(t *rapid.T) {
		limits := rapid.IntRange(0, 5)
		ids := rapid.StringMatching(`[a-z]?[0-9]`)
		limit := limits.Draw(t, "limit")
		opts := &queue.PoolOptions{Limit: limit}
		if rapid.Bool().Draw(t, "hooked") {
			opts.Hooks.AfterAdd = itemHooks{queue.NewHook[queue.ContextItem]("nothing", nil)}
		}
		first, err := queue.NewPool(opts)
		require.NoError(t, err)
		all := []pair{{first, modelPool{limit: limit}}}
		one := func(t *rapid.T) *pair { return &all[rapid.IntRange(0, len(all)-1).Draw(t, "pool")] }

		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				p, item := one(t), contextItem(ids.Draw(t, "id"))
				item.Content = rapid.StringN(0, 3, -1).Draw(t, "content")
				require.NoError(t, p.real.Add(ctx, item))
				p.model.add(item)
			},
			"remove": func(t *rapid.T) {
				p, id := one(t), ids.Draw(t, "id")
				err := p.real.Remove(ctx, id)
				if i := p.model.find(id); i >= 0 {
					require.NoError(t, err)
					p.model.items = slices.Delete(p.model.items, i, i+1)
				} else {
					require.Error(t, err)
				}
			},
			"clear": func(t *rapid.T) {
				p := one(t)
				require.NoError(t, p.real.Clear(ctx))
				p.model.items = nil
			},
			"branch": func(t *rapid.T) {
				if len(all) == 4 {
					t.Skip("enough")
				}
				p, limit := one(t), limits.Draw(t, "limit")
				opts := &queue.PoolBranchOptions{Limit: &limit}
				if rapid.Bool().Draw(t, "inherit") {
					opts, limit = nil, p.model.limit
				}
				child, err := p.real.Branch(opts)
				require.NoError(t, err)
				model := p.model.clone()
				model.limit = limit
				model.trim()
				all = append(all, pair{child, model})
			},
			"write and read": func(t *rapid.T) {
				from, to := one(t), one(t)
				state, err := json.Marshal(from.real)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(state, to.real))
				to.model = from.model.clone()
			},
			"": func(t *rapid.T) {
				for _, p := range all {
					require.Equal(t, append([]queue.ContextItem{}, p.model.items...), p.real.Items())
					require.Equal(t, len(p.model.items), p.real.Len())
					require.Equal(t, p.model.limit, p.real.Limit())
					id := ids.Draw(t, "id")
					got, err := p.real.Get(id)
					if i := p.model.find(id); i >= 0 {
						require.NoError(t, err)
						require.Equal(t, p.model.items[i], got)
					} else {
						require.Equal(t, &memory.NotFoundError{ID: id}, err)
					}
				}
			},
		})
	})
}
