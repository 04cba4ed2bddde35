package items_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// itemModel is a simple reference for a store: a slice, oldest first.
type itemModel struct {
	items.Options
	step  int
	now   time.Time
	items []items.Item
}

func (m *itemModel) expiry(it items.Item) items.EvictionReason {
	switch {
	case m.StepTTL >= 0 && m.step-it.StepIndex > m.StepTTL:
		return items.EvictionReason("step TTL")
	case m.WallTTL >= 0 && m.now.Sub(it.Timestamp) > m.WallTTL:
		return items.EvictionReason("wall TTL")
	}
	return ""
}

func (m *itemModel) class(it items.Item) (items.EvictionClass, items.EvictionReason) {
	switch expiry := m.expiry(it); {
	case it.Deleted:
		return items.ClassDeleted, items.EvictionReason("soft-deleted")
	case expiry != "":
		return items.ClassExpired, expiry
	case it.Importance < m.LowImportance:
		return items.ClassLow, items.EvictionReason("low importance")
	case it.Importance < m.HighImportance:
		return items.ClassNormal, items.EvictionReason("normal importance")
	}
	return items.ClassProtected, items.EvictionReason("only protected items were left")
}

func (m *itemModel) recent(it items.Item) bool {
	return m.RecencyWindow > 0 && m.step-it.StepIndex < m.RecencyWindow
}

func (m *itemModel) tokens() int {
	tokens := 0
	for _, it := range m.items {
		tokens += it.Tokens
	}
	return tokens
}

var classes = []items.EvictionClass{items.ClassDeleted, items.ClassExpired, items.ClassLow, items.ClassNormal, items.ClassProtected}

// victim returns the position of the item that is evicted next.
func (m *itemModel) victim() int {
	for _, class := range classes {
		for _, recent := range []bool{false, true} {
			i := slices.IndexFunc(m.items, func(it items.Item) bool {
				c, _ := m.class(it)
				return c == class && m.recent(it) == recent
			})
			if i >= 0 {
				return i
			}
		}
	}
	return -1
}

func (m *itemModel) removeAt(i int) {
	m.items = slices.Delete(m.items, i, i+1)
	for i := range m.items {
		m.items[i].Position = i
	}
}

func (m *itemModel) evict(i int) items.Evicted {
	e := items.Evicted{Item: m.items[i]}
	e.Class, e.Reason = m.class(e.Item)
	m.removeAt(i)
	return e
}

func (m *itemModel) makeRoom(list, tokens int) []items.Evicted {
	var evicted []items.Evicted
	for len(m.items)+list > m.MaxItems || m.tokens()+tokens > m.MaxTokens {
		evicted = append(evicted, m.evict(m.victim()))
	}
	return evicted
}

func (m *itemModel) push(it items.Item) {
	it.Position = len(m.items)
	m.items = append(m.items, it)
}

func (m *itemModel) memorize(it items.Item) ([]items.Evicted, error) {
	if it.Tokens > m.MaxTokens {
		return nil, &items.TooLargeError{Tokens: it.Tokens, MaxTokens: m.MaxTokens}
	}
	if slices.ContainsFunc(m.items, func(other items.Item) bool { return other.ID == it.ID }) {
		return nil, items.ErrDuplicateID
	}
	before := slices.Clone(m.items)
	evicted := m.makeRoom(1, it.Tokens)
	if m.KeepProtected && len(evicted) > 0 && evicted[len(evicted)-1].Class == items.ClassProtected {
		m.items = before
		return nil, items.ErrCapacity
	}
	m.push(it)
	return evicted, nil
}

// load adds items as a store reads a state.
func (m *itemModel) load(items []items.Item) {
	m.items = nil
	for _, it := range items {
		if it.Tokens <= m.MaxTokens {
			m.push(it)
			m.makeRoom(0, 0)
		}
	}
}

// ranked returns the items that are not deleted, in the order of Remember.
func (m *itemModel) ranked() []items.Item {
	list := slices.Clone(m.items)
	list = slices.DeleteFunc(list, func(it items.Item) bool { return it.Deleted })
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b items.Item) int { return b.Timestamp.Compare(a.Timestamp) })
	slices.SortStableFunc(list, func(a, b items.Item) int { return b.StepIndex - a.StepIndex })
	slices.SortStableFunc(list, func(a, b items.Item) int { return cmp.Compare(b.Importance, a.Importance) })
	return list
}

// resolve returns the positions of the items that an instruction names.
func (m *itemModel) resolve(kind string, n int) []int {
	var at []int
	for i, it := range m.items {
		if kind == "position" && i == n || kind == "before" && it.StepIndex < n || kind != "position" && kind != "before" && !it.Deleted {
			at = append(at, i)
		}
	}
	if kind == "least important" {
		slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(m.items[a].Importance, m.items[b].Importance) })
	}
	if kind == "least important" || kind == "oldest" {
		at = at[:min(1, len(at))]
	}
	return at
}

