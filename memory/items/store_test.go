package items_test

import (
	"context"
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

	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestNilOptionsAreTheDefaults(t *testing.T) {
	t.Parallel()
	s, err := items.New(nil)
	require.NoError(t, err)
	before := time.Now()
	m, err := s.Memorize(t.Context(), items.ItemInput{Text: "The parcel was sent."})
	require.NoError(t, err)
	it, err := s.Get(m.ID)
	require.NoError(t, err)

	require.NoError(t, uuid.Validate(it.ID))
	require.Equal(t, items.TypeCustom, it.Type)
	require.Equal(t, 0.5, it.Importance)
	require.WithinRange(t, it.Timestamp, before.Round(0), time.Now())
	require.Equal(t, time.UTC, it.Timestamp.Location())
	require.Equal(t, 5, it.Tokens, "estimated")
	info := s.Capacity(t.Context())
	require.Equal(t, []int{64, 4000, 63, 3995}, []int{info.MaxItems, info.MaxTokens, info.FreeItems, info.FreeTokens})
	require.Equal(t, "When room is needed, items are evicted in this order: deleted items, "+
		"items older than 20 steps or 1h0m0s, items of importance below 0.3, items of importance below 0.7, all other items. "+
		"Within a group, items of the last 5 steps are evicted last. Otherwise the oldest item is evicted first.", info.Policy)
}

func TestOptionsThatContradictEachOther(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what      string
		low, high float64
		ok        bool
	}{
		{"defaults", 0, 0, true},
		{"no low class", -1, 0, true},
		{"no normal class", 0.5, 0.5, true},
		{"the largest", 1, 1, true},
		{"low above the default for high", 0.8, 0, false},
		{"low above high", 0.5, 0.4, false},
		{"high above 1", 0, 1.1, false},
		{"high below 0", -2, -1, false},
		{"low is no number", math.NaN(), 0, false},
		{"high is no number", 0, math.NaN(), false},
		{"high is infinite", 0, math.Inf(1), false},
	} {
		_, err := items.New(&items.Options{LowImportance: test.low, HighImportance: test.high})
		assert.Equal(t, test.ok, err == nil, test.what)
	}
}

func TestTheLargestCapacity(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: math.MaxInt, MaxTokens: math.MaxInt})
	info := s.Capacity(t.Context())
	require.Equal(t, []int{1 << 30, math.MaxInt / 2}, []int{info.MaxItems, info.MaxTokens})
}

