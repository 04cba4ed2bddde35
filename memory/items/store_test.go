package items_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := items.New(nil)
	require.NoError(t, err)
	before := time.Now()
	it := get(t, s, memorize(t, s, items.ItemInput{Text: "The parcel was sent."}).ID)
	require.NoError(t, uuid.Validate(it.ID))
	require.WithinRange(t, it.Timestamp, before.Round(0), time.Now())
	require.Equal(t, time.UTC, it.Timestamp.Location())
	require.Equal(t, []any{items.TypeCustom, 0.5, 5}, []any{it.Type, it.Importance, it.Tokens})
	info := s.Capacity(t.Context())
	require.Equal(t, []int{64, 4000, 63, 3995}, []int{info.MaxItems, info.MaxTokens, info.FreeItems, info.FreeTokens})
	require.Equal(t, "When room is needed, items are evicted in this order: deleted items, "+
		"items older than 20 steps or 1h0m0s, items of importance below 0.3, items of importance below 0.7, all other items. "+
		"Within a group, items of the last 5 steps are evicted last. Otherwise the oldest item is evicted first.", info.Policy)

	info = newStore(t, items.Options{MaxItems: math.MaxInt, MaxTokens: math.MaxInt}).Capacity(t.Context())
	require.Equal(t, []int{1 << 30, math.MaxInt / 2}, []int{info.MaxItems, info.MaxTokens})
}

func TestNewValidatesImportances(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		low, high float64
		ok        bool
	}{
		{"defaults", 0, 0, true},
		{"no low class", -1, 0, true},
		{"no normal class", 0.5, 0.5, true},
		{"low above high", 0.5, 0.4, false},
		{"maximum", 1, 1, true},
		{"high above 1", 0, 1.1, false},
		{"high below 0", -2, -1, false},
		{"low is NaN", math.NaN(), 0, false},
	} {
		_, err := items.New(&items.Options{LowImportance: test.low, HighImportance: test.high})
		assert.Equal(t, test.ok, err == nil, test.name)
	}
}

func TestMemorizeRejects(t *testing.T) {
	t.Parallel()
	long, invalid := strings.Repeat(secret, 1000), secret+"\xff"
	field := func(name string, err error) error { return &items.InputError{Field: name, Err: err} }
	for _, test := range []struct {
		name string
		in   items.ItemInput
		want error
	}{
		{"no text", items.ItemInput{ID: secret}, items.ErrNoText},
		{"type", items.ItemInput{Type: secret}, items.ErrItemType},
		{"importance above 1", items.ItemInput{Importance: new(1.01)}, items.ErrImportance},
		{"importance NaN", items.ItemInput{Importance: new(math.NaN())}, items.ErrImportance},
		{"duplicate id", items.ItemInput{ID: "i1"}, items.ErrDuplicateID},
		{"long id", items.ItemInput{ID: long}, field("id", memory.ErrTooLong)},
		{"invalid agent", items.ItemInput{AgentID: invalid}, field("agent_id", memory.ErrInvalidID)},
		{"many tags", items.ItemInput{Tags: make([]string, 33)}, field("tags", memory.ErrTooLong)},
		{"long tag", items.ItemInput{Tags: []string{"a", long}}, field("tags", memory.ErrTooLong)},
		{"large metadata", items.ItemInput{Metadata: map[string]string{"a": long}}, field("metadata", memory.ErrTooLong)},
		{"invalid metadata key", items.ItemInput{Metadata: map[string]string{invalid: ""}}, field("metadata", memory.ErrInvalidID)},
		{"many tokens", items.ItemInput{Text: strings.Repeat(secret+" ", 6)}, &items.TooLargeError{Tokens: 6, MaxTokens: 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, items.Options{MaxTokens: 5, MaxItems: 2})
			memorizeAll(t, s, 0.1, 0.1)
			before, version := slices.Collect(s.All()), s.Version()
			if test.want != items.ErrNoText && test.in.Text == "" {
				test.in.Text = secret
			}
			m, err := s.Memorize(t.Context(), test.in)
			require.Equal(t, test.want, err)
			if input, ok := err.(*items.InputError); ok {
				require.ErrorIs(t, err, input.Err)
				require.Contains(t, err.Error(), input.Field)
			}
			require.NotContains(t, err.Error(), secret)
			require.Zero(t, m)
			require.Equal(t, before, slices.Collect(s.All()))
			require.Equal(t, version, s.Version())
		})
	}
	require.EqualError(t, &items.TooLargeError{Tokens: 6, MaxTokens: 5}, "items: item of 6 tokens exceeds the limit of 5")

	s := newStore(t, items.Options{NewID: func() string { return "" }})
	_, err := s.Memorize(t.Context(), items.ItemInput{Text: "text"})
	require.ErrorIs(t, err, memory.ErrNoID)
}