func (m *itemModel) forget(kind string, n int, mode items.ForgetMode) []items.Item {
	var forgotten []items.Item
	for k, i := range m.resolve(kind, n) {
		if mode == items.ForgetHard {
			it := m.items[i-k]
			it.Position = i
			forgotten = append(forgotten, it)
			m.removeAt(i - k)
		} else if !m.items[i].Deleted {
			forgotten = append(forgotten, m.items[i])
			m.items[i].Deleted = true
		}
	}
	return forgotten
}

func drawOptions(t *rapid.T) items.Options {
	return items.Options{
		MaxItems:       rapid.SampledFrom([]int{1, 2, 5, 12, 60}).Draw(t, "max items"),
		MaxTokens:      rapid.SampledFrom([]int{3, 20, 1000}).Draw(t, "max tokens"),
		StepTTL:        rapid.SampledFrom([]int{-1, 1, 4, math.MaxInt}).Draw(t, "step TTL"),
		WallTTL:        rapid.SampledFrom([]time.Duration{-1, 1, 5 * time.Second, math.MaxInt64}).Draw(t, "wall TTL"),
		LowImportance:  rapid.SampledFrom([]float64{-1, 0.3, 0.7}).Draw(t, "low"),
		HighImportance: 0.7,
		RecencyWindow:  rapid.SampledFrom([]int{-1, 1, 3}).Draw(t, "window"),
		KeepProtected:  rapid.Bool().Draw(t, "keep protected"),
		Counter:        byWords,
	}
}

var importances = rapid.SampledFrom([]float64{0, 0.2, 0.3, 0.5, 0.7, 0.9, 1})

func TestStoreModel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // operations proceed even if their context has ended
	rapid.Check(t, func(t *rapid.T) {
		m := &itemModel{Options: drawOptions(t), now: start}
		clock := &fakeClock{now: start}
		opts := m.Options
		opts.Now = clock.Now
		s, err := items.New(&opts)
		require.NoError(t, err)
		made := 0
		var (
			seen    []items.Item
			version uint64
		)
		remember := func() { seen, version = slices.Collect(s.All()), s.Version() }

		draw := func(t *rapid.T) (items.ItemInput, items.Item) {
			made++
			in := items.ItemInput{
				ID:         fmt.Sprint(made - rapid.IntRange(0, 1).Draw(t, "reused")*rapid.IntRange(0, made-1).Draw(t, "by")),
				Text:       strings.Repeat("w ", rapid.SampledFrom([]int{1, 1, 2, 4, 21}).Draw(t, "tokens")),
				Importance: new(importances.Draw(t, "importance")),
				Timestamp:  start.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "second")) * time.Second),
				StepIndex:  new(m.step + rapid.IntRange(-4, 2).Draw(t, "step")),
			}
			if rapid.Bool().Draw(t, "is current") {
				in.Timestamp, in.StepIndex = time.Time{}, nil
			}
			it := items.Item{ID: in.ID, Type: items.TypeCustom, Text: in.Text, Tokens: byWords(in.Text), Timestamp: m.now, StepIndex: m.step, Importance: *in.Importance}
			if in.StepIndex != nil {
				it.Timestamp, it.StepIndex = in.Timestamp, *in.StepIndex
			}
			return in, it
		}
		memorize := func(t *rapid.T) {
			in, it := draw(t)
			evicted, rejected := m.memorize(it)
			got, err := s.Memorize(ctx, in)
			require.Equal(t, rejected, err)
			require.Equal(t, evicted, got.Evicted)
			if rejected == nil {
				require.Equal(t, len(m.items)-1, got.Position)
				require.Equal(t, []int{len(m.items), m.tokens()}, []int{got.Size, got.Tokens})
				require.Equal(t, version+1, s.Version())
			}
			remember()
		}
		someID := func(t *rapid.T) (string, int) {
			id := fmt.Sprint(rapid.IntRange(0, made+1).Draw(t, "id"))
			return id, slices.IndexFunc(m.items, func(it items.Item) bool { return it.ID == id })
		}
		requireFound := func(t *rapid.T, id string, at int, err error) {
			if at < 0 {
				require.Equal(t, &memory.NotFoundError{ID: id}, err)
			} else {
				require.NoError(t, err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"memorize": memorize,
			"memorize many": func(t *rapid.T) {
				for range rapid.IntRange(0, 70).Draw(t, "items") {
					memorize(t)
				}
			},
			"step": func(t *rapid.T) { m.step++; require.Equal(t, m.step, s.AdvanceStep()) },
			"time": func(t *rapid.T) {
				clock.advance(time.Duration(rapid.IntRange(-3, 6).Draw(t, "seconds")) * time.Second)
				if clock.now.After(m.now) {
					m.now = clock.now
				}
				require.Equal(t, m.step, s.Step())
			},
			"forget": func(t *rapid.T) {
				mode := rapid.SampledFrom([]items.ForgetMode{items.ForgetSoft, items.ForgetHard}).Draw(t, "mode")
				kind := rapid.SampledFrom([]string{"oldest", "least important", "position", "before"}).Draw(t, "kind")
				n := rapid.IntRange(0, 12).Draw(t, "n")
				instruction := kind
				switch kind {
				case "position":
					instruction = fmt.Sprint(" Position:", n)
				case "before":
					instruction = fmt.Sprint("BEFORE:step_", n, "\n")
				}
				size := len(m.items)
				forgotten := m.forget(kind, n, mode)
				f, err := s.Forget(ctx, instruction, mode)
				if kind == "position" && n >= size {
					require.Equal(t, &items.PositionError{Position: n, Size: size}, err)
					return
				}
				require.NoError(t, err)
				requireItems(t, forgotten, f.Items)
				require.Equal(t, []int{len(m.items), m.tokens()}, []int{f.Size, f.Tokens})
			},
			"forget item": func(t *rapid.T) {
				id, at := someID(t)
				mode := rapid.SampledFrom([]items.ForgetMode{items.ForgetSoft, items.ForgetHard}).Draw(t, "mode")
				f, err := s.ForgetItem(ctx, id, mode)
				requireFound(t, id, at, err)
				if at >= 0 {
					requireItems(t, m.forget("position", at, mode), f.Items)
					require.Equal(t, []int{len(m.items), m.tokens()}, []int{f.Size, f.Tokens})
				}
			},
			"restore": func(t *rapid.T) {
				id, at := someID(t)
				requireFound(t, id, at, s.Restore(ctx, id))
				if at >= 0 {
					m.items[at].Deleted = false
				}
			},
			"set importance": func(t *rapid.T) {
				id, at := someID(t)
				x := importances.Draw(t, "importance")
				requireFound(t, id, at, s.SetImportance(ctx, id, x))
				if at >= 0 {
					m.items[at].Importance = x
				}
			},
			"sweep": func(t *rapid.T) {
				var swept []items.Evicted
				for i := 0; i < len(m.items); {
					if reason := m.expiry(m.items[i]); reason != "" {
						e := m.evict(i)
						e.Reason = reason
						swept = append(swept, e)
					} else {
						i++
					}
				}
				got := s.Sweep(ctx)
				require.Equal(t, swept, got)
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
					s.Clear(ctx)
					m.items = nil
				}
			},
			"branch": func(t *rapid.T) {
				parent := s
				s = s.Branch()
				parent.AdvanceStep() // none of this must affect the branch
				_, _ = parent.Forget(ctx, "oldest", items.ForgetSoft)
				in, _ := draw(t)
				_, _ = parent.Memorize(ctx, in)
				parent.Clear(ctx)
			},
			"round trip": func(t *rapid.T) {
				data, err := json.Marshal(s)
				require.NoError(t, err)
				opts := drawOptions(t)
				if rapid.Bool().Draw(t, "same options") {
					opts = m.Options
				}
				m.Options = opts
				m.now = clock.now // a new store has not seen a later time
				m.load(m.items)
				opts.Now = clock.Now
				s, err = items.New(&opts)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(data, s))
				remember()
			},
			"": func(t *rapid.T) {
				requireItemModel(t, m, s)
				same := reflect.DeepEqual(seen, slices.Collect(s.All()))
				require.Equal(t, same, version == s.Version(), "the version changes with the items")
				remember()
			},
		})
	})
}