func TestRefusedItemsChangeNothing(t *testing.T) {
	t.Parallel()
	const secret = "s3cret"
	long := strings.Repeat(secret, 1000)
	for _, test := range []struct {
		what string
		in   items.ItemInput
		want error
		as   string // of an InputError
	}{
		{"no text", items.ItemInput{}, items.ErrNoText, ""},
		{"unknown type", items.ItemInput{Text: secret, Type: secret}, items.ErrItemType, ""},
		{"importance above 1", items.ItemInput{Text: secret, Importance: new(1.01)}, items.ErrImportance, ""},
		{"importance below 0", items.ItemInput{Text: secret, Importance: new(-0.01)}, items.ErrImportance, ""},
		{"importance is no number", items.ItemInput{Text: secret, Importance: new(math.NaN())}, items.ErrImportance, ""},
		{"known id", items.ItemInput{Text: secret, ID: "i1"}, items.ErrDuplicateID, ""},
		{"long id", items.ItemInput{Text: secret, ID: long}, memory.ErrTooLong, "id"},
		{"id is not valid UTF-8", items.ItemInput{Text: secret, ID: secret + "\xff"}, memory.ErrInvalidID, "id"},
		{"long agent", items.ItemInput{Text: secret, AgentID: long}, memory.ErrTooLong, "agent_id"},
		{"agent is not valid UTF-8", items.ItemInput{Text: secret, AgentID: secret + "\xff"}, memory.ErrInvalidID, "agent_id"},
		{"many tags", items.ItemInput{Text: secret, Tags: make([]string, 32+1)}, memory.ErrTooLong, "tags"},
		{"long tag", items.ItemInput{Text: secret, Tags: []string{"a", long}}, memory.ErrTooLong, "tags"},
		{"tag is not valid UTF-8", items.ItemInput{Text: secret, Tags: []string{secret + "\xff"}}, memory.ErrInvalidID, "tags"},
		{"long metadata", items.ItemInput{Text: secret, Metadata: map[string]string{"a": long}}, memory.ErrTooLong, "metadata"},
		{"key is not valid UTF-8", items.ItemInput{Text: secret, Metadata: map[string]string{secret + "\xff": ""}}, memory.ErrInvalidID, "metadata"},
		{"too many tokens", items.ItemInput{Text: strings.Repeat(secret+" ", 6)}, nil, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, items.Options{MaxTokens: 5, MaxItems: 2})
			memorizeMany(t, s, 0.1, 0.1)
			before, version := slices.Collect(s.All()), s.Version()
			m, err := s.Memorize(t.Context(), test.in)
			require.Error(t, err)
			require.NotContains(t, err.Error(), secret)
			require.Zero(t, m)
			require.Equal(t, before, slices.Collect(s.All()))
			require.Equal(t, version, s.Version())

			if test.want == nil {
				require.Equal(t, &items.TooLargeError{Tokens: 6, MaxTokens: 5}, err)
				require.EqualError(t, err, "items: item of 6 tokens exceeds the limit of 5")
				return
			}
			require.ErrorIs(t, err, test.want)
			if test.as != "" {
				var field *items.InputError
				require.ErrorAs(t, err, &field)
				require.Equal(t, test.as, field.Field)
				require.Contains(t, err.Error(), test.as)
			}
		})
	}
}

func TestAnIDFunctionThatMakesBadIDs(t *testing.T) {
	t.Parallel()
	id := ""
	s := newStore(t, items.Options{NewID: func() string { return id }})
	_, err := s.Memorize(t.Context(), items.ItemInput{Text: "text"})
	require.ErrorIs(t, err, memory.ErrNoID)
	id = "same"
	memorize(t, s, items.ItemInput{})
	_, err = s.Memorize(t.Context(), items.ItemInput{Text: "text"})
	require.ErrorIs(t, err, items.ErrDuplicateID)
}

func TestTheLargestItemThatIsTaken(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxTokens: 5})
	tags := slices.Repeat([]string{strings.Repeat("t", memory.MaxTypeBytes)}, 32)
	in := items.ItemInput{
		ID: strings.Repeat("i", memory.MaxIDBytes), AgentID: strings.Repeat("a", memory.MaxIDBytes),
		Text: "a b c d e", Tags: tags, Metadata: map[string]string{"k": strings.Repeat("v", 4<<10-1)},
	}
	memorize(t, s, in)
	it, err := s.Get(in.ID)
	require.NoError(t, err)
	require.Equal(t, []any{in.AgentID, in.Text, in.Tags, in.Metadata}, []any{it.AgentID, it.Text, it.Tags, it.Metadata})
}

func TestTextsThatAreNotValidAreMended(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorize(t, s, items.ItemInput{ID: "1", Text: "a\xffb", Metadata: map[string]string{"k": "\xfe"}})
	it, err := s.Get("1")
	require.NoError(t, err)
	require.Equal(t, "a\uFFFDb", it.Text)
	require.Equal(t, map[string]string{"k": "\uFFFD"}, it.Metadata)
}

func TestTimestampsOfItems(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newStore(t, items.Options{})
	for _, test := range []struct {
		what      string
		in, taken time.Time
	}{
		{"none", time.Time{}, start},
		{"given", start.Add(-time.Minute), start.Add(-time.Minute)},
		{"with a monotonic reading", now, now.UTC().Round(0)},
		{"in another zone", start.In(time.FixedZone("", 3600)), start},
		{"beyond what JSON can express", time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), start},
		{"before what JSON can express", time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), start},
		{"long ago", time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		m := memorize(t, s, items.ItemInput{Timestamp: test.in})
		it, err := s.Get(m.ID)
		require.NoError(t, err)
		require.Equal(t, test.taken, it.Timestamp, test.what)
	}
}