func TestMemorizeAcceptsLargestItem(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxTokens: 5, MaxItems: 1})
	in := items.ItemInput{
		ID: strings.Repeat("i", memory.MaxIDBytes), AgentID: strings.Repeat("a", memory.MaxIDBytes),
		Text: "a b c d e", Tags: slices.Repeat([]string{strings.Repeat("t", memory.MaxTypeBytes)}, 32),
		Metadata: map[string]string{"k": strings.Repeat("v", 4<<10-1)},
	}
	memorize(t, s, in)
	it := get(t, s, in.ID)
	require.Equal(t, []any{in.AgentID, in.Text, in.Tags, in.Metadata}, []any{it.AgentID, it.Text, it.Tags, it.Metadata})
	memorize(t, s, items.ItemInput{ID: "other"})
	memorize(t, s, in) // an evicted id is free again
	require.Equal(t, []string{in.ID}, allIDs(s))
}

func TestStepAndTimeDoNotGoBack(t *testing.T) {
	t.Parallel()
	step, clock := 7, &fakeClock{now: start}
	s := newStore(t, items.Options{Step: func() int { return step }, Now: clock.Now})
	require.Equal(t, 7, s.Step())
	step = 3
	clock.advance(-time.Minute)
	require.Equal(t, 7, s.Step())
	require.Equal(t, 7, s.AdvanceStep(), "the store does not count")
	requireLatest := func(id string) { require.Equal(t, start, get(t, s, id).Timestamp) }
	requireLatest(memorize(t, s, items.ItemInput{}).ID)
	s.Clear(t.Context())
	require.Zero(t, s.Tokens())
	require.Equal(t, 7, get(t, s, memorize(t, s, items.ItemInput{ID: "cleared"}).ID).StepIndex)
	requireLatest("cleared")
	require.NoError(t, s.UnmarshalJSON([]byte(`{"items":[{"id":"restored","text":"a"}]}`)))
	requireLatest("restored")
	require.Equal(t, 3, s.Step(), "the step of a state replaces that of the store")
	step = math.MaxInt
	s.Clear(t.Context())
	step = 3
	require.Equal(t, math.MaxInt/2, s.Step())
}

func TestNoTTLAndNoWindow(t *testing.T) {
	t.Parallel()
	clock := &fakeClock{now: start}
	s := newStore(t, items.Options{MaxItems: 2, StepTTL: -1, WallTTL: -1, RecencyWindow: -1, LowImportance: -1, Now: clock.Now})
	memorize(t, s, items.ItemInput{StepIndex: new(1)})
	memorize(t, s, items.ItemInput{StepIndex: new(-1000), Timestamp: start.AddDate(-500, 0, 0), Importance: new(0.0)})
	clock.advance(math.MaxInt64)
	require.Equal(t, 2, s.Capacity(t.Context()).ByClass[items.ClassNormal])
	require.Equal(t, []string{"i1: normal importance"}, reasons(memorize(t, s, items.ItemInput{}).Evicted))
	require.Equal(t, "When room is needed, items are evicted in this order: deleted items, items of importance below 0.7, all other items. "+
		"Otherwise the oldest item is evicted first.", s.Capacity(t.Context()).Policy)
	s = newStore(t, items.Options{KeepProtected: true})
	require.Contains(t, s.Capacity(t.Context()).Policy, "items of importance below 0.7. No other items are evicted.")
}

func TestTokenCounters(t *testing.T) {
	t.Parallel()
	for tokens, ok := range map[int]bool{math.MinInt: true, 0: true, math.MaxInt: false} {
		s := newStore(t, items.Options{MaxTokens: math.MaxInt, Counter: counterFunc(func(string) int { return tokens })})
		_, err := s.Memorize(t.Context(), items.ItemInput{Text: "text"})
		require.Equal(t, ok, err == nil)
		require.Zero(t, s.Tokens())
	}

	counted := 0
	s := newStore(t, items.Options{MaxItems: 2, Counter: counterFunc(func(string) int { counted++; return 1 })})
	memorizeAll(t, s, 0.5, 0.5, 0.5)
	remember(t, s, "text", items.Criteria{})
	forget(t, s, "oldest", items.ForgetSoft)
	memorizeAll(t, s.Branch(), 0.5)
	require.Equal(t, 4, counted, "each item is counted once")
}

// heap returns the size of the live heap.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Evicted items are released, and so are large texts that an item uses only in part.
func TestStoreReleasesTexts(t *testing.T) {
	const megabyte = 1 << 20
	before := heap()
	s := newStore(t, items.Options{MaxItems: 4, Counter: counterFunc(func(string) int { return 1 })})
	for i := range 20 {
		large := strings.Repeat("x", megabyte)
		memorize(t, s, items.ItemInput{Text: large})
		memorize(t, s, items.ItemInput{Text: large[:9], ID: large[:1+i], AgentID: large[:1], Tags: []string{large[:2]}, Metadata: map[string]string{large[:3]: large[:4]}})
	}
	require.Less(t, heap()-before, 3*megabyte)
	s.Clear(t.Context())
	require.Less(t, heap()-before, megabyte/2)
	runtime.KeepAlive(s)
}