func requireItemModel(t *rapid.T, m *itemModel, s *items.Store) {
	requireItems(t, m.items, slices.Collect(s.All()))
	require.LessOrEqual(t, s.Len(), m.MaxItems)
	require.LessOrEqual(t, s.Tokens(), m.MaxTokens)
	for _, it := range m.items {
		got, err := s.Get(it.ID)
		require.NoError(t, err)
		require.Equal(t, it, got)
	}
	info := s.Capacity(t.Context())
	byClass := map[items.EvictionClass]int{}
	for _, class := range classes {
		byClass[class] = 0
	}
	for _, it := range m.items {
		class, _ := m.class(it)
		byClass[class]++
	}
	require.Equal(t, byClass, info.ByClass)
	require.Equal(t, []int{len(m.items), m.tokens()}, []int{info.Items, info.Tokens})
	require.Equal(t, []int{m.MaxItems - s.Len(), m.MaxTokens - s.Tokens()}, []int{info.FreeItems, info.FreeTokens})

	ranked := m.ranked()
	n := rapid.IntRange(-1, 14).Draw(t, "n")
	requireItems(t, ranked[:min(max(n, 0), len(ranked))], s.Notable(n))
	if n <= 0 {
		n = len(ranked)
	}
	remembered, err := s.Remember(t.Context(), " \n", items.Criteria{}, n)
	require.NoError(t, err)
	requireItems(t, ranked[:min(n, len(ranked))], remembered)
}

// requireItems treats nil and an empty list as equal.
func requireItems(t require.TestingT, want, got []items.Item) {
	require.Equal(t, append([]items.Item{}, want...), append([]items.Item{}, got...))
}