func TestAClockBeyondWhatJSONCanExpress(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{Now: func() time.Time { return start.AddDate(9000, 0, 0) }})
	memorize(t, s, items.ItemInput{ID: "1"})
	it, err := s.Get("1")
	require.NoError(t, err)
	require.Equal(t, 9999, it.Timestamp.Year())
	_, err = s.MarshalJSON()
	require.NoError(t, err)
}

func TestALoopOverAllMayEndAndChangeTheStore(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorizeMany(t, s, 0.5, 0.5)
	for it := range s.All() {
		require.Equal(t, "i1", it.ID)
		s.Clear(t.Context())
		break
	}
	require.Zero(t, s.Len())
}

func TestStepsAreCounted(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	require.Zero(t, s.Step())
	require.Equal(t, 1, s.AdvanceStep())
	memorize(t, s, items.ItemInput{ID: "current"})
	memorize(t, s, items.ItemInput{ID: "to come", StepIndex: new(math.MaxInt)})
	memorize(t, s, items.ItemInput{ID: "long past", StepIndex: new(math.MinInt)})
	require.Equal(t, 1, s.Step())
	for id, step := range map[string]int{"current": 1, "to come": math.MaxInt / 2, "long past": -(math.MaxInt / 2)} {
		it, err := s.Get(id)
		require.NoError(t, err)
		require.Equal(t, step, it.StepIndex, id)
	}
}

func TestStepsAndTimeDoNotGoBack(t *testing.T) {
	t.Parallel()
	step, clock := 7, &stoppedClock{now: start}
	s := newStore(t, items.Options{Step: func() int { return step }, Now: clock.Now})
	require.Equal(t, 7, s.Step())
	step = 3
	clock.advance(-time.Minute)
	require.Equal(t, 7, s.Step())
	require.Equal(t, 7, s.AdvanceStep(), "the store does not count")
	m := memorize(t, s, items.ItemInput{})
	it, err := s.Get(m.ID)
	require.NoError(t, err)
	require.Equal(t, 7, it.StepIndex)
	require.Equal(t, start, it.Timestamp)
	s.Clear(t.Context())
	m = memorize(t, s, items.ItemInput{})
	it, err = s.Get(m.ID)
	require.NoError(t, err)
	require.Equal(t, start, it.Timestamp, "nor where all is forgotten")
	require.NoError(t, s.UnmarshalJSON([]byte(`{"items":[{"id":"1","text":"a"}]}`)))
	it, err = s.Get("1")
	require.NoError(t, err)
	require.Equal(t, start, it.Timestamp, "nor where a state is read")
	require.Equal(t, 3, s.Step(), "of which the step takes the place of the store's")
	step = math.MaxInt
	require.Equal(t, math.MaxInt/2, s.Step())
}

// TestBoundsOfTTLsAndRecency finds out when an item changes its class or becomes
// evictable before another one.
func TestBoundsOfTTLsAndRecency(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	clock := &stoppedClock{now: start}
	s := newStore(t, items.Options{Now: clock.Now})
	memorize(t, s, items.ItemInput{})
	for range 20 {
		s.AdvanceStep()
	}
	require.Zero(t, s.Capacity(ctx).ByClass[items.ClassExpired], "20 steps are not more than 20")
	s.AdvanceStep()
	require.Equal(t, 1, s.Capacity(ctx).ByClass[items.ClassExpired])

	memorize(t, s, items.ItemInput{})
	clock.advance(time.Hour)
	require.Equal(t, 1, s.Capacity(ctx).ByClass[items.ClassExpired], "an hour is not more than an hour")
	clock.advance(1)
	require.Equal(t, 2, s.Capacity(ctx).ByClass[items.ClassExpired])
	require.Equal(t, 2, s.Len(), "nothing leaves merely because it is old")

	// Four steps after its own "recent" is recent still, so that the one behind it
	// leaves; a step later neither is, and the first one leaves.
	for step, leaves := range map[int]string{4: "older", 5: "recent"} {
		s := newStore(t, items.Options{MaxItems: 2})
		memorize(t, s, items.ItemInput{ID: "recent", StepIndex: new(0)})
		memorize(t, s, items.ItemInput{ID: "older", StepIndex: new(-1)})
		for range step {
			s.AdvanceStep()
		}
		require.Equal(t, leaves, memorize(t, s, items.ItemInput{}).Evicted[0].Item.ID, "step %d", step)
	}
}