func TestStoreReleasesSlots(t *testing.T) {
	const size = 2000
	for name, empty := range map[string]func(s *items.Store){
		"before a step": func(s *items.Store) { forget(t, s, "before:step_1", items.ForgetHard) },
		"sweep": func(s *items.Store) {
			for range 20 + 1 {
				s.AdvanceStep()
			}
			s.Sweep(t.Context())
		},
		"large item": func(s *items.Store) { memorize(t, s, items.ItemInput{Text: strings.Repeat("a ", size)}) },
	} {
		before := heap()
		s := newStore(t, items.Options{MaxItems: size, MaxTokens: size})
		for range size {
			memorize(t, s, items.ItemInput{Text: "a"})
		}
		full := heap() - before
		empty(s)
		require.LessOrEqual(t, s.Len(), 1, name)
		require.Less(t, heap()-before, full/5, name)
		memorize(t, s, items.ItemInput{ID: "new", Text: "a"})
		get(t, s, "new")
	}
}

func TestManyItems(t *testing.T) {
	t.Parallel()
	size := soak.Times(5000, 1_000_000)
	s := fullStore(t, size)
	it := get(t, s, s.Notable(1)[0].ID)
	require.Equal(t, []any{size, 0.9, size - 1}, []any{s.Len(), it.Importance, it.Position})
	summary, err := s.Summarize(t.Context(), items.SelectAll, 300)
	require.NoError(t, err)
	require.LessOrEqual(t, summary.Tokens, 300)
	require.Greater(t, summary.Tokens, 250, "the room is used")
	require.Contains(t, summary.Text, fmt.Sprintf("W%07d", size-1))
	m := memorize(t, s, items.ItemInput{})
	require.Equal(t, []any{0.0, size - 1}, []any{m.Evicted[0].Item.Importance, m.Position})
}

func TestMemorizeNormalizes(t *testing.T) {
	t.Parallel()
	now, year := time.Now(), func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	s := newStore(t, items.Options{})
	s.AdvanceStep()
	memorized := func(in items.ItemInput) items.Item { return get(t, s, memorize(t, s, in).ID) }
	it := memorized(items.ItemInput{Text: "a\xffb", Metadata: map[string]string{"k": "\xfe"}})
	require.Equal(t, []any{"a\uFFFDb", "\uFFFD", start, 1}, []any{it.Text, it.Metadata["k"], it.Timestamp, it.StepIndex})
	for in, want := range map[time.Time]time.Time{
		now:                                now.UTC().Round(0),
		start.In(time.FixedZone("", 3600)): start,
		year(10_000):                       start,
		year(-1):                           start,
		year(0):                            year(0),
	} {
		require.Equal(t, want, memorized(items.ItemInput{Timestamp: in}).Timestamp)
	}
	require.Equal(t, math.MaxInt/2, memorized(items.ItemInput{StepIndex: new(math.MaxInt)}).StepIndex)
	require.Equal(t, -(math.MaxInt / 2), memorized(items.ItemInput{StepIndex: new(math.MinInt)}).StepIndex)
	require.Equal(t, 1, s.Step())

	s = newStore(t, items.Options{Now: func() time.Time { return start.AddDate(9000, 0, 0) }})
	require.Equal(t, 9999, memorized(items.ItemInput{}).Timestamp.Year())
	_, err := s.MarshalJSON()
	require.NoError(t, err)
}

func TestItemsAreNotShared(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, items.Options{MaxItems: 1})
	in := items.ItemInput{ID: "1", Tags: []string{"tag"}, Metadata: map[string]string{"k": "v"}}
	memorize(t, s, in)
	in.Tags[0], in.Metadata["k"] = "spoilt", "spoilt"
	branch := s.Branch()
	for name, read := range map[string]func() []items.Item{
		"get":      func() []items.Item { return []items.Item{get(t, s, "1")} },
		"notable":  func() []items.Item { return s.Notable(1) },
		"relevant": func() []items.Item { found, _ := s.Remember(ctx, "text", items.Criteria{}, 0); return found },
		"forget": func() []items.Item {
			f, _ := s.Forget(ctx, "oldest", items.ForgetSoft)
			require.NoError(t, s.Restore(ctx, "1"))
			return f.Items
		},
		"branch": func() []items.Item { return []items.Item{get(t, branch, "1")} },
	} {
		for range 2 {
			list := read()
			require.Len(t, list, 1, name)
			require.Equal(t, []string{"tag", "v"}, []string{list[0].Tags[0], list[0].Metadata["k"]}, name)
			list[0].Tags[0], list[0].Metadata["k"] = "spoilt", "spoilt"
		}
	}
	memorize(t, s, items.ItemInput{}).Evicted[0].Item.Tags[0] = "spoilt"
	require.Equal(t, "tag", get(t, branch, "1").Tags[0])
	for range branch.All() {
		branch.Clear(ctx) // a loop may change the store and end early
		break
	}
	require.Zero(t, branch.Len())
}