func TestNoTTLAndNoWindow(t *testing.T) {
	t.Parallel()
	clock := &stoppedClock{now: start}
	s := newStore(t, items.Options{MaxItems: 2, StepTTL: -1, WallTTL: -1, RecencyWindow: -1, LowImportance: -1, Now: clock.Now})
	memorize(t, s, items.ItemInput{ID: "normal", StepIndex: new(1)})
	memorize(t, s, items.ItemInput{ID: "of no importance", StepIndex: new(-1000), Timestamp: start.AddDate(-500, 0, 0), Importance: new(0.0)})
	clock.advance(math.MaxInt64)
	require.Equal(t, map[items.EvictionClass]int{
		items.ClassDeleted: 0, items.ClassExpired: 0, items.ClassLow: 0, items.ClassNormal: 2, items.ClassProtected: 0,
	}, s.Capacity(t.Context()).ByClass)
	require.Equal(t, []string{"normal: normal importance"}, evictions(memorize(t, s, items.ItemInput{}).Evicted))
	require.Equal(t, "When room is needed, items are evicted in this order: deleted items, items of importance below 0.7, all other items. "+
		"Otherwise the oldest item is evicted first.", s.Capacity(t.Context()).Policy)
}

func TestProtectedItemsMayBeKept(t *testing.T) {
	t.Parallel()
	opts := items.Options{MaxItems: 3, MaxTokens: 6, KeepProtected: true}
	memorizeAll := func(s *items.Store) {
		memorize(t, s, items.ItemInput{Text: "a b", Importance: new(0.9)})
		memorize(t, s, items.ItemInput{Text: "a b", Importance: new(0.7)})
		memorize(t, s, items.ItemInput{Text: "a b", Importance: new(0.5)})
	}
	t.Run("no item can leave", func(t *testing.T) {
		t.Parallel()
		s := newStore(t, opts)
		memorizeAll(s)
		memorize(t, s, items.ItemInput{Text: "a b", Importance: new(1.0)})
		before, version := slices.Collect(s.All()), s.Version()
		_, err := s.Memorize(t.Context(), items.ItemInput{Text: "a"})
		require.ErrorIs(t, err, items.ErrCapacity)
		require.Equal(t, before, slices.Collect(s.All()))
		require.Equal(t, version, s.Version())
	})
	t.Run("what can leave is not enough", func(t *testing.T) {
		t.Parallel()
		s := newStore(t, opts)
		memorizeAll(s)
		before := slices.Collect(s.All())
		_, err := s.Memorize(t.Context(), items.ItemInput{Text: "a b c"})
		require.ErrorIs(t, err, items.ErrCapacity)
		require.Equal(t, before, slices.Collect(s.All()), "nothing has left in vain")
	})
	t.Run("what can leave is enough", func(t *testing.T) {
		t.Parallel()
		s := newStore(t, opts)
		memorizeAll(s)
		require.Equal(t, []string{"i3: normal importance"}, evictions(memorize(t, s, items.ItemInput{Text: "a b"}).Evicted))
		require.Contains(t, s.Capacity(t.Context()).Policy, "No other items are evicted")
	})
}

func TestLargeItemEvictsSeveral(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxTokens: 5})
	for _, x := range []float64{0.5, 0.9, 0.1, 0.5, 0.5} {
		memorize(t, s, items.ItemInput{Importance: &x})
	}
	m := memorize(t, s, items.ItemInput{Text: "a b c"})
	require.Equal(t, []string{"i3: low importance", "i1: normal importance", "i4: normal importance"}, evictions(m.Evicted))
	require.Equal(t, []int{2, 0, 1}, []int{m.Evicted[0].Item.Position, m.Evicted[1].Item.Position, m.Evicted[2].Item.Position},
		"where each stood when its turn came")
	require.Equal(t, items.Memorized{ID: "i6", Position: 2, Evicted: m.Evicted, Size: 3, Tokens: 5}, m)
}

func TestTokensAreCountedOnce(t *testing.T) {
	t.Parallel()
	counted := 0
	s := newStore(t, items.Options{MaxItems: 2, Counter: counterFunc(func(string) int { counted++; return 1 })})
	memorizeMany(t, s, 0.5, 0.5, 0.5)
	_ = remember(t, s, "text", items.Criteria{})
	_, err := s.Forget(t.Context(), "oldest", items.ForgetSoft)
	require.NoError(t, err)
	memorizeMany(t, s.Branch(), 0.5)
	require.Equal(t, 4, counted)
}

// A window that moves on makes a recent item an old one, in the very step in which
// it ends.
func TestItemsLeaveTheRecencyWindow(t *testing.T) {
	t.Parallel()
	for steps, leaves := range map[int]string{4: "older", 5: "recent"} {
		s := newStore(t, items.Options{MaxItems: 2})
		memorize(t, s, items.ItemInput{ID: "recent"})
		memorize(t, s, items.ItemInput{ID: "older", StepIndex: new(-1)})
		for range steps {
			s.AdvanceStep()
		}
		require.Equal(t, leaves, memorize(t, s, items.ItemInput{}).Evicted[0].Item.ID, "after %d steps", steps)
	}
}

func TestAnIDMayComeAgain(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 1})
	memorize(t, s, items.ItemInput{ID: "again"})
	memorize(t, s, items.ItemInput{ID: "other"})
	memorize(t, s, items.ItemInput{ID: "again"})
	require.Equal(t, []string{"again"}, keptIDs(s))
}

func TestOddCounters(t *testing.T) {
	t.Parallel()
	for what, tokens := range map[string]int{"less than nothing": math.MinInt, "nothing": 0, "more than anything": math.MaxInt} {
		s := newStore(t, items.Options{MaxTokens: math.MaxInt, Counter: counterFunc(func(string) int { return tokens })})
		for range 3 {
			_, err := s.Memorize(t.Context(), items.ItemInput{Text: "text"})
			require.Equal(t, tokens > 0, err != nil, what)
		}
		require.Zero(t, s.Tokens(), what)
	}
}

func TestNothingIsSharedWithCallers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, items.Options{MaxItems: 1})
	in := items.ItemInput{ID: "1", Text: "text", Tags: []string{"tag"}, Metadata: map[string]string{"k": "v"}}
	memorize(t, s, in)
	spoil := func(items ...items.Item) {
		for _, it := range items {
			it.Tags[0], it.Metadata["k"] = "spoilt", "spoilt"
		}
	}
	in.Tags[0], in.Metadata["k"] = "spoilt", "spoilt"
	branch := s.Branch()
	for range 2 {
		got, err := s.Get("1")
		require.NoError(t, err)
		require.Equal(t, []string{"tag"}, got.Tags)
		require.Equal(t, map[string]string{"k": "v"}, got.Metadata)
		spoil(got)
		spoil(slices.Collect(s.All())...)
		spoil(s.Notable(1)...)
		for _, prompt := range []string{"", "text"} {
			items, err := s.Remember(ctx, prompt, items.Criteria{}, 0)
			require.NoError(t, err)
			require.Len(t, items, 1)
			spoil(items...)
		}
		f, err := s.Forget(ctx, "oldest", items.ForgetSoft)
		require.NoError(t, err)
		spoil(f.Items...)
		require.NoError(t, s.Restore(ctx, "1"))
	}
	spoil(memorize(t, s, items.ItemInput{}).Evicted[0].Item)
	got, err := branch.Get("1")
	require.NoError(t, err)
	require.Equal(t, []string{"tag"}, got.Tags)
}

func TestVersionChangesWithTheItems(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, items.Options{MaxItems: 2})
	must := func(err error) { require.NoError(t, err) }
	forget := func(instruction string, mode items.ForgetMode) func() {
		return func() {
			_, err := s.Forget(ctx, instruction, mode)
			must(err)
		}
	}
	for _, test := range []struct {
		what    string
		do      func()
		changes uint64
	}{
		{"clear nothing", func() { s.Clear(ctx) }, 0},
		{"forget nothing", forget("oldest", items.ForgetHard), 0},
		{"memorize", func() { memorizeMany(t, s, 0.5) }, 1},
		{"memorize another one", func() { memorizeMany(t, s, 0.5) }, 1},
		{"memorize and evict", func() { memorizeMany(t, s, 0.5) }, 1},
		{"step", func() { s.AdvanceStep() }, 0},
		{"forget softly", forget("position:0", items.ForgetSoft), 1},
		{"forget softly again", forget("position:0", items.ForgetSoft), 0},
		{"restore", func() { must(s.Restore(ctx, "i2")) }, 1},
		{"restore again", func() { must(s.Restore(ctx, "i2")) }, 0},
		{"set importance", func() { must(s.SetImportance(ctx, "i2", 0.6)) }, 1},
		{"set importance again", func() { must(s.SetImportance(ctx, "i2", 0.6)) }, 0},
		{"sweep nothing", func() { s.Sweep(ctx) }, 0},
		{"read", func() {
			s.Capacity(ctx)
			s.Notable(1)
			_, err := s.Remember(ctx, "", items.Criteria{}, 0)
			must(err)
		}, 0},
		{"forget both", forget("before:step_1", items.ForgetHard), 1},
		{"unmarshal", func() { must(s.UnmarshalJSON([]byte(`{"items":[{"id":"1","text":"a"}]}`))) }, 1},
		{"clear", func() { s.Clear(ctx) }, 1},
	} {
		before := s.Version()
		test.do()
		require.Equal(t, before+test.changes, s.Version(), test.what)
	}
}

func TestClearKeepsTheStep(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	s.AdvanceStep()
	memorizeMany(t, s, 0.5, 0.5)
	s.Clear(t.Context())
	require.Empty(t, keptIDs(s))
	require.Zero(t, s.Tokens())
	require.Equal(t, 1, s.Step())
	require.Equal(t, "i3", memorize(t, s, items.ItemInput{}).ID)
}

func TestBranchesAreIndependent(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 2})
	memorizeMany(t, s, 0.5, 0.5)
	s.AdvanceStep()
	branch := s.Branch()
	require.Equal(t, s.Version(), branch.Version())
	require.Equal(t, 2, branch.AdvanceStep())
	require.Equal(t, 1, s.Step())
	memorizeMany(t, branch, 0.9)
	require.NoError(t, s.SetImportance(t.Context(), "i1", 0.9))
	require.Equal(t, []string{"i1", "i2"}, keptIDs(s))
	require.Equal(t, []string{"i2", "i3"}, keptIDs(branch), "the limit is the same")
}

func TestTheSameInputsLeadToTheSameEvictions(t *testing.T) {
	t.Parallel()
	run := func() (all []string) {
		s := newStore(t, items.Options{MaxItems: 20})
		for i := range 500 {
			if i%3 == 0 {
				s.AdvanceStep()
			}
			in := items.ItemInput{
				Importance: new(float64(i*7%11) / 10),
				Tags:       []string{fmt.Sprint(i)},
				Metadata:   map[string]string{"a": "1", "b": "2", "c": "3"},
			}
			all = append(all, evictions(memorize(t, s, in).Evicted)...)
		}
		return append(all, keptIDs(s)...)
	}
	require.Equal(t, run(), run())
}

func TestAContextThatEndedLosesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newStore(t, items.Options{})
	_, err := s.Memorize(ctx, items.ItemInput{ID: "1", Text: "The parcel was sent."})
	require.NoError(t, err)
	list, err := s.Remember(ctx, "parcel", items.Criteria{}, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, itemIDs(list))
	summary, err := s.Summarize(ctx, items.SelectAll, 10)
	require.NoError(t, err)
	require.NotEmpty(t, summary.Text)
	_, err = s.Forget(ctx, "oldest", items.ForgetSoft)
	require.NoError(t, err)
	require.NoError(t, s.Restore(ctx, "1"))
}

// What left and was cleared is given back, and so is what only surrounded a text
// that was memorized.
func TestStoreReleasesMemory(t *testing.T) {
	const megabyte = 1 << 20
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	s := newStore(t, items.Options{MaxItems: 4, Counter: counterFunc(func(string) int { return 1 })})
	for i := range 50 {
		large := strings.Repeat("x", megabyte)
		memorize(t, s, items.ItemInput{Text: large})
		memorize(t, s, items.ItemInput{Text: large[:9], ID: large[:1+i], AgentID: large[:1], Tags: []string{large[:2]}, Metadata: map[string]string{large[:3]: large[:4]}})
	}
	require.Less(t, heap()-before, 3*megabyte)
	s.Clear(t.Context())
	require.Less(t, heap()-before, megabyte/2)
	runtime.KeepAlive(s)
}

// The room that many items had is given back when they leave, however they do.
func TestStoreReleasesRoom(t *testing.T) {
	const size = 20_000
	for what, leave := range map[string]func(s *items.Store) error{
		"one by one": func(s *items.Store) (err error) {
			for range size - 1 {
				_, err = s.Forget(t.Context(), "oldest", items.ForgetHard)
			}
			return err
		},
		"before a step": func(s *items.Store) error {
			_, err := s.Forget(t.Context(), "before:step_1", items.ForgetHard)
			return err
		},
		"in a sweep": func(s *items.Store) error {
			for range 20 + 1 {
				s.AdvanceStep()
			}
			s.Sweep(t.Context())
			return nil
		},
		"for a large item": func(s *items.Store) error {
			_, err := s.Memorize(t.Context(), items.ItemInput{Text: strings.Repeat("a ", size)})
			return err
		},
	} {
		heap := func() int {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		before := heap()
		s := newStore(t, items.Options{MaxItems: size, MaxTokens: size})
		for range size {
			memorize(t, s, items.ItemInput{Text: "a"})
		}
		full := heap() - before
		require.NoError(t, leave(s), what)
		require.LessOrEqual(t, s.Len(), 1, what)
		require.Less(t, heap()-before, full/10, what)
		memorize(t, s, items.ItemInput{ID: "new", Text: "a"})
		_, err := s.Get("new")
		require.NoError(t, err, what)
	}
}

func TestStoreInSteadyStateAllocatesOnlyTheItem(t *testing.T) {
	if race.Enabled {
		t.Skip("counts allocations")
	}
	for _, size := range []int{10, 64, 1000} {
		s := fullStore(t, size)
		ids := make([]string, 3*size)
		for i := range ids {
			ids[i] = fmt.Sprint("id", i)
		}
		ctx, next := t.Context(), 0
		cycle := func() {
			in := items.ItemInput{ID: ids[next%len(ids)], Text: "The parcel was sent."}
			next++
			if _, err := s.Memorize(ctx, in); err != nil {
				panic(err)
			}
		}
		for range 10 * size {
			cycle()
		}
		// Its id, its text, and the list with the item that left.
		require.LessOrEqual(t, testing.AllocsPerRun(10*size, cycle), 3.0, "size %d", size)
	}
}

func TestAMillionItems(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("takes seconds")
	}
	const size = 1_000_000
	s := fullStore(t, size)
	require.Equal(t, size, s.Len())
	it, err := s.Get(s.Notable(1)[0].ID)
	require.NoError(t, err)
	require.Equal(t, 0.9, it.Importance)
	require.Equal(t, size-1, it.Position)
	m := memorize(t, s, items.ItemInput{})
	require.Equal(t, 0.0, m.Evicted[0].Item.Importance)
	require.Equal(t, size-1, m.Position)
}
